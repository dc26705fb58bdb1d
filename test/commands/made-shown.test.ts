import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunResult } from '../../src/plan/result.js';
import type { ModelEndpoint } from '../fakes/model-endpoint.js';
import { startModelEndpoint } from '../fakes/model-endpoint.js';
import type { Project } from '../faults/project.js';
import { openProject } from '../faults/project.js';

const PARTS = {
  steps: [
    { id: 'one', agent: 'helper', prompt: 'Part 1' },
    { id: 'two', agent: 'helper', prompt: 'Part 2' },
  ],
  output: '${steps.one.output}, ${steps.two.output}',
};
const CALL = { name: 'parts', input: {} };

let project: Project;
let endpoint: ModelEndpoint;
beforeAll(async () => {
  endpoint = await startModelEndpoint(({ prompt, system, results: { count } }) => {
    if (!system.includes('You make.')) return { text: prompt };
    if (count === 0) return { tools: [{ name: 'workflow_create', input: { name: 'parts', definition: PARTS } }] };
    // Twice in one turn, and once more.
    return count === 1 ? { tools: [CALL, CALL] } : count === 3 ? { tools: [CALL] } : { text: 'made' };
  });
  project = await openProject(
    {
      'definitions/agents/helper.yml': 'name: helper\nprompt: You help.\n',
      'definitions/agents/maker.yml': 'name: maker\nprompt: You make.\ntools: [workflow_create]\n',
      'talk.yml': 'name: talk\nsteps:\n  - {id: work, agent: maker, prompt: Go.}\n',
      'given.yml':
        'name: given\ninputs:\n  text: {type: string}\nsteps:\n  - {id: work, plan: "${text}"}\noutput: ' +
        '${steps.work.output}\n',
    },
    { ANTHROPIC_API_KEY: 'test-key', ANTHROPIC_BASE_URL: endpoint.url },
  );
  const talk = await project.run('run', 'talk.yml', '--id', 'talk', '--yes');
  const given = await project.run('run', 'given.yml', '--id', 'given', '--yes', '-i', `text=${JSON.stringify(PARTS)}`);
  expect([talk.code, given.stdout], `${talk.stderr}${given.stderr}`).toEqual([0, 'Part 1, Part 2\n']);
});
afterAll(async () => {
  await project.close();
  await endpoint.close();
});

const shown = async (run: string): Promise<RunResult> => {
  const { code, stdout, stderr } = await project.run('show', run, '--json');
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout) as RunResult;
};

it.each(['talk', 'given'])(
  'a rerun of `%s` is forecast to cost what that has cost: nothing counts twice',
  async (run) => {
    const { spend } = await shown(run);
    expect(spend.usd).toBeGreaterThan(0);
    const { code, stdout, stderr } = await project.run('rerun', run, '--from', 'work', '--dry-run', '--json');
    expect(code, stderr).toBe(0);
    expect((JSON.parse(stdout) as { usd: number }).usd).toBeCloseTo(spend.usd ?? Number.NaN, 9);
  },
);

describe('a closed run', () => {
  it.each(['as it closed', 'once its history is gone'])('shows what was made while it ran, %s', async (when) => {
    if (when.includes('gone')) {
      expect((await project.run('server', 'stop')).code).toBe(0);
      for (const suffix of ['', '-wal', '-shm'])
        await rm(join(project.folder, '.perdure', `temporal.db${suffix}`), { force: true });
    }
    const parts = [
      { id: 'one', status: 'success', output: 'Part 1' },
      { id: 'two', status: 'success', output: 'Part 2' },
    ];
    expect((await shown('given')).steps).toMatchObject([{ id: 'work', kind: 'plan', status: 'success', steps: parts }]);
    expect((await shown('talk')).steps).toMatchObject([
      { id: 'work', kind: 'agent', status: 'success', output: 'made', steps: parts },
    ]);
    for (const run of ['given/work', 'talk/work/2.1', 'talk/work/2.2', 'talk/work/3.1']) {
      expect(await shown(run)).toMatchObject({ run, status: 'success', output: 'Part 1, Part 2', steps: parts });
    }
    const { stdout } = await project.run('show', 'talk');
    // Of several the last one stands in the tree.
    expect(stdout.match(/ one +claude-/g)).toHaveLength(1);
  });

  it('takes with it what was nested in it when it is pruned', async () => {
    expect((await project.run('prune', '--older-than', '0')).code).toBe(0);
    expect((await project.run('show', 'talk/work/2.1')).code).toBe(2);
    expect((await project.run('list', '--json')).stdout.trim()).toBe('[]');
  });
});
