// @seconds 20
import { Client, Connection } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunResult } from '../../src/plan/result.js';
import type { ModelEndpoint } from '../fakes/model-endpoint.js';
import { startModelEndpoint } from '../fakes/model-endpoint.js';
import type { Project } from '../faults/project.js';
import { openProject } from '../faults/project.js';

/*
 * A run that `temporal workflow terminate` has ended says no last word. What it had paid for by then counts all
 * the same: the journal has it.
 */

/** What each answer claims to have taken. */
const TOKENS = 1_100;
const LIST = Array.from({ length: 201 }, (_, index) => index).join(', ');
const DEFINITIONS: Record<string, string> = {
  leaf: 'steps:\n  - {id: deep, agent: helper, prompt: say}\n  - {id: hang, ask: Go on?}\n',
  middle: 'steps:\n  - {id: asked, agent: talker, prompt: talk}\n  - {id: inner, workflow: leaf}\n',
  fails:
    'steps:\n  - {id: deep, agent: helper, prompt: say}\n' +
    "  - {id: once, command: [sh, -c, 'test -e failed || { touch failed; exit 1; }']}\n  - {id: hang, ask: Go on?}\n",
  again: 'steps:\n  - {id: more, workflow: fails, retry: {attempts: 2}}\n',
  retried: 'steps:\n  - {id: inner, workflow: again}\n',
  item: 'inputs: {n: {type: integer}}\nsteps:\n  - {id: said, agent: helper, prompt: "say ${n}"}\n',
  nested: 'steps:\n  - {id: first, agent: helper, prompt: say}\n  - {id: inner, workflow: middle}\n',
  batches:
    `steps:\n  - id: inner\n    foreach: {items: [${LIST}], max_parallel: 1}\n    steps:\n` +
    '      - {id: one, when: "${item < 2}", workflow: item, inputs: {n: "${item}"}}\n' +
    '      - {id: hang, when: "${item == 2}", ask: Go on?}\n',
};

/** The names of the runs that are ended as a whole: their steps have answers, in nested runs, items and a batch. */
const CUT = `execution: dag
steps:
  - {id: inner, workflow: leaf}
  - {id: each, foreach: [1, 2], steps: [{id: said, agent: helper, prompt: say}, {id: hang, ask: Go on?}]}
  - {id: batch, foreach: [${LIST}], when: "\${item < 2}", workflow: leaf}
`;
DEFINITIONS['cut'] = CUT;

let project: Project;
let endpoint: ModelEndpoint;
let client: Client;
beforeAll(async () => {
  endpoint = await startModelEndpoint(({ prompt, results: { count } }) => {
    const usage = { input: 1_000, output: 100 };
    return prompt.includes('talk') && count === 0
      ? { tools: [{ name: 'list_files', input: {} }], usage }
      : { text: 'said', usage };
  });
  const workflows = Object.entries(DEFINITIONS).map(([name, steps]): [string, string] => [
    `definitions/workflows/${name}.yml`,
    `name: ${name}\n${steps}`,
  ]);
  project = await openProject(
    {
      'definitions/agents/helper.yml': 'name: helper\nprompt: You help.\n',
      'definitions/agents/talker.yml': 'name: talker\nprompt: You talk.\ntools: [list_files]\n',
      ...Object.fromEntries(workflows),
    },
    { ANTHROPIC_API_KEY: 'test', ANTHROPIC_BASE_URL: endpoint.url },
  );
  expect((await project.run('server', 'start')).code).toBe(0);
  const { address } = JSON.parse((await project.run('server', 'status', '--json')).stdout) as { address: string };
  client = new Client({ connection: await Connection.connect({ address }) });
});
afterAll(async () => {
  await client.connection.close();
  await project.close();
  await endpoint.close();
});

describe('what a terminated nested run has cost', () => {
  it.each([
    // `first`, two turns of `asked`, `deep`.
    ['nested', 'nested/inner', 4],
    // `deep` in both tries of `more`.
    ['retried', 'retried/inner', 2],
    // The items 0 and 1 of a batch.
    ['batches', 'batches/inner/0-199', 2],
  ])('counts in the run that started it, in its page of results and in the list: %s', async (name, below, answers) => {
    const started = await project.run('run', name, '--id', name, '--detach', '--json');
    expect(started.code, started.stdout).toBe(0);
    await expect.poll(async () => (await project.run('list', '--waiting')).stdout).toContain(`${name}/inner`);
    await client.workflow.getHandle(below).terminate('by hand');
    const { code } = await project.run('watch', name);
    const shown = JSON.parse((await project.run('show', name, '--json')).stdout) as RunResult;
    const listed = JSON.parse((await project.run('list', '--status', 'error', '--json')).stdout) as {
      run: string;
      usd: number;
    }[];
    expect([code, shown.status]).toEqual([1, 'error']);
    expect(shown.spend).toMatchObject({ tokens: answers * TOKENS });
    expect(shown.spend.usd).toBeGreaterThan(0);
    // How its own steps stood when it was ended is written nowhere.
    const tree = (await project.run('show', name)).stdout;
    expect(tree).toMatch(name === 'nested' ? /\? .*asked.*not known/ : /inner/);
    expect(tree).not.toContain('○');
    expect(listed).toContainEqual(expect.objectContaining({ run: name, usd: shown.spend.usd }));
  });
});

describe('what a run has cost that was ended as a whole', () => {
  const tokens = 5 * TOKENS;
  const answered = async (run: string): Promise<void> =>
    expect.poll(async () => shownOf((await project.run('show', run, '--json')).stdout).spend.tokens).toBe(tokens);

  it('counts where it was terminated, and no step of it is told to go on', async () => {
    const following = project.start('run', 'cut', '--id', 'killed', '--json');
    await answered('killed');
    await client.workflow.getHandle('killed').terminate('by hand');
    const { stdout: followed } = await following.finished;
    const { stdout: read } = await project.run('show', 'killed', '--json');
    for (const text of [followed, read]) {
      expect(shownOf(text)).toMatchObject({ status: 'cancelled', spend: { tokens } });
      expect(text).not.toMatch(/"status": ?"(running|waiting|pending)"/);
    }
    expect((await project.run('show', 'killed')).stdout).toMatch(/\? .*batch.*not known/);
  });

  it('is the same for who follows a run that is cancelled as in its record', async () => {
    const following = project.start('run', 'cut', '--id', 'cancelled', '--json');
    await answered('cancelled');
    expect((await project.run('cancel', 'cancelled')).code).toBe(0);
    const followed = shownOf((await following.finished).stdout);
    const { status, error, spend } = shownOf((await project.run('show', 'cancelled', '--json')).stdout);
    expect(followed).toMatchObject({ status, error, spend });
    expect(spend.tokens).toBe(tokens);
  });
});

function shownOf(text: string): RunResult {
  return JSON.parse(text) as RunResult;
}
