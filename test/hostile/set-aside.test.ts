// @module-tag sandbox
// @module-tag python3
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { asideLines } from '../../src/cli/render/aside-lines.js';
import { createPruning } from '../../src/store/records/prune-files.js';
import { callTool, toolContext } from '../activities/helpers/tool-context.js';

let context: Awaited<ReturnType<typeof toolContext>>;
let state: string;

const inWorkspace = (...path: string[]): string => join(context.workspace, ...path);
const put = (path: string, text: string): void => {
  mkdirSync(dirname(inWorkspace(path)), { recursive: true });
  writeFileSync(inWorkspace(path), text);
};
/** A command of an agent that runs until something else has been done meanwhile. */
async function whileOneRuns(act: () => void): Promise<string> {
  const script = "import os, time\nprint('on', flush=True)\nwhile not os.path.exists('done'): time.sleep(0.01)";
  const running = callTool({ kind: 'builtin', name: 'shell' }, { argv: ['python3', '-c', script] }, context);
  await expect.poll(() => context.logged.join('')).toContain('on');
  act();
  put('done', '');
  const said = JSON.stringify(await running);
  rmSync(inWorkspace('done'));
  return said;
}
/** All that is kept of the run, by what the log says of each: path and text. */
const kept = (): Record<string, string> =>
  Object.fromEntries(
    [...context.logged.join('').matchAll(/^`(.+)` was made or changed .+ it is kept as `(.+)`\.$/gm)].map(
      ([, path = '', file = '']) => [path, file],
    ),
  );

beforeEach(async () => {
  context = await toolContext();
  state = context.store.folder ?? '';
});

describe('what a person makes at a protected path while a command runs', () => {
  it('is kept whole out of the reach of tools, and the log says where', async () => {
    const said = await whileOneRuns(() => {
      put('definitions/agents/mine.yml', 'an hour of work');
      put('.envrc', 'mine');
    });
    expect(existsSync(inWorkspace('definitions'))).toBe(false);
    expect(Object.keys(kept()).sort()).toEqual(['.envrc', 'definitions']);
    const { definitions = '', '.envrc': envrc = '' } = kept();
    expect(readFileSync(join(definitions, 'agents/mine.yml'), 'utf8')).toBe('an hour of work');
    expect(readFileSync(envrc, 'utf8')).toBe('mine');
    for (const place of [definitions, envrc]) expect(place.startsWith(`${state}/set-aside/run/`)).toBe(true);
    // Nothing goes by such a name, wherever somebody stands who looks at it.
    expect(envrc).not.toMatch(/\/\.envrc$/);
    expect(said).toContain('which is protected');
    expect(said).not.toMatch(/program made|agent made/);
  });

  it('is listed for people by `show`, and goes when its run is pruned', async () => {
    await whileOneRuns(() => put('perdure.yml', 'models: {}'));
    const [place = ''] = Object.values(kept());
    expect(asideLines(state, 'run/nested')).toEqual([
      expect.stringContaining('1 thing') as string,
      `  perdure.yml: ${place}`,
    ]);
    await createPruning(state).removeRun('run');
    expect([existsSync(place), asideLines(state, 'run')]).toEqual([false, []]);
  });

  it('stays beside its place under another name where the state folder takes nothing', async () => {
    writeFileSync(join(state, 'set-aside'), 'no folder');
    await whileOneRuns(() => put('definitions/agents/mine.yml', 'an hour of work'));
    const [name = ''] = readdirSync(context.workspace).filter((entry) => entry.startsWith('definitions'));
    expect(name).toMatch(/^definitions\.removed-[0-9a-f]+$/);
    expect(readFileSync(inWorkspace(name, 'agents/mine.yml'), 'utf8')).toBe('an hour of work');
    expect(kept()['definitions']).toBe(inWorkspace(name));
  });

  it('is kept as it was, where what was there before is put back', async () => {
    put('package.json', '{"scripts":{"perdure":"node a.js"}}');
    const own = '{"scripts":{"perdure":"node b.js","more":"x"}}';
    expect(await whileOneRuns(() => put('package.json', own))).toContain('which is protected');
    expect(readFileSync(inWorkspace('package.json'), 'utf8')).toContain('node a.js');
    expect(readFileSync(kept()['package.json'] ?? '', 'utf8')).toBe(own);
  });
});

it('two things of one path are kept side by side', async () => {
  for (const text of ['one', 'two']) {
    context.logged.length = 0;
    await whileOneRuns(() => put('.envrc', text));
    expect(readFileSync(kept()['.envrc'] ?? '', 'utf8')).toBe(text);
  }
  expect(readdirSync(join(state, 'set-aside', 'run'))).toHaveLength(2);
});
