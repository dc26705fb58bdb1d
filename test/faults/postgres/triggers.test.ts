// @module-tag postgres
// @seconds 20
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { kill, openProject, until } from '../project.js';
import type { PostgresServer } from './server.js';
import { startPostgres } from './server.js';

const FILES = {
  'perdure.yml': 'store: {postgres: "${env.TEAM_STORE}"}\n',
  'definitions/workflows/yearly.yml':
    'name: yearly\nschedule: {cron: "@yearly", inputs: {due: "${event.time}"}}\n' +
    'inputs: {due: {type: string}}\nsteps:\n  - command: [sh, -c, \'sleep 0.5; echo "$0"\', "${due}"]\n',
  'definitions/workflows/after.yml':
    'name: after\non: {run: {definition: yearly, inputs: {due: "${event.output}"}}}\n' +
    'inputs: {due: {type: string}}\nsteps:\n  - command: [echo, "after ${due}"]\n',
};

interface Run {
  run: string;
  definition: string;
  status: string;
  description?: string;
}

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.remove());

it('starts runs by schedules and after others where the store is a database, over a host that is killed', async () => {
  const project = await openProject(FILES, { TEAM_STORE: await server.createDatabase() });
  onTestFinished(() => project.close());
  expect((await project.run('schedules', 'sync')).code).toBe(0);
  const { stdout } = await project.run('schedules', 'trigger', 'yearly');
  const first = stdout.trim();
  const { host } = await project.pids();
  kill(host ?? 0);
  expect((await project.run('server', 'start')).code).toBe(0);
  const second = await until(async () => {
    const runs = JSON.parse((await project.run('list', '--json')).stdout) as Run[];
    expect(runs.length).toBeLessThan(3);
    return runs.find(({ definition, status }) => definition === 'after' && status === 'success');
  });
  expect(second.description).toBe(`after ${first}`);
  const shown = JSON.parse((await project.run('show', second.run, '--json')).stdout) as { output: string };
  expect(shown.output).toMatch(/^after \d{4}-/);
  expect(existsSync(join(project.folder, '.perdure', 'followers.json'))).toBe(false);
});
