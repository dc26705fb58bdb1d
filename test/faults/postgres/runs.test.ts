// @module-tag postgres
// @seconds 90
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { ModelEndpoint } from '../../fakes/model-endpoint.js';
import { startModelEndpoint } from '../../fakes/model-endpoint.js';
import type { PostgresServer } from './server.js';
import { PASSWORD, startPostgres } from './server.js';
import type { Project, Running } from '../project.js';
import { kill, openProject, projectAt, until } from '../project.js';

const FLOW = `name: flow
steps:
  - id: slow
    command: [sh, -c, "echo begun; while [ ! -e go ]; do sleep 0.1; done; echo over"]
    timeout: 120s
  - id: ask
    agent: general-purpose
    prompt: "Look at \${steps.slow.output}"
  - id: leave
    approval: "Is \${steps.ask.output} right?"
  - id: last
    command: [echo, "\${steps.ask.output}"]
`;
const CONFIG = 'store: {postgres: "${env.TEAM_STORE}"}\n';

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.remove());

/** What a run has come to, as `show --json` tells it. */
async function shown(
  project: Project,
  run: string,
): Promise<{ status: string; output: unknown; steps: { status: string }[] } | null> {
  const { stdout } = await project.run('show', run, '--json');
  return stdout === ''
    ? null
    : (JSON.parse(stdout) as { status: string; output: unknown; steps: { status: string }[] });
}

function told({ process: child }: Running): () => string {
  let text = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  return () => text;
}

async function endpointThat(answer: () => Promise<unknown>): Promise<ModelEndpoint> {
  const endpoint = await startModelEndpoint(() => ({ text: 'fine', until: answer().then(() => undefined), rest: '' }));
  onTestFinished(() => endpoint.close());
  return endpoint;
}

describe('a run whose store is PostgreSQL', () => {
  it('ends right when that and its host are killed in between, asks once, and is shown from the database', async () => {
    const url = await server.createDatabase();
    const endpoint = await endpointThat(() => Promise.resolve());
    const env = { TEAM_STORE: url, ANTHROPIC_API_KEY: 'test-key', ANTHROPIC_BASE_URL: endpoint.url };
    const project = await openProject({ 'perdure.yml': CONFIG, 'flow.yml': FLOW }, env);
    onTestFinished(() => project.close());
    expect((await project.run('run', 'flow.yml', '--id', 'one', '--detach')).code).toBe(0);
    await until(async () => (await project.run('logs', 'one', 'slow')).stdout.includes('begun'));
    // The tests' own commands have it, as a person's shell has.
    const ours = execFileSync('ps', ['eww', '-o', 'args=', '-p', String((await project.pids()).host)]).toString();
    expect(ours).toMatch(/^perdure-host .*PERDURE_TEST_RUN=/);
    expect(ours).not.toContain(PASSWORD);
    await server.kill();
    const away = await project.run('list');
    expect([away.code, away.stderr]).toEqual([3, expect.stringContaining('is not reached')]);
    writeFileSync(join(project.folder, 'go'), '');
    await server.start();
    await until(async () => (await shown(project, 'one'))?.steps[2]?.status === 'waiting');
    const { host } = await project.pids();
    kill(host ?? 0);
    expect((await project.run('approve', 'one')).code).toBe(0);
    await until(async () => (await shown(project, 'one'))?.status === 'success');
    expect(endpoint.requests).toHaveLength(1);
    expect((await project.run('server', 'stop')).code).toBe(0);
    expect(await shown(project, 'one')).toMatchObject({ status: 'success', output: 'fine' });
    expect((await project.run('list', '--json')).stdout).toContain('"one"');
    expect((await project.run('logs', 'one', 'slow')).stdout).toContain('over');
    expect(existsSync(join(project.folder, '.perdure', 'journal'))).toBe(false);
    expect(spawnSync('grep', ['-rlF', PASSWORD, project.folder], { encoding: 'utf8' }).stdout).toBe('');
  });

  it('goes on elsewhere when the worker that asks is killed: one question more, which is told', async () => {
    const url = await server.createDatabase();
    let answering: () => Promise<unknown> = () => new Promise(() => undefined);
    const endpoint = await endpointThat(() => answering());
    const keys = { ANTHROPIC_API_KEY: 'test-key', ANTHROPIC_BASE_URL: endpoint.url };
    const home = await openProject({}, { PERDURE_HOST_IDLE_MS: '600000' });
    onTestFinished(() => home.close());
    await home.run('server', 'start');
    const { address } = JSON.parse((await home.run('server', 'status', '--json')).stdout) as { address: string };
    const env = { ...keys, TEAM_STORE: url, TEMPORAL_ADDRESS: address };
    const flow = FLOW.replace(/ {2}- id: slow[^]*?timeout: 120s\n/, '')
      .replace('${steps.slow.output}', 'it')
      .replace(/ {2}- id: leave\n.*\n/, '')
      .replace('general-purpose', 'asker');
    const files = {
      'perdure.yml': CONFIG,
      'flow.yml': `${flow}    effect: none\n`, // no files: each machine has its own
      'definitions/agents/asker.yml': 'name: asker\ndescription: Asks\ntools: []\nprompt: You look.\n',
    };
    const machines = await Promise.all([0, 1].map(() => openProject(files, env)));
    for (const machine of machines) onTestFinished(() => machine.close());
    const [one, other] = machines as [Project, Project];
    const first = one.start('worker');
    const words = told(first);
    await until(() => words().includes('Ready'));
    expect((await other.run('run', 'flow.yml', '--id', 'two', '--detach')).code).toBe(0);
    await endpoint.arrival(1);
    const second = other.start('worker');
    const ready = told(second);
    await until(() => ready().includes('Ready'));
    answering = () => Promise.resolve();
    kill(first.process.pid ?? 0);
    await until(async () => (await shown(other, 'two'))?.status === 'success');
    expect(endpoint.requests).toHaveLength(2);
    const { stdout } = await one.run('show', 'two');
    expect(stdout).toContain('1 question was asked again');
    kill(second.process.pid ?? 0, 'SIGTERM');
  });
});

describe('a project of one machine', () => {
  const HELLO = 'name: hello\nsteps:\n  - command: [sh, -c, "echo hello; yes long | head -c 2000"]\n';

  it('loads nothing for databases, moves to one by a copy, and is shown and goes on there', async () => {
    const url = await server.createDatabase();
    const watched = join(tmpdir(), `perdure-loaded-${String(process.pid)}`);
    onTestFinished(() => rmSync(watched, { recursive: true, force: true }));
    const project = await openProject(
      {
        'hello.yml': HELLO,
        'watch.cjs': `process.on('exit', () => require('node:fs').appendFileSync(${JSON.stringify(watched)},
          Object.keys(require.cache).some((file) => /node_modules.pg/.test(file)) ? 'loaded\\n' : 'none\\n'));`,
      },
      { TEAM_STORE: url },
    );
    onTestFinished(() => project.close());
    const watching = projectAt(project.folder, { NODE_OPTIONS: `--require=${join(project.folder, 'watch.cjs')}` });
    expect((await watching.run('run', 'hello.yml', '--id', 'before')).code).toBe(0);
    await watching.run('server', 'stop');
    expect(new Set(readFileSync(watched, 'utf8').trim().split('\n'))).toEqual(new Set(['none']));
    const before = await shown(project, 'before');
    expect(before?.status).toBe('success');

    writeFileSync(join(project.folder, 'perdure.yml'), CONFIG);
    const copied = JSON.parse((await project.run('store', 'copy', '--json')).stdout) as {
      copied: object;
      left: string[];
    };
    expect(copied).toMatchObject({ copied: { runs: 1, plans: 1 }, left: [] });
    expect((await project.run('store', 'copy')).code).toBe(0);
    expect(await shown(project, 'before')).toEqual(before);
    expect((await project.run('logs', 'before')).stdout).toContain('hello');
    expect((await project.run('run', 'hello.yml', '--id', 'after')).code).toBe(0);
    expect((await shown(project, 'after'))?.status).toBe('success');
    expect((await project.run('store', 'verify')).code).toBe(0);
    const status = await project.run('store', 'status');
    expect(status.stdout).toMatch(/runs +2/);
    expect(status.stdout + status.stderr).not.toContain(PASSWORD);
    await server.query(url, "update perdure.stored_values set content = 'spoilt'");
    const verified = await project.run('store', 'verify');
    expect([verified.code, verified.stdout]).toEqual([1, expect.stringContaining('has another content')]);
  });
});
