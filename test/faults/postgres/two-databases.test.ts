// @module-tag postgres
// @seconds 40
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import type { Project } from '../project.js';
import { kill, openProject, until } from '../project.js';
import type { PostgresServer } from './server.js';
import { startPostgres } from './server.js';

const FILES = {
  'perdure.yml': 'task_queue: team\nstore: {postgres: "${env.TEAM_STORE}"}\n',
  'hello.yml': 'name: hello\nsteps:\n  - command: [echo, hello]\n    effect: none\n',
};

let server: PostgresServer;
let home: Project;
beforeAll(async () => {
  server = await startPostgres();
  home = await openProject({}, { PERDURE_HOST_IDLE_MS: '600000' });
  await home.run('server', 'start');
});
afterAll(async () => {
  await home.close();
  await server.remove();
});

async function storeOf(project: Project): Promise<string> {
  return (JSON.parse((await project.run('store', 'status', '--json')).stdout) as { store: string }).store;
}

async function ready(project: Project): Promise<void> {
  const { process: child } = project.start('worker');
  let said = '';
  child.stderr?.on('data', (chunk: Buffer) => (said += chunk.toString()));
  onTestFinished(() => {
    kill(child.pid ?? 0);
  });
  await until(() => said.includes('Ready') || child.exitCode !== null);
  expect(said).toContain('Ready');
}

it('workers of two databases never share a queue: worker and run are refused, with both ids', async () => {
  const { address } = JSON.parse((await home.run('server', 'status', '--json')).stdout) as { address: string };
  const open = async (env: Record<string, string> = {}): Promise<Project> => {
    const own = { TEAM_STORE: await server.createDatabase(), TEMPORAL_ADDRESS: address, ...env };
    const project = await openProject(FILES, own);
    onTestFinished(() => project.close());
    return project;
  };
  const [one, other, apart] = [await open(), await open(), await open({ TEMPORAL_NAMESPACE: 'apart' })];
  const ids = [await storeOf(one), await storeOf(other)];
  expect(new Set(ids).size).toBe(2);
  await ready(one);
  for (const refused of [await other.run('worker'), await other.run('run', 'hello.yml')]) {
    expect(refused.code).toBe(3);
    expect(refused.stderr).toContain(
      `\`team\` is polled by workers of the store \`${ids[0] ?? ''}\`, and this is the store \`${ids[1] ?? ''}\`.`,
    );
  }
  expect((await one.run('run', 'hello.yml')).code).toBe(0);
  // A queue of the same name in another namespace is another queue.
  expect((await apart.run('setup')).code).toBe(0);
  await ready(apart);
  expect((await apart.run('run', 'hello.yml')).code).toBe(0);
});
