// @seconds 10
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, symlinkSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { HELLO, MAIN, newFolder, perdure, perdureHere } from '../helpers/command-line.js';

const FILES = { 'hello.yml': HELLO };

describe('a command line that is misspelled', () => {
  it.each<[string[], string]>([
    [
      ['server', 'nope'],
      'Expected `<action>` to be one of `start`, `stop`, `status`; got `nope`.\n  See `perdure server --help`.',
    ],
    [['server', 'sart'], 'Did you mean `start`?'],
    [['server'], 'Expected `<action>`, got nothing.\n  See `perdure server --help`.'],
    [['server', 'start', 'x'], 'Expected 1 argument of `perdure server`, got 2.'],
    [
      ['list', '--status', 'rnning'],
      'to be one of `open`, `running`, `waiting`, `paused`, `success`, `partial`, `error`, `timeout`, ' +
        '`cancelled`; got `rnning`.\n  Did you mean `running`?',
    ],
    [['run', 'hello.yml', '--id'], 'Expected a value after `--id <id>`, got nothing.\n  See `perdure run --help`.'],
    [['run', '--yess', 'hello.yml'], 'There is no option `--yess` of `perdure run`.\n  Did you mean `--yes`?'],
    [['watch', 'a', '--frob'], 'There is no option `--frob` of `perdure watch`.\n  See `perdure watch --help`.'],
    [['schedules', 'backfill', 'x', '--from', '2026-02-30'], 'Expected `--from` to be a time such as'],
    [['schedules', 'backfill', 'x', '--from', '2026-02-28T08:00:00'], 'Expected `--from` to be a time such as'],
    [['--frob'], 'There is no option `--frob`.\n  See `perdure --help`.'],
    [['run', 'hello.yml', '--yes', '--unattended'], 'cannot be used with'],
    // Names are one line.
    [
      ['run', 'hello.yml', '-i', 'name=x', '--task-queue', 'a\u001b[31m'],
      'Expected `--task-queue` to be a text on one line without control characters, got `a\\u{1b}[31m`.',
    ],
    [['run', 'hello.yml', '-i', 'name=x', '--task-queue', 'a\nb'], 'Expected `--task-queue` to be a text on one line'],
    [
      ['run', 'hello.yml', '-i', 'name=x', '--task-queue', ''],
      'Expected `--task-queue` to be a text on one line without control characters, got an empty text.',
    ],
    [['run', 'hello.yml', '-i', 'name=x', '--id', 'a\u0007'], '--id'],
    [['run', 'hello.yml', '-i', 'name=x', '--id', ''], '--id'],
    [['run', 'hello.yml', '--inputs', 'a\u0007'], 'Expected `--inputs` to be a text on one line'],
    [['run', 'hello.yml', '-i', 'name=x', '--max-steps', '1\u0007'], 'Expected `--max-steps` to be a text on one line'],
  ])('%j is refused in our words', async (args, message) => {
    const folder = newFolder(FILES);
    const { code, stdout, stderr } = await perdure(folder, args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(message);
    expect(stderr).not.toMatch(/Command-argument|Allowed choices/);
    expect(stderr.match(/Error:/g)).toHaveLength(1);
    expect(existsSync(join(folder, '.perdure'))).toBe(false);
  });
});

it.each([
  ['ui', '--no-open'],
  ['listen', ''],
])('%s says that its port is taken before it makes or starts anything', async (command, flag) => {
  const folder = newFolder(FILES);
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo; // it listens at a port
  try {
    const { code, stdout, stderr } = await perdure(folder, [command, '--port', String(port), ...(flag ? [flag] : [])]);
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
    expect(stderr).toContain('Cannot listen at 127.0.0.1: listen EADDRINUSE');
    expect(existsSync(join(folder, '.perdure'))).toBe(false);
  } finally {
    other.close();
  }
});

it('says what `schedules sync --dry-run` would make where nothing ever ran, and makes nothing', async () => {
  const folder = newFolder({
    'perdure.yml': '',
    'definitions/workflows/nightly.yml': 'name: nightly\nschedule: "@daily"\nsteps:\n  - command: [echo, hi]\n',
  });
  const { code, stdout } = await perdure(folder, ['schedules', 'sync', '--dry-run']);
  expect({ code, stdout }).toEqual({ code: 0, stdout: '+ nightly  @daily (UTC)\n' });
  expect(existsSync(join(folder, '.perdure'))).toBe(false);
});

describe('a server elsewhere that is not there', () => {
  const env = { TEMPORAL_ADDRESS: '127.0.0.1:9' };

  it.each([
    [['list']],
    [['list', '--waiting']],
    [['run', 'hello.yml', '-i', 'name=x']],
    [['show', 'none']],
    [['logs', 'none']],
    [['watch', 'none']],
    [['cancel', 'none']],
    [['approve', 'none/ok']],
    [['schedules', 'list']],
    [['schedules', 'sync']],
    [['schedules', 'pause', 'none']],
    [['schedules', 'trigger', 'none']],
    [['schedules', 'backfill', 'none', '--from', '2026-01-01']],
  ])('%j says so at once, and changes nothing', async (args) => {
    const folder = newFolder(FILES);
    const { code, stdout, stderr } = await perdure(folder, args, { env });
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
    expect(stderr).toContain('The Temporal server at `127.0.0.1:9` is not reachable');
    expect(stderr).toContain('It comes from TEMPORAL_ADDRESS.');
    expect(stderr).not.toContain('server start');
    expect(existsSync(join(folder, '.perdure'))).toBe(false);
  });

  it('is known by its refusal, not by the end of a wait', async () => {
    const { reach } = await import('../../../src/workers/connection/connect.js');
    await expect(
      reach({
        address: '127.0.0.1:9',
        namespace: 'default',
        connection: { address: '127.0.0.1:9' },
        source: 'TEMPORAL_ADDRESS',
      }),
    ).rejects.toThrow('nobody listens there');
  });
});

describe('a state folder that is a file', () => {
  it.each([[['run', 'hello.yml', '-i', 'name=x']], [['server', 'start']], [['up']], [['list']], [['show', 'none']]])(
    'is one clear error of %j',
    async (args) => {
      const folder = newFolder(FILES);
      writeFileSync(join(folder, '.perdure'), 'mine');
      const { code, stdout, stderr } = await perdure(folder, args);
      expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
      expect(stderr).toContain(`Expected a folder at \`${join(folder, '.perdure')}\`, got something else.`);
      expect(stderr).not.toMatch(/ENOTDIR|EEXIST/);
      expect(stderr.match(/Error:/g)).toHaveLength(1);
    },
  );
});

describe('a command that cannot be done here', () => {
  it('tells in one sentence that the current folder was removed', () => {
    const folder = newFolder();
    const script = 'mkdir gone; cd gone; rmdir ../gone; exec "$@"';
    for (const args of [['list'], ['--help']]) {
      const { status, stderr } = spawnSync('sh', ['-c', script, 'sh', process.execPath, MAIN, ...args], {
        cwd: folder,
        encoding: 'utf8',
      });
      expect({ status, stderr }).toEqual({
        status: 3,
        stderr: 'Error: The current folder was removed.\n  Go to another one and run the command there.\n',
      });
    }
  });

  it('makes no state folder where there is nothing to import', async () => {
    const folder = newFolder();
    const { code, stderr } = await perdureHere(folder, ['sessions', 'import', 'nope']);
    expect({ code, stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('`nope` cannot be read') as string,
    });
    expect(existsSync(join(folder, '.perdure'))).toBe(false);
  });

  it.each([['list'], ['run', 'hello.yml', '-i', 'name=x']])(
    'says of a state folder that is a link where that leads: %s',
    async (...args) => {
      const folder = newFolder(FILES);
      symlinkSync('/mnt/not-there', join(folder, '.perdure'));
      const { code, stderr } = await perdureHere(folder, args);
      expect({ code, stderr }).toMatchObject({
        code: 3,
        stderr: expect.stringContaining('/.perdure` leads to `/mnt/not-there`, which is not there.') as string,
      });
    },
  );
});
