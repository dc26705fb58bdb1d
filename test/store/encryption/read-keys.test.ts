import { randomBytes } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { keyVariable, readKeys } from '../../../src/store/encryption/read-keys.js';
import type { KeyPlace } from '../../../src/store/encryption/read-keys.js';

const folder = mkdtempSync(join(tmpdir(), 'perdure-keys-'));
const root = join(folder, 'project');
mkdirSync(root);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const key = randomBytes(32);
const BASE64 = key.toString('base64');
const env = { PATH: process.env['PATH'], HOME: folder, KEY: BASE64 };
const read = (...places: KeyPlace[]): Promise<Buffer[]> => readKeys(places, { env, root });

function keyFile(name: string, mode: number, text = `${BASE64}\n`): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
}

describe('keys of encryption', () => {
  it('are read from a variable, a file and a program, in order', async () => {
    keyFile('own.key', 0o600);
    const other = randomBytes(32);
    const program = { command: ['sh', '-c', `printf %s ${other.toString('hex')}`] };
    expect(await read('${env.KEY}', program, { file: '../own.key' }, { file: '~/own.key' })).toEqual([
      key,
      other,
      key,
      key,
    ]);
  });

  it.each([
    ['base64 for URLs', key.toString('base64url')],
    ['hexadecimal', key.toString('hex').toUpperCase()],
    ['base64 with a line after it', `${BASE64}\n`],
  ])('may be written in %s', async (_, text) => {
    expect(await read({ file: keyFile('form.key', 0o600, text) })).toEqual([key]);
  });

  it.each([
    ['31 bytes', randomBytes(31).toString('base64')],
    ['a passphrase', 'correct horse battery staple'],
    ['one byte again and again', Buffer.alloc(32, 7).toString('base64')],
    ['a key in base64 and more', `${BASE64}${BASE64}`],
    ['a key in base64 with something before it', `key ${BASE64}`],
    ['a key in hexadecimal and more', `${key.toString('hex')}0a`],
    ['a key in hexadecimal with something before it', `0x${key.toString('hex')}`],
    ['two keys', `${BASE64}\n${BASE64}`],
    ['nothing', ''],
  ])('are refused where they are %s, and stand in no message', async (_, text) => {
    const error = await read({ file: keyFile('bad.key', 0o600, text) }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: 'KeyError', message: expect.stringContaining('a key of 32 bytes') as string });
    if (text !== '') expect(String(error)).not.toContain(text);
  });

  it('are the same each time, though the home is not named', async () => {
    const path = keyFile('plain.key', 0o400);
    const program = join(folder, 'give-key');
    writeFileSync(program, `#!/bin/sh\nprintf %s "$1$KEY"\n`, { mode: 0o700 });
    expect(await readKeys([{ file: path }], { env: {}, root })).toEqual([key]);
    const commands = ['../give-key', '~/give-key', program].map((word) => ({ command: [word] }));
    expect(await read(...commands)).toEqual([key, key, key]);
  });

  it('are given by no program that an agent may have put among packages or into the project', async () => {
    const planted = join(root, 'node_modules/.bin');
    mkdirSync(planted, { recursive: true });
    const ran = join(folder, 'ran');
    for (const file of [join(planted, 'pass'), join(root, 'key.sh')])
      writeFileSync(file, `#!/bin/sh\ntouch ${ran}\nprintf %s ${BASE64}\n`, { mode: 0o700 });
    symlinkSync(join(root, 'key.sh'), join(folder, 'linked'));
    const PATH = [planted, root, process.env['PATH']].join(delimiter);
    const readBy = (...command: string[]): Promise<Buffer[]> =>
      readKeys([{ command }], { env: { ...env, PATH }, root });
    for (const name of ['pass', 'key.sh']) await expect(readBy(name)).rejects.toThrow(/^Cannot find the program/);
    for (const path of ['./key.sh', 'node_modules/.bin/pass', join(root, 'key.sh'), '../linked'])
      await expect(readBy(path)).rejects.toMatchObject({
        message: `The program \`${path}\`, which gives a key of \`encryption\`, is in the project, where agents write.`,
        hint: 'Move it out of the project.',
      });
    // What a program starts itself, and what it loads from the folder that it runs in.
    await expect(readBy('sh', '-c', 'key.sh')).rejects.toThrow(/exit code 127/);
    await expect(readBy('sh', './key.sh')).rejects.toThrow(/exit code/);
    expect(existsSync(ran)).toBe(false);
  });

  it('are named by variables that can be ones', () => {
    expect(keyVariable('${env.A_1}')).toBe('A_1');
    for (const place of [
      '${env.1A}',
      '${env.}',
      'x${env.A}',
      '${env.A}x',
      'A',
      { file: '${env.A}' },
      { command: ['x'] },
    ])
      expect(keyVariable(place)).toBeNull();
  });

  it('are not waited for in a pipe, nor read of what is longer than any key', async () => {
    const pipe = join(folder, 'pipe.key');
    execFileSync('mkfifo', ['-m', '600', pipe]);
    const long = keyFile('long.key', 0o600, BASE64.padEnd(4097));
    for (const file of [pipe, long]) await expect(read({ file })).rejects.toThrow(/to be a file with a key/);
    expect(await read({ file: keyFile('longest.key', 0o600, BASE64.padEnd(4096)) })).toEqual([key]);
  });

  it('that are refused come with what to do', async () => {
    const places: [KeyPlace, string | RegExp][] = [
      ['${env.NOBODY}', 'A new key is made by: openssl rand -base64 32'],
      [{ file: '/nowhere/key' }, 'A new key is made by: openssl rand -base64 32'],
      [{ file: '/' }, 'A new key is made by: openssl rand -base64 32'],
      [{ file: keyFile('bad.key', 0o600, 'x') }, 'A new key is made by: openssl rand -base64 32'],
      [{ file: keyFile('open.key', 0o644) }, /^Keep them out: chmod 600 /],
      [{ command: ['false', 'a', 'b'] }, 'Try it in the folder `/`, where it is started: false a b'],
    ];
    for (const [place, hint] of places)
      await expect(read(place)).rejects.toMatchObject({ hint: expect.stringMatching(hint) as string });
  });

  it.each([0o640, 0o604, 0o660, 0o644])('are refused in a file of mode %o', async (mode) => {
    await expect(read({ file: keyFile('open.key', mode) })).rejects.toThrow(/may be read by others/);
  });

  // Only root can give a file away.
  it('are refused in a file of another user', { tags: ['root'] }, async () => {
    const path = keyFile('other.key', 0o600);
    chownSync(path, 1, 1);
    await expect(read({ file: path })).rejects.toMatchObject({
      message: `The key file \`${path}\` belongs to another user.`,
      hint: `Make it yours: chown $(id -u) ${path}`,
    });
  });

  it('are looked for at home only where the path begins there', async () => {
    mkdirSync(join(folder, 'a~'));
    keyFile('a~/key', 0o600);
    expect(await read({ file: '../a~/key' })).toEqual([key]);
  });

  it.each<[KeyPlace, string]>([
    [
      '${env.BAD}',
      'Expected the variable `BAD` to have a key of 32 bytes in base64 or hexadecimal, got 1 characters that are none.',
    ],
    [{ file: '../bad.key' }, 'Expected the file `../bad.key` to have a key'],
    [{ command: ['echo', 'x'] }, 'Expected the program `echo` to have a key'],
  ])('that are none say where they stand: %j', async (place, told) => {
    keyFile('bad.key', 0o600, 'x');
    await expect(readKeys([place], { env: { ...env, BAD: 'x' }, root })).rejects.toThrow(told);
  });

  it('in the project are to be moved out of it', async () => {
    writeFileSync(join(root, 'in.key'), BASE64, { mode: 0o600 });
    await expect(read({ file: 'in.key' })).rejects.toMatchObject({ hint: 'Move it out of the project.' });
  });

  it('are refused in a file of the project, also through a link', async () => {
    writeFileSync(join(root, 'in.key'), BASE64, { mode: 0o600 });
    symlinkSync(join(root, 'in.key'), join(folder, 'link.key'));
    await expect(read({ file: 'in.key' })).rejects.toThrow(/is in the project/);
    await expect(read({ file: '../link.key' })).rejects.toThrow(/is in the project/);
    // A name that begins as a way out does.
    writeFileSync(join(root, '..hidden.key'), BASE64, { mode: 0o600 });
    await expect(read({ file: '..hidden.key' })).rejects.toThrow(/is in the project/);
  });

  it.each([
    ['a variable that is not set', '${env.NOBODY}', /The variable `NOBODY`, .* is not set/],
    ['a file that is not there', { file: '/nowhere/key' }, /cannot be read \(ENOENT\)/],
    ['a folder', { file: '/' }, /Expected `\/` to be a file/],
    ['a program that fails', { command: ['false'] }, /`false`, .* ended with exit code 1/],
    ['a program that is not there', { command: ['no-such-program'] }, /Cannot find the program/],
    ['a program that cannot be started', { command: ['../own.key'] }, /ended with no exit code/],
  ] as const)('say what is wrong with %s', async (_, place, message) => {
    await expect(read(place as KeyPlace)).rejects.toThrow(message); // its list is not changed
  });
});
