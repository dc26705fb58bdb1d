// @module-tag postgres
// @module-tag git
// @module-tag sandbox
// @seconds 80
import { expect, it, onTestFinished } from 'vitest';
import { startModelEndpoint } from '../../../fakes/model-endpoint.js';
import type { Project } from '../../project.js';
import { kill, until } from '../../project.js';
import { backups } from './backups.js';
import { endOf, openMachine, openShared, startWorker } from '../machines.js';

const FLOW = `name: flow
workspace: worktree
steps:
  - id: first
    approval: First?
  - id: ask
    agent: general-purpose
    prompt: What now?
  - id: write
    command: [sh, -c, "echo line >> made.txt"]
    commit: Write
  - id: second
    approval: Second?
  - id: last
    command: [cat, made.txt]
    requires: {labels: [gpu]}
`;
const FAR = `name: far
steps:
  - command: [echo, far]
    effect: none
    requires: {labels: [far]}
`;
async function asks(project: Project, gate: string): Promise<void> {
  await until(async () => (await project.run('list', '--waiting')).stdout.includes(gate));
}

function statusIn({ stdout }: { stdout: string }, run: string): string | undefined {
  const runs = JSON.parse(stdout) as { run: string; status: string }[];
  return runs.find((listed) => listed.run === run)?.status;
}

async function approve(project: Project, gate: string): Promise<void> {
  await asks(project, gate);
  expect(await project.run('approve', gate)).toMatchObject({ code: 0 });
}

it('tells what is lost when one of the pair is restored to an earlier moment, and goes on with the rest', async () => {
  const shared = await openShared();
  onTestFinished(shared.close);
  const endpoint = await startModelEndpoint(() => ({ text: 'An answer.' }));
  onTestFinished(() => endpoint.close());
  const url = await shared.postgres.createDatabase();
  const keys = { ANTHROPIC_API_KEY: 'test-key', ANTHROPIC_BASE_URL: endpoint.url };
  const env = { TEAM_STORE: url, TEMPORAL_ADDRESS: shared.address, ...keys };
  const files = { 'flow.yml': FLOW, 'far.yml': FAR };
  const [one, other] = [await openMachine(files, env), await openMachine(files, env)];
  const { take, restoreStore, restoreServer } = backups(shared, url);
  const begin = async (id: string, definition = 'flow.yml'): Promise<void> =>
    void expect(await one.run('run', definition, '--id', id, '--detach')).toMatchObject({ code: 0 });

  let worker = await startWorker(one, '--labels', 'gpu');
  // At once: both want the queue of this worker alone.
  await Promise.all(['closes', 'moves'].map((id) => begin(id)));
  for (const id of ['closes', 'moves']) await asks(one, `${id}/first`);
  await take('before');
  for (const id of ['closes', 'moves']) await approve(one, `${id}/first`);
  await approve(one, 'closes/second');
  expect(await endOf(one, 'closes')).toMatchObject({ status: 'success', output: 'line' });
  await asks(one, 'moves/second');
  await begin('waits', 'far.yml');
  await until(async () => (await one.run('list')).stdout.includes('a worker with the label `far`'));
  await take('after');

  kill(worker.pid);
  await worker.finished;
  await restoreStore('before');
  worker = await startWorker(other, '--labels', 'gpu,far');
  await approve(other, 'moves/second');
  expect(await endOf(other, 'moves')).toMatchObject({ status: 'error' });
  expect((await other.run('show', 'moves')).stdout.replace(/\s+/g, ' ')).toContain(
    'was brought back to a moment before',
  );
  const unrecorded = expect.stringContaining('The store has no record of the end of `closes`') as string;
  expect(await other.run('show', 'closes')).toMatchObject({ code: 0, stdout: unrecorded });
  expect(await other.run('workspace', 'show', 'closes')).toMatchObject({ code: 1, stderr: unrecorded });
  // Its plan is lost, and it ends: a worker has taken its step, though the store was not told of the label.
  await until(async () => statusIn(await other.run('list', '--json'), 'waits') === 'error');
  expect(await other.run('show', 'waits')).toMatchObject({ code: 3, stderr: expect.stringContaining('is missing') });

  kill(worker.pid);
  await worker.finished;
  await restoreServer('before');
  await restoreStore('after');
  worker = await startWorker(other, '--labels', 'gpu');
  for (const id of ['closes', 'moves']) {
    await approve(other, `${id}/first`);
    await approve(other, `${id}/second`);
    expect(await endOf(other, id)).toMatchObject({ status: 'success', output: 'line' });
  }
  expect(endpoint.requests).toHaveLength(2);
});
