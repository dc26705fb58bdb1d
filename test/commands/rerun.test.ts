// @seconds 15
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Json } from '../../src/plan/values/json.js';
import type { ModelEndpoint } from '../fakes/model-endpoint.js';
import { startModelEndpoint } from '../fakes/model-endpoint.js';
import type { Project } from '../faults/project.js';
import { openProject } from '../faults/project.js';

/** A step that says its own name after what it is given. */
const agentStep = (id: string, says: string): string =>
  `  - id: ${id}\n    agent: general-purpose\n    prompt: "${says}"\n    retry: {attempts: 1}\n`;

const CHAIN = `name: chain
inputs:
  marker: {type: string, required: true}
execution: dag
steps:
${[
  agentStep('one', 'first of all'),
  agentStep('side', 'on the side'),
  agentStep('broken', 'after [${steps.one.output}] break'),
  agentStep('last', 'at last [${steps.broken.output}]'),
].join('')}  - id: publish
    command: [sh, -c, "echo published >> \\"$1\\"", sh, "\${marker}"]
    effect: external
  - id: inner
    workflow: nested
    inputs: {text: "\${steps.side.output}"}
  - id: each
    foreach: [a, b]
    agent: general-purpose
    prompt: "item \${item}"
`;
const NESTED = `name: nested
inputs:
  text: {type: string, required: true}
steps:
${agentStep('deep', 'deep in [${text}]')}`;

let project: Project;
let endpoint: ModelEndpoint;
let marker: string;
let folder: string;
let breaks = true;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'perdure-rerun-'));
  marker = join(folder, 'published');
  endpoint = await startModelEndpoint(({ prompt }) =>
    breaks && prompt.includes('break')
      ? { status: 400, message: 'broken on purpose' }
      : { text: `<${/(first of all|on the side|break|at last|deep in|item .)/.exec(prompt)?.[0] ?? prompt}>` },
  );
  project = await openProject(
    { 'chain.yml': CHAIN, 'definitions/workflows/nested.yml': NESTED },
    { ANTHROPIC_API_KEY: 'test', ANTHROPIC_BASE_URL: endpoint.url },
  );
  expect((await project.run('run', 'chain.yml', '--id', 'before', '-i', `marker=${marker}`)).code).toBe(1);
  breaks = false;
});
afterAll(async () => {
  await project.close();
  await endpoint.close();
  await rm(folder, { recursive: true, force: true });
});

const json = async <T = Json>(...args: string[]): Promise<T> =>
  JSON.parse((await project.run(...args, '--json')).stdout) as T;
interface Rerun {
  status: string;
  steps: { id: string; reused: boolean; status: string }[];
  spend: { steps: number };
}

describe('rerun', () => {
  it('tells what would be reused, what would run, and starts nothing', async () => {
    const before = endpoint.requests.length;
    const { code, stdout } = await project.run('rerun', 'before', '--dry-run');
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: '  reuse 0 1 4 5 6 (unchanged) · run 2 broken · may run 3 last · at an unknown cost\n',
    });
    expect(await json('rerun', 'before', '--from', 'side', '--dry-run')).toMatchObject({
      reuse: ['one', 'publish', 'each/0', 'each/1'],
      run: ['side', 'broken'],
      may_run: ['inner/deep', 'last'],
    });
    expect(endpoint.requests).toHaveLength(before);
    expect(await json<{ run: string }[]>('list')).toHaveLength(1);
  });

  it('repeats exactly the failed step and what depends on it, and never an external effect', async () => {
    const before = endpoint.requests.length;
    const result = await json<Rerun>('rerun', 'before', '--id', 'after');
    expect(result.status).toBe('success');
    expect(endpoint.requests.slice(before).map(({ prompt }) => /(break|at last)/.exec(prompt)?.[0])).toEqual([
      'break',
      'at last',
    ]);
    expect(result.steps.filter(({ reused }) => reused).map(({ id }) => id)).toEqual(['one', 'side', 'publish']);
    expect(result.spend.steps).toBe(2);
    expect(await readFile(marker, 'utf8')).toBe('published\n');
  });

  it('of a rerun reuses what that reused, also when everything succeeded', async () => {
    const before = endpoint.requests.length;
    expect(await json('rerun', 'after', '--id', 'third')).toMatchObject({ status: 'success', spend: { steps: 0 } });
    expect(endpoint.requests).toHaveLength(before);
  });

  it('joins the rerun of its id, and refuses an id that another run has', async () => {
    expect(await json('rerun', 'after', '--id', 'third')).toMatchObject({ run: 'third', status: 'success' });
    for (const id of ['before', 'after', 'third']) {
      const { code, stderr } = await project.run('rerun', 'third', '--id', id);
      expect([code, stderr.split('\n')[0]]).toEqual([
        2,
        `Error: There is a run \`${id}\` already, and it is no rerun of \`third\`.`,
      ]);
    }
  });

  it('takes the definition as it is now, and refuses an external effect that is given something else', async () => {
    await writeFile(
      join(project.folder, 'chain.yml'),
      CHAIN.replace('on the side', 'on the side, edited').replace('published >>', 'again >>'),
    );
    const before = endpoint.requests.length;
    const result = await json<Rerun & { error: string }>('rerun', 'third', '--id', 'edited');
    expect([result.status, result.error]).toEqual([
      'partial',
      expect.stringContaining(
        '`publish` of third had an external effect, or may have had, and left no result of what is asked now',
      ),
    ]);
    // The nested step is given what it was given before, but the one before it has tools, and may have changed files.
    const asked = endpoint.requests.slice(before).map(({ prompt }) => /edited|deep in/.exec(prompt)?.[0]);
    expect(asked).toEqual(['edited', 'deep in']);
    expect(await readFile(marker, 'utf8')).toBe('published\n');
    expect((await project.run('rerun', 'edited', '--again', '--id', 'repeated')).code).toBe(0);
    expect(await readFile(marker, 'utf8')).toBe('published\nagain\n');
  });

  it('takes a definition that was run by its name as it is now', async () => {
    const file = join(project.folder, 'definitions/workflows/by-name.yml');
    const named = 'name: by-name\nsteps:\n  - id: says\n    command: [printf, before]\n';
    await writeFile(file, named);
    expect((await project.run('run', 'by-name', '--id', 'named')).code).toBe(0);
    await writeFile(file, named.replace('before', 'after'));
    const { code, stdout, stderr } = await project.run('rerun', 'named');
    expect({ code, stdout, gone: stderr.includes('is gone') }).toEqual({ code: 0, stdout: 'after\n', gone: false });
  });

  it.each([
    [['nothing'], 'There is no run `nothing`'],
    [['before/inner'], 'Expected a whole run, got the nested run `before/inner`'],
    [['before', '--from', 'nowhere'], 'There is no step `nowhere`'],
    [['after', '--from', 'publish'], '`--from publish` would repeat `publish`'],
  ])('refuses %j', async (args, message) => {
    const { code, stderr } = await project.run('rerun', ...args);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});
