import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addMade, readMade } from '../../../src/activities/made/registry.js';
import type { Making, ToolRun } from '../../../src/activities/tools/handler/handler.js';
import { agentCreate } from '../../../src/activities/tools/makers/agent-create.js';
import type { MakerTool } from '../../../src/plan/tools/tool.js';
import { openStore } from '../../../src/store/local-store.js';
import type { Store } from '../../../src/store/store.js';
import { createMakers } from '../../../src/workers/worker/made-compiler.js';
import { plan } from '../../plan/helpers/build-plan.js';
import { FILES, PERMISSIONS, agent } from '../../workflows/helpers/conversing.js';

let root: string;
let store: Store;
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'perdure-agent-create-'));
  store = await openStore(join(root, 'state'));
});
afterAll(() => {
  rmSync(root, { recursive: true, force: true });
});

const TOOL: MakerTool = { kind: 'maker', name: 'agent_create', folder: 'generated' };
let folders = 0;

/** A workspace and a run of its own; each call of `create` is another one of the model's unless it is named. */
function open(own: Partial<Store> = {}) {
  const workspace = join(root, `w${(folders += 1)}`);
  mkdirSync(workspace);
  writeFileSync(join(workspace, 'perdure.yml'), '');
  const used = { ...store, ...own };
  const maker = agent({ uses: [...FILES, TOOL] });
  const making: Making = {
    store: used,
    plan: plan([]),
    maker,
    by: `sha256:${'a'.repeat(64)}`,
    scope: { first: workspace, body: `sha256:${'c'.repeat(64)}` },
    run: workspace,
    models: { models: [''], model: '' },
    ...createMakers(store),
  };
  let calls = 0;
  const create = (
    name: string,
    { instructions = 'You judge.', call = `call ${(calls += 1)}` } = {},
  ): Promise<ToolRun> =>
    agentCreate.run(
      TOOL,
      { name, instructions, description: 'Judges.' },
      {
        store: used,
        workspace,
        signal: new AbortController().signal,
        log: { write: () => undefined, writeLast: () => undefined, close: async () => undefined },
        progress: {},
        permissions: PERMISSIONS,
        run: workspace,
        making,
        call,
      },
    );
  return { workspace, making, create };
}

describe('agent_create', () => {
  it('is done once, however often its call comes again', async () => {
    const { create, making, workspace } = open();
    const first = await create('judge', { call: 'one' });
    expect(first).toMatchObject({ content: 'judge', is_error: false, made: { kind: 'made', name: 'judge' } });
    expect(await create('judge', { call: 'one' })).toEqual(first);
    expect(await readMade(store, making.scope)).toHaveLength(1);
    expect(readdirSync(join(workspace, 'generated'))).toEqual(['judge.agent']);
    expect(await create('JUDGE', { call: 'two' })).toMatchObject({
      is_error: true,
      content: expect.stringContaining('has made the agent `judge` already') as string,
    });
  });

  it('gives one name to one of two that want it at the same time', async () => {
    const { create, making } = open();
    const runs = await Promise.all(
      ['a', 'b', 'c'].map((call) => create('judge', { call, instructions: `You are ${call}.` })),
    );
    expect(runs.filter(({ is_error }) => !is_error)).toHaveLength(1);
    expect(await readMade(store, making.scope)).toHaveLength(1);
  });

  it('leaves a file of an earlier run to that, writes its own beside it, and overwrites none of a person', async () => {
    const { create, workspace } = open();
    await create('judge');
    const text = readFileSync(join(workspace, 'generated/judge.agent'), 'utf8');
    expect(text).toContain(`---\n# Made in run ${workspace}\nname: judge\n`);
    const next = open();
    mkdirSync(join(next.workspace, 'generated'));
    writeFileSync(join(next.workspace, 'generated/judge.agent'), text);
    writeFileSync(join(next.workspace, 'generated/other.agent'), 'mine');
    expect(await next.create('judge', { instructions: 'You judge otherwise.' })).toMatchObject({ is_error: false });
    const own = `judge.${next.workspace.replace(/[^A-Za-z0-9-]+/g, '-')}.agent`;
    expect(readFileSync(join(next.workspace, 'generated', own), 'utf8')).toContain('You judge otherwise.');
    expect(readFileSync(join(next.workspace, 'generated/judge.agent'), 'utf8')).toBe(text);
    expect(await next.create('other')).toMatchObject({
      is_error: true,
      content: expect.stringContaining('There is a file `generated/other.agent` already') as string,
    });
    expect(readFileSync(join(next.workspace, 'generated/other.agent'), 'utf8')).toBe('mine');
  });

  it('leaves no file where it could not be remembered', async () => {
    const { create, workspace } = open({ writeJournal: () => Promise.reject(new Error('no space')) });
    await expect(create('judge')).rejects.toThrow('no space');
    expect(readdirSync(join(workspace, 'generated'))).toEqual([]);
  });

  it('writes through no link', async () => {
    const { create, workspace } = open();
    symlinkSync(root, join(workspace, 'generated'));
    expect(await create('judge')).toMatchObject({
      is_error: true,
      content: expect.stringContaining('symbolic link') as string,
    });
    expect(existsSync(join(root, 'judge.agent'))).toBe(false);
  });

  it('makes at most 100 in a run', async () => {
    const { create, making, workspace } = open();
    for (let index = 0; index < 100; index += 1)
      await addMade(store, making.scope, {
        kind: 'agent',
        name: `a${index}`,
        ref: `sha256:${'d'.repeat(64)}`,
        text: `sha256:${'d'.repeat(64)}`,
        call: `${index}`,
      });
    expect(await create('judge')).toMatchObject({
      is_error: true,
      content: expect.stringContaining('has made 100 definitions already') as string,
    });
    expect(existsSync(join(workspace, 'generated'))).toBe(false);
  });
});
