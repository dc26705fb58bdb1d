// @module-tag postgres
// @seconds 40
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import type { Project } from '../project.js';
import { openProject } from '../project.js';
import type { Shared } from './machines.js';
import { openShared, startWorker } from './machines.js';

const FILES = {
  'perdure.yml': 'task_queue: team\nstore: {postgres: "${env.TEAM_STORE}"}\n',
  'hello.yml': 'name: hello\nsteps:\n  - command: [echo, hello]\n    effect: none\n',
};

let shared: Shared;
beforeAll(async () => {
  shared = await openShared();
});
afterAll(() => shared.close());

async function storeOf(project: Project): Promise<string> {
  return (JSON.parse((await project.run('store', 'status', '--json')).stdout) as { store: string }).store;
}

async function ready(project: Project): Promise<void> {
  expect((await startWorker(project)).said()).toContain('Ready');
}

it('workers of two databases never share a queue: worker and run are refused, with both ids', async () => {
  const open = async (env: Record<string, string> = {}): Promise<Project> => {
    const own = { TEAM_STORE: await shared.postgres.createDatabase(), TEMPORAL_ADDRESS: shared.address, ...env };
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
