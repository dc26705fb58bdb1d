import { readdir } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { announceCommand } from '../../../src/activities/processes/announced-commands.js';
import { runProcess } from '../../../src/activities/processes/groups/process-group.js';
import { RUN_TAG, runTag } from '../../../src/activities/processes/tagged-processes.js';
import { temporaryFolder } from '../helpers/harness.js';
import { isLaunched, withLauncher } from '../helpers/launched.js';

it('who reaches the socket for output of programs, and counts them, puts nothing into what they say', async () => {
  const place = await temporaryFolder();
  vi.stubEnv('TMPDIR', place);
  onTestFinished(() => void vi.unstubAllEnvs());
  onTestFinished(await withLauncher());
  expect(await isLaunched()).toBe(true);
  const [folder = ''] = (await readdir(place)).filter((name) => name.startsWith('perdure-launcher-'));
  const forge = (): void => {
    for (let id = 1; id < 100; id += 1) {
      const socket = connect(join(place, folder, 'output'));
      socket.on('error', () => undefined);
      socket.end(`${String(id).padStart(10, '0')}1FORGED\n`);
    }
  };
  for (let round = 0; round < 20; round += 1) {
    const command = announceCommand();
    const out: Buffer[] = [];
    forge();
    const ending = runProcess({
      file: '/bin/sh',
      args: ['-c', 'echo genuine'],
      cwd: '/',
      env: { [RUN_TAG]: runTag({ store: 'forged', worker: process.pid, command: command.number, run: 'r' }) },
      stdin: null,
      signal: new AbortController().signal,
      killRest: command.killRest,
      onStdout: (chunk) => out.push(chunk),
      onStderr: () => undefined,
    });
    forge();
    await ending;
    command.release();
    expect(Buffer.concat(out).toString()).toBe('genuine\n');
  }
});
