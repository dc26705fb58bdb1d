import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readPlain, readPlainNow } from '../../src/store/read-plain.js';
import { temporaryFolder } from './helpers/harness.js';

describe.each<[string, (path: string, most: number) => Promise<Buffer | null>]>([
  ['read', readPlain],
  ['read at once', async (path, most) => readPlainNow(path, most)],
])('a plain file that is %s', (_, read) => {
  it('is given as it is, up to so many bytes', async () => {
    const file = join(await temporaryFolder(), 'file');
    for (const bytes of [Buffer.alloc(0), Buffer.from('ü\0'), Buffer.alloc(100_000, 7)]) {
      writeFileSync(file, bytes);
      expect(await read(file, bytes.length)).toEqual(bytes);
      expect(await read(file, bytes.length - 1)).toBeNull();
    }
  });

  it('is nothing where it is anything else, and nobody waits for it', async () => {
    const folder = await temporaryFolder();
    const at = (name: string): string => join(folder, name);
    writeFileSync(at('file'), 'x');
    symlinkSync('file', at('link'));
    linkSync(at('file'), at('other'));
    mkdirSync(at('folder'));
    execFileSync('mkfifo', [at('pipe')]);
    for (const name of ['link', 'folder', 'pipe', 'nothing', 'file/below']) expect(await read(at(name), 9)).toBeNull();
    expect(await read(at('other'), 9)).toEqual(Buffer.from('x'));
    expect(await read('/dev/zero', 9)).toBeNull();
  });
});

it('no file stays open that was read', async () => {
  const file = join(await temporaryFolder(), 'file');
  writeFileSync(file, 'x');
  const open = (): number => readdirSync('/proc/self/fd').length;
  const before = open();
  for (let look = 0; look < 50; look += 1) for (const most of [0, 1]) readPlainNow(file, most);
  for (let look = 0; look < 50; look += 1) for (const most of [0, 1]) await readPlain(file, most);
  expect(open()).toBeLessThan(before + 50);
});
