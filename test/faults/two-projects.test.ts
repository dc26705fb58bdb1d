// @seconds 30
import { beforeAll, afterAll, describe, expect, it } from 'vitest';
import type { Project, Running } from './project.js';
import { kill, openProject, until } from './project.js';

const ASK = 'name: ask\nsteps:\n  - id: ok\n    approval: Deploy it?\n';

let [server, own, other]: Project[] = [];
const workers: Running[] = [];
beforeAll(async () => {
  server = await openProject({ 'ask.yml': ASK }, { PERDURE_HOST_IDLE_MS: '600000' });
  await server.run('run', 'ask.yml', '--id', 'at-server', '--detach');
  const status = JSON.parse(
    await until(async () => ((await server?.run('server', 'status', '--json'))?.stdout ?? '').trim()),
  ) as { address: string };
  [own, other] = await Promise.all(
    [1, 2].map(() => openProject({ 'ask.yml': ASK }, { TEMPORAL_ADDRESS: status.address })),
  );
  for (const project of [own, other]) {
    const worker = project?.start('worker');
    if (worker === undefined) continue;
    workers.push(worker);
    let text = '';
    worker.process.stderr?.on('data', (chunk: Buffer) => (text += chunk.toString()));
    await until(() => text.includes('Ready'));
  }
  expect((await own?.run('run', 'ask.yml', '--id', 'mine', '--no-wait'))?.code).toBe(EXIT_WAITING);
  expect((await other?.run('run', 'ask.yml', '--id', 'theirs', '--no-wait'))?.code).toBe(EXIT_WAITING);
}, 120_000);
afterAll(async () => {
  for (const { process: worker } of workers) kill(worker.pid ?? 0, 'SIGTERM');
  for (const project of [own, other]) await project?.close();
  await server?.close();
});

const EXIT_WAITING = 4;

async function idsAt(project: Project | undefined): Promise<string[]> {
  const { stdout = '' } = (await project?.run('list', '--json')) ?? {};
  return (JSON.parse(stdout) as { run: string }[]).map(({ run }) => run);
}

describe('projects that share a namespace', () => {
  it('list their own runs and gates alone', async () => {
    expect(await idsAt(own)).toEqual(['mine']);
    expect(await idsAt(other)).toEqual(['theirs']);
    expect(await idsAt(server)).toEqual(['at-server']);
    const waiting = (await own?.run('list', '--waiting'))?.stdout;
    expect(waiting).toContain('mine');
    expect(waiting).not.toMatch(/theirs|at-server/);
  });

  it.each([
    ['show'],
    ['watch'],
    ['approve'],
    ['reject', '--comment', 'no'],
    ['cancel'],
    ['pause'],
    ['resume'],
    ['rerun'],
  ])('%s refuses a run of the other one in a sentence', async (command, ...more) => {
    const refused = await own?.run(command, 'theirs', ...more);
    expect(refused?.stderr).toMatch(/The run `theirs` is of another project on this server; the store here is/);
    expect(refused?.code).toBe(2);
  });

  it('let each decide its own afterwards', async () => {
    expect((await other?.run('show', 'theirs', '--json'))?.stdout).toContain('"waiting"');
    expect((await other?.run('approve', 'theirs'))?.code).toBe(0);
  });
});
