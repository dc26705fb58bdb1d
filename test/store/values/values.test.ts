import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../../src/plan/values/json.js';
import { canonicalJson } from '../../../src/plan/values/json.js';
import type { Hash } from '../../../src/plan/values/value.js';
import { inline, isStored } from '../../../src/plan/values/value.js';
import { sha256 } from '../../../src/store/hash.js';
import { openStore } from '../../../src/store/local-store.js';
import { StoreFailure } from '../../../src/store/store-failure.js';
import { temporaryFolder } from '../helpers/harness.js';

/** Opens the folder anew, as another process would: nothing is in memory. */
async function reopened(folder: string): ReturnType<typeof openStore> {
  return openStore(folder);
}

function fileOf(folder: string, ref: Hash): string {
  const hex = ref.slice(7);
  return join(folder, 'values', hex.slice(0, 2), hex);
}

describe('a value', () => {
  it.each([
    ['512 bytes of JSON', 'x'.repeat(510), false],
    ['513 bytes of JSON', 'x'.repeat(511), true],
    ['few characters of many bytes', '☃'.repeat(171), true],
  ])('of %s travels by itself or is stored', async (_what, value, stored) => {
    const store = await openStore(await temporaryFolder());
    expect(isStored(await store.put(value))).toBe(stored);
  });

  it('reads the same in the process that stored it and in another, down to the order of its members', async () => {
    const folder = await temporaryFolder();
    const store = await openStore(folder);
    const values = fc.sample(fc.jsonValue(), { numRuns: 20, seed: 7 }) as Json[];
    for (const value of [{ stdout: '', exit_code: 0 }, ...values]) {
      const { ref } = await store.putAlways(value);
      const other = await reopened(folder);
      expect(JSON.stringify(await store.get(ref))).toBe(JSON.stringify(await other.get(ref)));
    }
  });

  it('has its members in one order, whether it is stored or travels by itself', async () => {
    const store = await openStore(await temporaryFolder());
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), async (given) => {
        const value = given as Json;
        const stored = JSON.stringify(await store.get((await store.putAlways(value)).ref));
        for (const way of [await store.put(value), inline(value)])
          if ('value' in way) expect(JSON.stringify(way.value)).toBe(stored);
      }),
      { numRuns: 50, examples: [[{ stdout: '', exit_code: 0 }], [[{ b: { d: 1, c: 2 }, a: -0 }]]] },
    );
  });

  it('that is stored says its bytes, its head and, when it is a list, its length', async () => {
    const store = await openStore(await temporaryFolder());
    const list = Array.from({ length: 300 }, (_, index) => index);
    expect(await store.put(list)).toEqual({
      ref: sha256(canonicalJson(list)),
      bytes: canonicalJson(list).length,
      preview: `${canonicalJson(list).slice(0, 239)}…`,
      length: 300,
    });
    expect(await store.put('y'.repeat(1_000))).not.toHaveProperty('length');
  });

  it('comes back from the disk as it was, whatever it is', async () => {
    const folder = await temporaryFolder();
    const store = await openStore(folder);
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), async (value) => {
        const { ref } = await store.putAlways(value as Json);
        expect(canonicalJson(await (await reopened(folder)).get(ref))).toBe(canonicalJson(value));
      }),
      { numRuns: 50 },
    );
  });

  it('has one name, however its keys are ordered', async () => {
    const store = await openStore(await temporaryFolder());
    expect((await store.putAlways({ a: 1, b: 2 })).ref).toBe((await store.putAlways({ b: 2, a: 1 })).ref);
  });

  it('that is a text of a Plan is found by the hash of its JSON', async () => {
    const folder = await temporaryFolder();
    const text = 'A long prompt. '.repeat(50);
    await (await openStore(folder)).putAlways(text);
    expect(await (await reopened(folder)).getText({ text: sha256(JSON.stringify(text)), bytes: 752 })).toBe(text);
  });

  it('is put by many at once without harm', async () => {
    const folder = await temporaryFolder();
    const store = await openStore(folder);
    const values = Array.from({ length: 40 }, (_, index) => `${'z'.repeat(1_000)}${index % 4}`);
    const stored = await Promise.all(values.map((value) => store.putAlways(value)));
    expect(new Set(stored.map(({ ref }) => ref)).size).toBe(4);
    const files = await readdir(join(folder, 'values'), { recursive: true });
    expect(files.filter((file) => file.endsWith('.tmp'))).toEqual([]);
  });
});

describe('reading a value', () => {
  it('that was damaged, and keeps its size, works again once the same is put', async () => {
    const folder = await temporaryFolder();
    const { ref } = await (await openStore(folder)).putAlways('precious '.repeat(100));
    const content = await readFile(fileOf(folder, ref));
    content[5] = (content[5] ?? 0) ^ 1;
    await writeFile(fileOf(folder, ref), content);
    const store = await reopened(folder);
    await store.putAlways('precious '.repeat(100));
    expect(await (await reopened(folder)).get(ref)).toBe('precious '.repeat(100));
  });

  it.each([
    ['missing', (path: string) => rm(path)],
    [
      'corrupt',
      async (path: string) => {
        const content = await readFile(path);
        content[5] = (content[5] ?? 0) ^ 1;
        await writeFile(path, content);
      },
    ],
    ['corrupt', (path: string) => writeFile(path, '')],
  ])('that is %s fails and names it', async (word, harm) => {
    const folder = await temporaryFolder();
    const { ref } = await (await openStore(folder)).putAlways('precious '.repeat(100));
    await harm(fileOf(folder, ref));
    const reading = (await reopened(folder)).get(ref);
    await expect(reading).rejects.toBeInstanceOf(StoreFailure);
    await expect(reading).rejects.toMatchObject({
      type: 'store-missing',
      message: expect.stringContaining(`\`${ref}\` is ${word}`),
    });
  });

  it.each([
    'sha256:../../../../etc/passwd',
    'sha256:',
    `sha256:${'A'.repeat(64)}`,
    `sha256:${'a'.repeat(63)}/`,
    `md5:${'a'.repeat(64)}`,
    '',
  ])('by `%s` never reaches the file system', async (ref) => {
    const store = await openStore(await temporaryFolder());
    await expect(store.get(ref as Hash)).rejects.toMatchObject({
      type: 'store-missing',
      message: expect.stringContaining('64 hexadecimal digits'),
    });
    await expect(store.getPlan(ref as Hash)).rejects.toMatchObject({ type: 'store-missing' });
  });

  it('that is a folder, or below a file, is a failure to read it', async () => {
    const folder = await temporaryFolder();
    const { ref } = await (await openStore(folder)).putAlways('precious '.repeat(100));
    await rm(fileOf(folder, ref));
    await mkdir(fileOf(folder, ref));
    const read = async (): Promise<unknown> => (await reopened(folder)).get(ref);
    await expect(read()).rejects.toMatchObject({ type: 'internal', message: expect.stringContaining('Cannot read') });
    await rm(dirname(fileOf(folder, ref)), { recursive: true });
    await writeFile(dirname(fileOf(folder, ref)), '');
    await expect(read()).rejects.toMatchObject({ message: expect.stringContaining('Cannot read') });
    await expect((await reopened(folder)).putAlways('precious '.repeat(100))).rejects.toBeInstanceOf(StoreFailure);
  });

  it('says no more of a long name that is none than its begin', async () => {
    const store = await openStore(await temporaryFolder());
    const told = await store.get(`x${'y'.repeat(200)}` as Hash).catch((error: unknown) => String(error));
    expect(told).toContain(`got \`x${'y'.repeat(79)}\`.`);
  });

  it('as a text takes nothing else for one', async () => {
    const store = await openStore(await temporaryFolder());
    const { ref } = await store.putAlways(['no text']);
    expect(await store.getText('a text')).toBe('a text');
    await expect(store.getText({ text: ref, bytes: 11 })).rejects.toMatchObject({
      type: 'internal',
      message: expect.stringContaining('to be a text, got object'),
    });
  });

  it('is written once: who puts it again, here or elsewhere, leaves the file as it is', async () => {
    const folder = await temporaryFolder();
    const store = await openStore(folder);
    const value = 'precious '.repeat(100);
    const { ref } = await store.putAlways(value);
    const { ino } = await stat(fileOf(folder, ref));
    await store.putAlways(value);
    await (await reopened(folder)).putAlways(value);
    expect((await stat(fileOf(folder, ref))).ino).toBe(ino);
  });

  it('that somebody has removed is there again once it is put again, also by who still knows it', async () => {
    const folder = await temporaryFolder();
    const store = await openStore(folder);
    const value = 'precious '.repeat(100);
    const { ref } = await store.putAlways(value);
    await rm(fileOf(folder, ref));
    await store.putAlways(value);
    expect(await (await reopened(folder)).get(ref)).toBe(value);
  });

  it('has its name before it outlives a power cut', async () => {
    const folder = await temporaryFolder();
    const { stored, named, done } = (await openStore(folder)).beginPut({ b: 1, a: 'x'.repeat(600) });
    await named;
    expect(await (await reopened(folder)).get(stored.ref)).toEqual({ a: 'x'.repeat(600), b: 1 });
    await done;
  });

  it('heals nothing by itself, but to put it again does', async () => {
    const folder = await temporaryFolder();
    const value = 'precious '.repeat(100);
    const { ref } = await (await openStore(folder)).putAlways(value);
    await writeFile(fileOf(folder, ref), 'short');
    const store = await reopened(folder);
    await store.putAlways(value);
    expect(await (await reopened(folder)).get(ref)).toBe(value);
  });
});
