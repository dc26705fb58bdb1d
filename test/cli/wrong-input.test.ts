// @seconds 10
import { spawnSync } from 'node:child_process';
import { mkdirSync, openSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../../src/cli/commands/index.js';
import { HELLO, newFolder, perdureHere } from './helpers/command-line.js';

const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
/** Nothing that a terminal acts on, or draws nothing for. */
const HIDDEN = /[\p{Cc}\p{Cf}]/u;
const PAINTS = 'a\u001b[31mb\u202ec';

/** A folder with all that is no file to read, by name. */
function spoilt(): string {
  const folder = newFolder({ 'hello.yml': HELLO, 'empty.yml': '' });
  writeFileSync(join(folder, 'binary.yml'), Buffer.from(Array.from({ length: 512 }, (_, index) => index % 256)));
  mkdirSync(join(folder, 'folder'));
  spawnSync('mkfifo', [join(folder, 'pipe.yml')]);
  symlinkSync('/nonexistent/file', join(folder, 'nowhere.yml'));
  symlinkSync('round.yml', join(folder, 'round.yml'));
  return folder;
}

const NO_FILES = [
  'none.yml',
  'folder',
  'empty.yml',
  'binary.yml',
  'pipe.yml',
  'nowhere.yml',
  'round.yml',
  '/dev/zero',
  'hello.yml/below',
  'x'.repeat(5000),
  PAINTS,
  '',
];

/** One clear error: told once, without a stack trace, and nothing was made. */
async function refusedIn(folder: string, args: string[], env: Record<string, string> = {}): Promise<string> {
  const before = readdirSync(folder);
  const { code, stdout, stderr } = await perdureHere(folder, args, { env });
  const said = stdout + stderr;
  // A name that nobody can read is told by its begin, its end and its length.
  expect(said.length).toBeLessThan(2_000);
  expect([1, 2, 3], `${args.join(' ')}: ${said}`).toContain(code);
  expect(said.match(/^Error: /gm)?.length ?? (/\d problem/.test(said) ? 1 : 0), said).toBe(1);
  expect(said).not.toMatch(/^\s+at .+[:(]\d|This is not expected/m);
  expect(HIDDEN.test(said.replaceAll('\n', '')), said).toBe(false);
  expect(readdirSync(folder)).toEqual(before);
  return said;
}

describe('what is no file of the kind that is wanted is one clear error', () => {
  it.each([
    ['run'],
    ['plan'],
    ['validate'],
    ['fmt'],
    ['build'],
    ['test'],
    ['run hello.yml --inputs'],
    ['plan hello.yml --inputs'],
    ['tools call read_file --inputs'],
  ])('of perdure %s', async (words) => {
    const folder = spoilt();
    for (const file of NO_FILES) await refusedIn(folder, [...words.split(' '), file]);
  });
});

describe('a run or a gate that nobody knows is one clear error', () => {
  it.each([
    'show',
    'watch',
    'logs',
    'cancel',
    'pause',
    'resume',
    'rerun',
    'record',
    'approve',
    'reject',
    'workspace show',
    'workspace diff',
  ])('of perdure %s', async (words) => {
    const folder = newFolder();
    for (const run of ['none', 'none/x', '../../etc', PAINTS, '', 'x'.repeat(5000)])
      await refusedIn(folder, [...words.split(' '), run]);
  });
});

describe('every command', () => {
  it.each(COMMANDS.map((command) => ({ command, name: command.name })))(
    '$name refuses an option that it does not have, one without its value, and words too many',
    async ({ command, name }) => {
      const folder = newFolder();
      await refusedIn(folder, [name, '--no-such-option']);
      for (const { flags } of command.options.filter((option) => option.flags.includes('<')))
        await refusedIn(folder, [name, flags.split(/[ ,]+/).find((word) => word.startsWith('--')) ?? '']);
      if (!command.arguments.some(({ syntax }) => syntax.includes('…')))
        await refusedIn(folder, [name, ...Array.from({ length: 6 }, () => 'word')]);
    },
  );
});

describe('a state folder that is none', () => {
  it.each([
    ['list'],
    ['show x'],
    ['server status'],
    ['server stop'],
    ['memory add x'],
    ['sessions list'],
    ['prune'],
    ['watch x'],
    ['run hello.yml -i name=x'],
  ])('is one clear error of perdure %s', async (words) => {
    const folder = newFolder({ 'hello.yml': HELLO, state: 'mine' });
    expect(await refusedIn(folder, words.split(' '), { PERDURE_STATE_DIR: join(folder, 'state') })).toContain(
      'PERDURE_STATE_DIR',
    );
  });
});

describe('a state folder into which nobody can look', () => {
  it.each([['list'], ['list --waiting'], ['show x'], ['logs x'], ['watch x'], ['approve x'], ['record x'], ['prune']])(
    'is not taken for one without runs by perdure %s',
    async (words) => {
      const folder = newFolder();
      const store = join(folder, '.perdure', 'store.json');
      mkdirSync(join(folder, '.perdure'));
      symlinkSync('store.json', store);
      expect(await refusedIn(folder, words.split(' '))).toContain(`Cannot read \`${store}\``);
    },
  );
});

describe('standard streams', () => {
  const perdure = (folder: string, args: string[], stdio: ('ignore' | 'pipe' | number)[]) =>
    spawnSync(process.execPath, [MAIN, ...args], {
      cwd: folder,
      stdio,
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], HOME: folder },
    });

  it('that take nothing make a result that nobody has a failure', () => {
    const folder = newFolder({ 'hello.yml': HELLO });
    for (const args of [['plan', 'hello.yml'], ['plan', 'hello.yml', '--json'], ['list'], ['--help']]) {
      const { status, stderr } = perdure(folder, args, ['ignore', openSync('/dev/full', 'w'), 'pipe']);
      expect([status, stderr], args.join(' ')).toEqual([
        1,
        expect.stringMatching(/^Error: Not all of the output could be written: .*ENOSPC/),
      ]);
    }
  });

  it('that are closed by who reads, or empty, are no failure', () => {
    const folder = newFolder({ 'hello.yml': HELLO });
    const { stdout } = spawnSync(
      'bash',
      [
        '-c',
        'set -o pipefail; "$0" "$1" schema workflow | head -0; echo "$?"; "$0" "$1" mcp < /dev/null; echo "$?"',
        process.execPath,
        MAIN,
      ],
      { cwd: folder, encoding: 'utf8' },
    );
    expect(stdout).toBe('0\n0\n');
  });

  it('that are closed by who reads leave a command its own exit code', () => {
    const folder = newFolder({ 'wrong.yml': 'steps: []\n' });
    const { stdout } = spawnSync(
      'bash',
      [
        '-c',
        'set -o pipefail; "$0" "$1" validate wrong.yml --json | head -0; echo "$?"; ' +
          '"$0" "$1" list --status none 2>&1 | head -0; echo "$?"',
        process.execPath,
        MAIN,
      ],
      { cwd: folder, encoding: 'utf8' },
    );
    expect(stdout).toBe('2\n2\n');
  });
});
