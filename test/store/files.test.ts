import fc from 'fast-check';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { beginToWrite, fileName, writeAtomically } from '../../src/store/files.js';
import { appendLine, readLines } from '../../src/store/line-files.js';
import { temporaryFolder } from './helpers/harness.js';

describe('the name of a file for a text', () => {
  it.each([
    ['run-1', 'run-1'],
    ['', '%00'],
    ['.', '%2E'],
    ['../a/b', '%2E%2E%2Fa%2Fb'],
    ["a*'(b)!~", 'a%2A%27%28b%29%21%7E'],
    ['ü \0', '%C3%BC%20%00'],
    ['half \ud83d', 'half%20%EF%BF%BD'],
    ['x'.repeat(200), 'x'.repeat(200)],
  ])('%j is %s', (text, name) => expect(fileName(text)).toBe(name));

  it('is short, of few characters, and that of no other text', () => {
    expect(fileName('x'.repeat(201))).toMatch(/^\+[0-9a-f]{64}$/);
    const texts = fc.uniqueArray(fc.string({ unit: 'grapheme' }), { selector: (text) => text.toWellFormed() });
    fc.assert(
      fc.property(texts, (all) => {
        const names = all.map(fileName);
        for (const name of names) expect(name).toMatch(/^[\w%+-]{1,200}$/);
        expect(new Set(names).size).toBe(all.length);
      }),
    );
  });
});

describe('a file that is written whole', () => {
  it('is private, in folders that are made for it, and leaves no other file', async () => {
    const folder = await temporaryFolder();
    const path = join(folder, 'a/b/c.json');
    for (const content of ['first', Buffer.from('second')]) await writeAtomically(path, content);
    expect(readFileSync(path, 'utf8')).toBe('second');
    expect(readdirSync(join(folder, 'a/b'))).toEqual(['c.json']);
    expect([statSync(path).mode & 0o777, statSync(join(folder, 'a')).mode & 0o777]).toEqual([0o600, 0o700]);
  });

  it('has its name only when what it names is there, and is told of alone by `done`', async () => {
    const path = join(await temporaryFolder(), 'file');
    let put = (): void => undefined;
    const first = new Promise<void>((resolve) => (put = resolve));
    const { named, done } = beginToWrite(path, 'x', first);
    await writeAtomically(`${path}-2`, 'another');
    expect(existsSync(path)).toBe(false);
    put();
    await named;
    expect(existsSync(path)).toBe(true);
    await done;
  });

  it.each([
    ['what it names is lost', 'file', () => Promise.reject(new Error('lost'))],
    ['a folder stands there', 'folder', undefined],
    ['a file stands where a folder is wanted', 'taken/file', undefined],
  ])('is none, and leaves nothing, where %s', async (_, name, first) => {
    const folder = await temporaryFolder();
    mkdirSync(join(folder, 'folder'));
    writeFileSync(join(folder, 'taken'), '');
    const failed = writeAtomically(join(folder, name), 'x', first?.());
    await expect(failed).rejects.toMatchObject({
      name: 'StoreFailure',
      message: expect.stringContaining(`Cannot write \`${join(folder, name)}\``),
    });
    expect(readdirSync(folder, { recursive: true }).sort()).toEqual(['folder', 'taken']);
  });
});

it.each(['whole', 'appended'])(
  'a folder that cannot be made is told as such: a file written %s waits for it',
  async (how) => {
    // Nobody makes folders there, whoever they are.
    const path = '/sys/perdure-none/file';
    const failed = how === 'whole' ? writeAtomically(path, 'x') : appendLine(path, 'x');
    await expect(failed).rejects.toMatchObject({
      message: expect.stringMatching(/expected a folder that this user may write, got (?:EPERM|EACCES|EROFS)\.$/),
      passes: true,
    });
  },
);

describe('lines of JSON', () => {
  it('are read as they were appended, but what a crash has cut and what is no object', async () => {
    const path = join(await temporaryFolder(), 'a/lines.ndjson');
    expect(readLines(path)).toBeNull();
    await appendLine(path, { a: 'x\ny' });
    writeFileSync(path, '{"cut', { flag: 'a' });
    for (const line of [null, [1], { b: null }]) await appendLine(path, line);
    expect(readLines(path)).toEqual([{ a: 'x\ny' }, { b: null }]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('that cannot be read or written are a failure', async () => {
    const folder = await temporaryFolder();
    expect(() => readLines(folder)).toThrow(`Cannot read \`${folder}\``);
    await expect(appendLine(folder, 1)).rejects.toThrow(`Cannot write \`${folder}\``);
  });
});

it('no file stays open that was written', async () => {
  const folder = await temporaryFolder();
  const open = (): number => readdirSync('/proc/self/fd').length;
  const before = open();
  for (let round = 0; round < 50; round += 1) {
    await writeAtomically(join(folder, `${String(round)}/whole`), 'x');
    await appendLine(join(folder, `${String(round)}/lines`), 'x');
  }
  expect(open()).toBeLessThan(before + 50);
});
