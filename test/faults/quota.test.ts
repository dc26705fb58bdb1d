// @seconds 90
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { QuotaShare } from '../../src/cli/forecast/quota-state.js';
import type { ModelEndpoint } from '../fakes/model-endpoint.js';
import { startModelEndpoint } from '../fakes/model-endpoint.js';
import type { Project } from './project.js';
import { kill, openProject, until } from './project.js';
import { random } from './seed.js';
import { signedIn, startUi } from '../tools/pages.js';

/** As many tokens as an answer may have: what is set aside for a call is hardly more than what it costs. */
const OUTPUT = 16_000;
/** Dollars. */
const QUOTA = 0.7;
const RUNS = ['one', 'two', 'three'];
const next = random('quota');

const config = (usd: number, more = ''): string => `quota: {max_cost_usd_per_day: ${usd}${more}}\n`;
const ASKS = `name: asks
execution: parallel
inputs: {who: {type: string}}
steps:
  - {agent: plain, prompt: "\${who} asks first"}
  - {agent: general-purpose, prompt: "\${who} asks second"}
  - {agent: plain, prompt: "\${who} asks third"}
`;

async function open(
  usd: number,
  { more = '', until: held }: { more?: string; until?: (call: number) => Promise<void> | undefined } = {},
): Promise<{ project: Project; endpoint: ModelEndpoint }> {
  const endpoint = await startModelEndpoint(({ call }) => {
    const answer = { text: 'fine', usage: { input: 0, output: OUTPUT } };
    const wait = held?.(call);
    return wait === undefined ? answer : { ...answer, until: wait, rest: '' };
  });
  onTestFinished(() => endpoint.close());
  const project = await openProject(
    {
      'perdure.yml': config(usd, more),
      'definitions/agents/plain.yml': 'name: plain\ndescription: Answers.\nprompt: You answer.\n',
      'definitions/workflows/asks.yml': ASKS,
    },
    { ANTHROPIC_API_KEY: 'test-key', ANTHROPIC_BASE_URL: endpoint.url },
  );
  onTestFinished(() => project.close());
  return { project, endpoint };
}

interface Shown {
  status: string;
  spend: { usd: number };
  budget: { paused?: { cause: string; message: string } };
}
const shown = async (project: Project, run: string): Promise<Shown> =>
  JSON.parse((await project.run('show', run, '--json')).stdout) as Shown;
const spentBy = async (project: Project, runs: string[]): Promise<number> => {
  let sum = 0;
  for (const run of runs) sum += (await shown(project, run)).spend.usd;
  return sum;
};
const shares = async (project: Project): Promise<QuotaShare[]> =>
  (JSON.parse((await project.run('stats', '--json')).stdout) as { quota: { shares: QuotaShare[] } }).quota.shares;
/** What calls have taken of today's quota. */
const taken = async (project: Project): Promise<number> =>
  (await shares(project)).filter(({ user }) => user === null).reduce((sum, { used, held }) => sum + used + held, 0);
const submit = async (project: Project, run: string, by = 'ana'): Promise<void> =>
  void (await project.run('run', 'asks', '--id', run, '-i', `who=${run}`, '--as', by, '--detach'));
/** Waits until each run has come to one of these, and gives those that are paused. */
const settled = (project: Project, runs: string[], ...statuses: string[]): Promise<string[]> =>
  until(async () => {
    const paused: string[] = [];
    for (const run of runs) {
      const { status } = await shown(project, run);
      if (!statuses.includes(status)) return null;
      if (status === 'paused') paused.push(run);
    }
    return paused;
  });

it('is not passed by runs at once, over a host that is killed, and lets them go on once it is raised', async () => {
  const { project, endpoint } = await open(QUOTA);
  await Promise.all(RUNS.map((run) => submit(project, run)));
  await endpoint.arrival(1 + Math.floor(next() * 3));
  const { host } = await project.pids();
  kill(host ?? 0);
  expect((await project.run('server', 'start')).code).toBe(0);
  // One of them may have had all its calls before.
  const paused = await settled(project, RUNS, 'paused', 'success');
  const [first = ''] = paused;
  expect(paused.length).toBeGreaterThan(1);
  expect(await spentBy(project, RUNS)).toBeLessThanOrEqual(QUOTA);
  expect(await taken(project)).toBeLessThanOrEqual(QUOTA);
  const { stdout } = await project.run('show', first);
  const told = /paused: the next call may cost \$(\S+) and \$(\S+) is left of today's quota of \$0\.70\./.exec(stdout);
  const [, needed, left] = (told ?? []).map(Number);
  expect(needed, stdout).toBeGreaterThan(left ?? Infinity);
  expect(left).toBeCloseTo(QUOTA - (await taken(project)), 1);
  expect(stdout).toContain(`perdure resume ${first}`);

  expect((await project.run('resume', first)).code).toBe(0);
  await settled(project, [first], 'paused');
  const ui = await startUi(project);
  await writeFile(join(project.folder, 'perdure.yml'), config(10));
  const { send } = await signedIn(ui.link);
  expect(await send(`${ui.origin}/runs/${first}/steer`, { wish: 'resume' })).toBe(303);
  for (const run of paused.slice(1)) expect((await project.run('resume', run)).code).toBe(0);
  await settled(project, RUNS, 'success');
  const [now] = await shares(project);
  expect(now).toMatchObject({ user: null, held: 0, most: 10 });
  // A call that was asked again after the kill counts once, as in the budget of its run.
  expect(now?.used).toBeCloseTo(await spentBy(project, RUNS), 5);
  expect(now?.used).toBeGreaterThan(2 * QUOTA);
  ui.running.process.kill('SIGINT');
  await ui.running.finished;
});

/** Dollars: room for some calls at once. */
const MORE = 1.3;

it('is passed by no more than what was under way when hosts were killed, however often', async () => {
  // The first answer comes at once, and no other one before the last kill.
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  const { project, endpoint } = await open(MORE, { until: (call) => (call === 1 ? undefined : released) });
  await submit(project, RUNS[0] ?? '');
  await until(async () => (await shares(project))[0]?.used);
  const [{ used: price = 0 } = {}] = await shares(project);
  await Promise.all(RUNS.slice(1).map((run) => submit(project, run)));
  let lost = 0;
  for (let kills = 0; kills < 2; kills += 1) {
    const known = lost;
    await until(() => endpoint.requests.length > known + 1);
    const { host } = await project.pids();
    kill(host ?? 0);
    await until(async () => (await project.run('server', 'status')).code === 3);
    // What is under way has been set aside: it is never more than the quota.
    lost = endpoint.requests.length - 1;
    expect(await taken(project)).toBeLessThanOrEqual(MORE);
    expect((await project.run('server', 'start')).code).toBe(0);
  }
  await endpoint.arrival(lost + 2);
  release();
  await settled(project, RUNS, 'paused', 'success');
  const answered = endpoint.requests.length - lost;
  expect(answered).toBeGreaterThan(1);
  expect(answered * price).toBeLessThanOrEqual(MORE);
  // Questions are of different length, which costs little.
  expect(await spentBy(project, RUNS)).toBeCloseTo(answered * price, 1);
  expect(await taken(project)).toBeCloseTo(answered * price, 1);
});

it('is for each who submits apart, and ends what is not to wait', async () => {
  const { project, endpoint } = await open(10, { more: ', max_cost_usd_per_user_per_day: 0.5' });
  await writeFile(
    join(project.folder, 'definitions', 'workflows', 'asks.yml'),
    `${ASKS}budgets: {on_exhausted: {max_cost_usd: stop}}\n`,
  );
  await submit(project, 'hers', 'ana');
  await submit(project, 'his', 'bo');
  await settled(project, ['hers', 'his'], 'partial');
  for (const run of ['hers', 'his']) expect((await shown(project, run)).spend.usd).toBeLessThanOrEqual(0.5);
  expect(await shares(project)).toMatchObject([{ user: null }, { user: 'ana', most: 0.5 }, { user: 'bo', most: 0.5 }]);
  expect(endpoint.requests.length).toBeGreaterThan(1);
});
