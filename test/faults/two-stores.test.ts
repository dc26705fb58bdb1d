// @seconds 10
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Project, Running } from './project.js';
import { kill, openProject, until } from './project.js';

const WORKFLOW = 'name: hello\nsteps:\n  - command: [echo, hello]\n';

/** What a command has printed to stderr so far. */
function told({ process: child }: Running): () => string {
  let text = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  return () => text;
}

describe('workers of two stores on one queue', () => {
  it('never poll it both, also where they start at once: one refuses, and the other does its runs', async () => {
    const server = await openProject({ 'hello.yml': WORKFLOW }, { PERDURE_HOST_IDLE_MS: '600000' });
    onTestFinished(() => server.close());
    expect((await server.run('run', 'hello.yml', '--json')).code).toBe(0);
    const status = JSON.parse(
      await until(async () => (await server.run('server', 'status', '--json')).stdout.trim()),
    ) as { address: string };
    const open = (): Promise<Project> =>
      openProject({ 'perdure.yml': 'task_queue: team\n', 'hello.yml': WORKFLOW }, { TEMPORAL_ADDRESS: status.address });
    const projects = await Promise.all([open(), open()]);
    for (const project of projects) onTestFinished(() => project.close());
    const workers = projects.map((project) => project.start('worker'));
    const words = workers.map(told);
    for (const worker of workers)
      onTestFinished(() => {
        kill(worker.process.pid ?? 0, 'SIGTERM');
      });
    await until(
      () =>
        workers.filter((worker, index) => worker.process.exitCode !== null || words[index]?.().includes('Ready'))
          .length === 2,
    );
    const refused = workers.findIndex((worker) => worker.process.exitCode !== null);
    expect(workers.map((worker) => worker.process.exitCode).sort()).toEqual([3, null]);
    expect(words[refused]?.()).toMatch(
      /The task queue `team` is polled by workers of the store `[a-z2-7]{8}`, and this is the store `[a-z2-7]{8}`\./,
    );
    const winner = projects[1 - refused];
    expect((await winner?.run('run', 'hello.yml', '--json'))?.code).toBe(0);
    const late = await projects[refused]?.run('worker');
    expect(late?.code).toBe(3);
  });
});
