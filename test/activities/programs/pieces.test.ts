import { chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { NO_USAGE } from '../../../src/activities/models/protocol/provider.js';
import { play } from '../../../src/activities/programs/play.js';
import { PROGRAM } from '../../../src/activities/programs/programs.js';
import { temporaryFolder } from '../helpers/harness.js';

const KEY = 'canary-key-of-a-model';
const PIECES = ['The key is cana', 'ry-key', '-of-a-mo', 'del, they say'];
let folder: string;

beforeEach(async () => {
  folder = await temporaryFolder();
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true, force: true });
});

it('leaves a key in neither answer nor log that a program says in pieces', async () => {
  const bin = join(folder, 'bin');
  const events = [
    ...PIECES.map((content) => ({ type: 'message', role: 'assistant', content })),
    { type: 'result', status: 'success', stats: {} },
  ].map((event) => JSON.stringify(event));
  const cwd = join(folder, 'workspace');
  await mkdir(bin);
  await mkdir(cwd);
  await writeFile(join(bin, 'gemini'), `#!/bin/sh\ncat >/dev/null\ncat <<'END'\n${events.join('\n')}\nEND\n`);
  await chmod(join(bin, 'gemini'), 0o755);
  vi.stubEnv('PATH', `${bin}:/usr/bin:/bin`);
  const logged: string[] = [];
  const log = (_stream: string, text: string): void => void logged.push(text);
  const end = await play({
    program: PROGRAM.gemini,
    task: {
      ...{ system: '', prompt: 'Hi.', model: null, schema: null, maxTurns: 9, usd: null },
      access: { edit: false, commands: [], web: false },
      session: { kind: 'start', id: '1' },
    },
    before: NO_USAGE,
    cwd,
    credentials: { GEMINI_API_KEY: KEY },
    permissions: undefined,
    owner: { store: { id: 's', folder: null, readSubmitted: () => Promise.resolve([]) }, run: 'r' },
    signal: new AbortController().signal,
    log: { write: log, writeLast: log, close: async () => undefined },
    onProgress: () => undefined,
    onEvent: () => undefined,
  });
  expect(end).toMatchObject({ kind: 'answer', text: 'The key is …, they say' });
  expect(logged.join('')).toBe('The key is …, they say');
});
