import { execFileSync } from 'node:child_process';
import { chmod, mkdir, readFile, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { NO_USAGE } from '../../../src/activities/models/protocol/provider.js';
import { play } from '../../../src/activities/programs/play.js';
import { PROGRAM } from '../../../src/activities/programs/programs.js';
import { unheardVariables } from '../../../src/activities/programs/variable-files.js';
import { temporaryFolder } from '../helpers/harness.js';

const NAMES = ['.gemini/.env', '.env'];
let folder: string;
let workspace: string;

beforeEach(async () => {
  folder = await temporaryFolder();
  workspace = join(folder, 'ws', 'below');
  await mkdir(join(workspace, '.gemini'), { recursive: true });
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true, force: true });
});

it('starts Gemini CLI with nothing that a file of the workspace would set', async () => {
  const bin = join(folder, 'bin');
  const told = join(folder, 'told');
  await mkdir(bin);
  await writeFile(join(bin, 'gemini'), `#!/bin/sh\nenv > ${told}\n`);
  await chmod(join(bin, 'gemini'), 0o755);
  vi.stubEnv('PATH', `${bin}:/usr/bin:/bin`);
  await writeFile(
    join(workspace, '.env'),
    'export LD_PRELOAD=/x.so\nGOOGLE_GEMINI_BASE_URL: http://x\nGEMINI_API_KEY=b\n',
  );
  await writeFile(join(folder, 'ws', '.env'), 'PATH=/x\r\nNODE_OPTIONS\n="--require ./x"\r\n');
  const end = await play({
    program: PROGRAM.gemini,
    task: {
      ...{ system: '', prompt: 'Hi.', model: null, schema: null, maxTurns: 1, usd: null },
      access: { edit: false, commands: [], web: false },
      session: { kind: 'start', id: '1' },
    },
    before: NO_USAGE,
    cwd: workspace,
    credentials: { GEMINI_API_KEY: 'a' },
    permissions: undefined,
    owner: { store: { id: 's', folder: null, readSubmitted: () => Promise.resolve([]) }, run: 'r' },
    signal: new AbortController().signal,
    log: { write: () => undefined, writeLast: () => undefined, close: async () => undefined },
    onProgress: () => undefined,
    onEvent: () => undefined,
  });
  expect(end.kind).toBe('failed');
  const lines = (await readFile(told, 'utf8')).split('\n');
  expect(lines).toEqual(
    expect.arrayContaining(['LD_PRELOAD=', 'NODE_OPTIONS=', 'GOOGLE_GEMINI_BASE_URL=', 'GEMINI_API_KEY=a']),
  );
  expect(lines.find((line) => line.startsWith('PATH='))).toContain(bin);
});

it('hears of a file by whatever link, and of none in the own folder of a person or above it', async () => {
  await writeFile(join(workspace, 'plain.txt'), 'A=1');
  await symlink('../plain.txt', join(workspace, '.gemini', '.env'));
  await writeFile(join(folder, '.env'), 'B=1');
  await mkdir(join(workspace, '.env'));
  expect(unheardVariables(workspace, NAMES)).toEqual({ A: '', B: '' });
  vi.stubEnv('HOME', folder);
  expect(unheardVariables(workspace, NAMES)).toEqual({ A: '' });
});

it('refuses a file that is too long, and one that is no file', async () => {
  const file = join(workspace, '.env');
  await writeFile(file, '');
  await truncate(file, 1024 * 1024);
  expect(() => unheardVariables(workspace, NAMES)).toThrow('more than 64 KiB');
  await rm(file);
  execFileSync('mkfifo', [file]);
  expect(() => unheardVariables(workspace, NAMES)).toThrow('cannot be read');
});
