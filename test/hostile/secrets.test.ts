// @module-tag sandbox
import { readFile, readdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startModelEndpoint } from '../fakes/model-endpoint.js';
import type { ModelEndpoint } from '../fakes/model-endpoint.js';
import type { Finished, Project } from '../faults/project.js';
import { openProject } from '../faults/project.js';
import { connect } from './connect.js';

const KEY = 'sk-ant-canary-4f1d8e6b2c';
/** Variables of a person's shell that nothing of ours needs, or that only the provider may see. */
const CANARIES = {
  ANTHROPIC_API_KEY: KEY,
  AWS_SECRET_ACCESS_KEY: 'canary-aws-91c7',
  GITHUB_TOKEN: 'canary-github-55e0',
  DATABASE_URL: 'postgres://canary-db-7a',
  SSH_AUTH_SOCK: '/canary-ssh-3b',
  OPENAI_API_KEY: 'canary-openai-d2',
};
const WORKFLOW = `name: nosy
steps:
  - id: env
    command: [env]
  - id: parent
    command: [sh, -c, "tr '\\\\0' '\\\\n' < /proc/$PPID/environ || true"]
  - id: asks
    agent: general-purpose
    prompt: "Here is all I found: \${steps.env.output}"
  - id: digs
    agent: digger
    prompt: dig
  - id: refused
    agent: general-purpose
    prompt: refuse
    on_error: continue
`;

const DIGGER =
  'name: digger\nprompt: You dig.\ntools: [shell, read_file, search_files]\npermissions: {commands: {workspace: ' +
  '[env, sh]}, allow: ["read:*"]}\n';
const DIGS = [
  { name: 'shell', input: { argv: ['env'] } },
  { name: 'shell', input: { argv: ['sh', '-c', 'cat /proc/$PPID/environ /proc/1/environ; env'] } },
  { name: 'read_file', input: { path: '/proc/self/environ' } },
  { name: 'read_file', input: { path: '.perdure/host.json' } },
  { name: 'search_files', input: { pattern: 'canary' } },
];

let endpoint: ModelEndpoint;
let project: Project;
let finished: Finished;
beforeAll(async () => {
  endpoint = await startModelEndpoint(({ prompt, system, results }) =>
    system.includes('You dig.') && results.count === 0
      ? { tools: DIGS }
      : prompt === 'refuse'
        ? { status: 401, kind: 'authentication_error', message: `invalid x-api-key: ${KEY}` }
        : { text: 'Nothing.' },
  );
  project = await openProject(
    { 'nosy.yml': WORKFLOW, 'definitions/agents/digger.yml': DIGGER },
    { ...CANARIES, ANTHROPIC_BASE_URL: endpoint.url },
  );
  finished = await project.run('run', 'nosy.yml', '--id', 'nosy', '--json');
});
afterAll(async () => {
  await project.close();
  await endpoint.close();
});

function canariesIn(text: string): string[] {
  return Object.entries(CANARIES).flatMap(([name, value]) => (text.includes(value) ? [name] : []));
}

/** Every file below a folder, sockets left out. */
async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

describe('secrets in the environment (I13)', () => {
  it('reach the provider, which shows that they were there to be leaked', () => {
    expect(finished.code, finished.stderr).toBe(1);
    expect(JSON.stringify(endpoint.requests.map(({ headers }) => headers)), finished.stdout).toContain(KEY);
    expect(canariesIn(JSON.stringify(endpoint.requests.map(({ body }) => body)))).toEqual([]);
    expect(endpoint.requests.find(({ results }) => results.count === DIGS.length)?.results.last).toHaveLength(
      DIGS.length,
    );
  });

  it('are in nothing that a command prints', async () => {
    expect(canariesIn(finished.stdout + finished.stderr)).toEqual([]);
    for (const args of [
      ['show', 'nosy', '--json'],
      ['logs', 'nosy'],
      ['logs', 'nosy', '--json'],
      ['list', '--json'],
      ['watch', 'nosy', '--json'],
      ['server', 'status', '--json'],
      ['doctor', '--json'],
      ['plan', 'nosy.yml', '--json'],
    ]) {
      const { stdout, stderr } = await project.run(...args);
      expect(canariesIn(stdout + stderr), args.join(' ')).toEqual([]);
    }
  });

  it('are in no event of the history, and in no memo', async () => {
    const outsider = await connect(project);
    const handle = outsider.client.workflow.getHandle('nosy');
    const seen = JSON.stringify([await handle.fetchHistory(), (await handle.describe()).raw], (_, value: unknown) =>
      value instanceof Uint8Array ? Buffer.from(value).toString() : value,
    );
    await outsider.close();
    expect(seen).toContain('nosy');
    expect(canariesIn(seen)).toEqual([]);
  });

  it('are in no environment of the host, of the server and of commands', async () => {
    const { host, server } = await project.pids();
    for (const pid of [host, server])
      expect(canariesIn(await readFile(`/proc/${pid ?? 'none'}/environ`, 'utf8'))).toEqual([]);
    for (const pid of [host, server])
      expect(canariesIn(await readFile(`/proc/${pid ?? 'none'}/cmdline`, 'utf8'))).toEqual([]);
    expect(await readlink(`/proc/${host ?? 'none'}/cwd`)).toContain('.perdure');
    const { steps } = JSON.parse(finished.stdout) as { steps: { output: string }[] };
    const names = (steps[0]?.output ?? '').split('\n').map((line) => line.split('=', 1)[0] ?? '');
    expect(
      names.filter((name) => !['PATH', 'HOME', 'LANG', 'TZ', 'TMPDIR', 'PERDURE_RUN_TAG', ''].includes(name)),
    ).toEqual([]);
  });

  it('are in no file: database, its log, values, journal, transcripts, logs', async () => {
    await project.run('server', 'stop');
    const files = await filesBelow(join(project.folder, '.perdure'));
    expect(files.map((file) => file.split('/').at(-1))).toEqual(
      expect.arrayContaining(['temporal.db', 'host.log', 'store.json']),
    );
    for (const file of files) expect(canariesIn(await readFile(file, 'latin1')), file).toEqual([]);
  });
});
