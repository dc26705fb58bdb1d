// @module-tag postgres
// @seconds 25
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { startModelEndpoint } from '../../fakes/model-endpoint.js';
import type { Project } from '../project.js';
import { openProject } from '../project.js';
import type { PostgresServer } from './server.js';
import { startPostgres } from './server.js';

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.remove());

const FLOW = `name: flow
inputs: {word: {type: string, default: one}}
steps:
  - {id: ask, agent: general-purpose, prompt: "Say it."}
  - {id: count, command: [sh, -c, "echo counted >&2; echo 3"], reads: []}
  - {id: fails, command: [sh, -c, "test ! -e broken || exit 4"], reads: [broken]}
  - {id: last, agent: general-purpose, prompt: "Sum up \${steps.count.output} and \${steps.ask.output}, \${word}."}
output: \${steps.last.output}
`;

/** What a rerun has taken over, and what it came to. */
async function rerun(project: Project, ...args: string[]): Promise<{ status: string; reused: string[] }> {
  const { stdout, stderr } = await project.run('rerun', ...args, '--json');
  expect(stdout, stderr).not.toBe('');
  const { status, steps } = JSON.parse(stdout) as { status: string; steps: { path: string; reused: boolean }[] };
  return { status, reused: steps.filter(({ reused }) => reused).map(({ path }) => path) };
}

it('a rerun takes over what a run of the same database has done, from any machine, and pays once', async () => {
  const url = await server.createDatabase();
  const endpoint = await startModelEndpoint(({ prompt }) => ({ text: `answer to ${prompt.length}` }));
  onTestFinished(() => endpoint.close());
  const env = { TEAM_STORE: url, ANTHROPIC_API_KEY: 'test-key', ANTHROPIC_BASE_URL: endpoint.url };
  const files = { 'perdure.yml': 'store: {postgres: "${env.TEAM_STORE}"}\n', 'flow.yml': FLOW };
  const here = await openProject({ ...files, broken: '' }, env);
  onTestFinished(() => here.close());
  expect((await here.run('run', 'flow.yml', '--id', 'first', '--json')).code).toBe(1);
  expect(endpoint.requests).toHaveLength(1);
  // Steps that work in a project's folder are refused where workers have several.
  expect((await here.run('server', 'stop')).code).toBe(0);
  const there = await openProject(files, env);
  onTestFinished(() => there.close());
  expect(await rerun(there, 'first', '--id', 'second')).toEqual({ status: 'success', reused: ['ask', 'count'] });
  expect(endpoint.requests).toHaveLength(2);
  expect((await there.run('server', 'stop')).code).toBe(0);
  rmSync(join(here.folder, 'broken'));
  expect(await rerun(here, 'second', '--id', 'third', '--from', 'last')).toMatchObject({ status: 'success' });
  expect(endpoint.requests).toHaveLength(3);
  const [one, other] = await Promise.all([here.run('show', 'second', '--json'), there.run('show', 'second', '--json')]);
  expect(one.stdout).toBe(other.stdout);
});
