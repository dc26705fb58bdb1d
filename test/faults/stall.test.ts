import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ModelEndpoint } from '../fakes/model-endpoint.js';
import { startModelEndpoint } from '../fakes/model-endpoint.js';
import type { Outsider } from '../hostile/connect.js';
import { connect } from '../hostile/connect.js';
import type { Project, Running } from './project.js';
import { openProject, until } from './project.js';

const WORKFLOWS = {
  ask: 'name: ask\nsteps:\n  - agent: general-purpose\n    id: answer\n    prompt: the question\n',
  // Tells when another one is at work at the same time.
  work: `name: work
steps:
  - id: work
    command:
      - sh
      - -c
      - |
        mkdir busy || echo twice >> lines.txt
        echo start >> lines.txt; until [ -f finish.txt ]; do sleep 0.1; done; rmdir busy; echo done >> lines.txt
`,
};
const RUNS = Object.keys(WORKFLOWS) as (keyof typeof WORKFLOWS)[];

let project: Project;
let endpoint: ModelEndpoint;
let outsider: Outsider;
let answer = (): void => undefined;
const running: Running[] = [];

/** The activity that a run waits for, as the server knows it. */
async function activityOf(run: string): Promise<{ attempt: number; beat: string }> {
  const { raw } = await outsider.client.workflow.getHandle(run).describe();
  const { attempt = 0, lastHeartbeatTime } = raw.pendingActivities?.[0] ?? {};
  return { attempt: attempt ?? 0, beat: JSON.stringify(lastHeartbeatTime ?? null) };
}

/** Lets the worker stand still, as on a laptop that sleeps, until the server has given up all that it does. */
async function stall(): Promise<void> {
  const { host } = await project.pids();
  if (host === null) throw new Error('There is no host.');
  process.kill(host, 'SIGSTOP');
  try {
    for (const run of RUNS) await until(async () => (await activityOf(run)).attempt >= 2);
  } finally {
    process.kill(host, 'SIGCONT');
  }
}

/**
 * The worker was told that nobody waits for the first start any more: a heartbeat of the second came after it went on.
 */
async function isTold(run: string): Promise<void> {
  const { beat } = await activityOf(run);
  const second = await until(async () => {
    const now = (await activityOf(run)).beat;
    return now === beat ? null : now;
  });
  await until(async () => (await activityOf(run)).beat !== second);
}

async function ended(run: string): Promise<unknown> {
  const { code, stdout, stderr } = await project.run('run', `definitions/workflows/${run}.yml`, '--id', run, '--json');
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout);
}

beforeAll(async () => {
  const asked = new Promise<void>((resolve) => {
    answer = resolve;
  });
  endpoint = await startModelEndpoint(() => ({ text: 'the ', until: asked, rest: 'answer' }));
  const files = Object.entries(WORKFLOWS).map(([name, text]) => [`definitions/workflows/${name}.yml`, text]);
  project = await openProject(Object.fromEntries(files) as Record<string, string>, {
    ANTHROPIC_API_KEY: 'test-key',
    ANTHROPIC_BASE_URL: endpoint.url,
  });
  running.push(...RUNS.map((run) => project.start('run', `definitions/workflows/${run}.yml`, '--id', run, '--json')));
  await endpoint.arrival(1);
  await until(async () => (await project.read('lines.txt')).includes('start'));
  outsider = await connect(project);
  await stall();
});
afterAll(async () => {
  await outsider.close();
  await project.close();
  await Promise.all(running.map(({ finished }) => finished));
  await endpoint.close();
});

describe('a worker that stood still for longer than a lost one may', () => {
  it('pays a model once that was answering meanwhile', async () => {
    await isTold('ask');
    answer();
    expect(await ended('ask')).toMatchObject({ status: 'success' });
    expect(endpoint.requests.length).toBe(1);
  });

  it('neither ends nor repeats a command that went on meanwhile', async () => {
    await isTold('work');
    await writeFile(join(project.folder, 'finish.txt'), '');
    expect(await ended('work')).toMatchObject({ status: 'success' });
    expect(await project.read('lines.txt')).toBe('start\ndone\n');
  });
});
