import { existsSync } from 'node:fs';
import { appendFile, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { sha256 } from '../../../src/store/hash.js';
import { openStore } from '../../../src/store/local-store.js';
import type { Store } from '../../../src/store/store.js';
import type { JournalEntry } from '../../../src/store/journal/entry.js';
import { temporaryFolder } from '../helpers/harness.js';

const SCOPE = 'first-run';

function entry(text: string): JournalEntry {
  return { request: sha256(text), response: { text }, at: '2026-01-01T00:00:00.000Z' };
}

/** A store with these answers, its journal, and a way to open the folder as another process would. */
async function journalWith(
  ...texts: string[]
): Promise<{ store: Store; file: string; reopened: () => Promise<Store> }> {
  const folder = await temporaryFolder();
  const store = await openStore(folder);
  for (const text of texts) await write(store, text);
  return { store, file: join(folder, 'journal', `${SCOPE}.ndjson`), reopened: () => openStore(folder) };
}

async function write(store: Store, text: string): Promise<void> {
  await store.writeJournal({ scope: SCOPE, key: text }, entry(text));
}

async function read(store: Store, key: string): Promise<unknown> {
  return (await store.readJournal({ scope: SCOPE, key }))?.response ?? null;
}

describe('the journal', () => {
  it('lets one of several begin a key, also where they come at once', async () => {
    const { store } = await journalWith();
    const begin = (): Promise<boolean> => store.beginOnce({ scope: SCOPE, key: 'effect' }, entry('begun'));
    const begun = await Promise.all([begin(), begin(), begin()]);
    expect(begun.filter((isFirst) => isFirst)).toHaveLength(1);
  });

  it('loses nothing of what is merged into one entry at once', async () => {
    const { store, reopened } = await journalWith();
    const add = (): Promise<void> =>
      store.mergeJournal({ scope: SCOPE, key: 'sum' }, (before) => ({
        ...entry('sum'),
        response: Number(before?.response ?? 0) + 1,
      }));
    await Promise.all(Array.from({ length: 20 }, add));
    for (const each of [store, await reopened()]) expect(await read(each, 'sum')).toBe(20);
  });

  it('lets each of several keys begin, none that is there, and one again that could not be written', async () => {
    const { store, file } = await journalWith('there');
    const begin = (key: string): Promise<boolean> => store.beginOnce({ scope: SCOPE, key }, entry(key));
    expect(await Promise.all([begin('a'), begin('b'), begin('there')])).toEqual([true, true, false]);
    const other = 'other';
    const blocked = file.replace(SCOPE, other);
    await symlink(join(dirname(file), 'nowhere', 'at', 'all'), blocked);
    const start = (): Promise<boolean> => store.beginOnce({ scope: other, key: 'a' }, entry('a'));
    await expect(start()).rejects.toMatchObject({ name: 'StoreFailure', message: expect.stringContaining('write') });
    await rm(blocked);
    expect(await start()).toBe(true);
  });

  it('gives a question to who asks it, with the answer where there is one', async () => {
    const { store, reopened } = await journalWith('known');
    expect(await store.claimQuestion({ scope: SCOPE, key: 'known' }, sha256('q'))).toEqual({ entry: entry('known') });
    const taken = await store.claimQuestion({ scope: SCOPE, key: 'new' }, sha256('q'));
    if (!('claim' in taken)) throw new Error('Expected the right to ask.');
    expect(taken.claim).toMatchObject({ lost: 0, signal: null });
    expect(await taken.claim.answer(entry('new'))).toBe(true);
    await taken.claim.release();
    expect(await read(await reopened(), 'new')).toEqual({ text: 'new' });
    expect(await store.listAskedAgain(SCOPE)).toEqual([]);
  });

  it('lists keys that begin so in the order in which they came, each with its last answer', async () => {
    const { store, file, reopened } = await journalWith('a/1', 'b/1', 'a/2');
    await store.writeJournal({ scope: SCOPE, key: 'a/1' }, entry('again'));
    await appendFile(file, 'no JSON\n{"key":"a/3"}\n');
    for (const each of [store, await reopened()]) {
      expect(await each.listJournal(SCOPE, 'a/')).toEqual([
        ['a/1', entry('again')],
        ['a/2', entry('a/2')],
      ]);
      expect((await each.listJournal(SCOPE)).map(([key]) => key)).toEqual(['a/1', 'b/1', 'a/2']);
      expect(await each.listJournal('another')).toEqual([]);
    }
    await mkdir(file.replace(SCOPE, 'folder'));
    await expect(store.listJournal('folder')).rejects.toMatchObject({ message: expect.stringContaining('read') });
  });

  it('goes on in the file that a person has put in its place', async () => {
    const { store, file, reopened } = await journalWith('a', 'b');
    const [first = ''] = (await readFile(file, 'utf8')).split('\n');
    await rm(file);
    await writeFile(file, `${first}\n`);
    await write(store, 'c');
    for (const each of [store, await reopened()])
      expect([await read(each, 'a'), await read(each, 'b'), await read(each, 'c')]).toEqual([
        { text: 'a' },
        null,
        { text: 'c' },
      ]);
  });

  it('that cannot be read is a failure that says so', async () => {
    const { store, file } = await journalWith();
    await mkdir(file, { recursive: true });
    await expect(read(store, 'a')).rejects.toMatchObject({
      name: 'StoreFailure',
      message: expect.stringContaining('read'),
    });
  });

  it('gives back what was written under a key, and nothing for another key or scope', async () => {
    const { store, reopened } = await journalWith('a', 'b');
    for (const each of [store, await reopened()]) {
      expect(await each.readJournal({ scope: SCOPE, key: 'a' })).toEqual(entry('a'));
      expect(await read(each, 'c')).toBeNull();
      expect(await each.readJournal({ scope: 'another', key: 'a' })).toBeNull();
    }
  });

  it('is one private file for each scope, whatever that is called', async () => {
    const folder = await temporaryFolder();
    const store = await openStore(folder);
    const scopes = ['run', 'run nested/step 2', '../../escape', '.', '', 'x'.repeat(1_000)];
    for (const scope of scopes) await store.writeJournal({ scope, key: 'k' }, entry(scope));
    for (const scope of scopes)
      expect((await store.readJournal({ scope, key: 'k' }))?.response).toEqual({ text: scope });
    const files = await readdir(join(folder, 'journal'));
    expect(files).toHaveLength(scopes.length);
    expect((await stat(join(folder, 'journal', files[0] ?? ''))).mode & 0o777).toBe(0o600);
    expect((await readdir(folder)).sort()).toEqual(['.gitignore', 'journal', 'store.json']);
  });

  it('can be made ready while an answer is waited for, and is empty until it is there', async () => {
    const { store, file, reopened } = await journalWith();
    store.prepareJournal(SCOPE);
    while (!existsSync(file)) await setImmediate();
    expect(await readFile(file, 'utf8')).toBe('');
    expect(await read(await reopened(), 'a')).toBeNull();
    await write(store, 'a');
    expect(await read(await reopened(), 'a')).toEqual({ text: 'a' });
  });

  it('finds what another worker has written since', async () => {
    const { store, reopened } = await journalWith('a');
    const other = await reopened();
    await write(other, 'b');
    expect(await read(store, 'b')).toEqual({ text: 'b' });
    await write(store, 'c');
    expect(await read(other, 'c')).toEqual({ text: 'c' });
  });

  it('gives the last of two answers under one key', async () => {
    const { store, reopened } = await journalWith('a');
    await store.writeJournal({ scope: SCOPE, key: 'a' }, entry('another'));
    expect(await read(store, 'a')).toEqual({ text: 'another' });
    expect(await read(await reopened(), 'a')).toEqual({ text: 'another' });
  });

  it('takes many answers at once, of any size', async () => {
    const { store, reopened } = await journalWith();
    const texts = Array.from({ length: 100 }, (_, index) => `${index} ${'ü'.repeat(index * 700)}`);
    await Promise.all(texts.map((text) => write(store, text)));
    const other = await reopened();
    for (const text of texts) expect(await read(other, text)).toEqual({ text });
  });

  it('reads lines that are longer than what it reads at once', async () => {
    const { store, reopened } = await journalWith('a');
    await store.writeJournal({ scope: SCOPE, key: 'long' }, entry('x'.repeat(9_000_000)));
    await write(store, 'b');
    expect(await read(await reopened(), 'b')).toEqual({ text: 'b' });
  });
});

describe('an answer that was never acknowledged', () => {
  it.each([
    ['a line cut at any byte', (line: Buffer) => line.subarray(0, Math.floor(line.length / 2))],
    ['a last line that is no JSON', (line: Buffer) => Buffer.concat([line.subarray(0, 20), Buffer.from('\n')])],
    ['room that was never filled', (line: Buffer) => Buffer.concat([Buffer.alloc(line.length - 1), Buffer.from('\n')])],
  ])('is a miss: %s', async (_what, harm) => {
    const { file, reopened } = await journalWith('a', 'b');
    const content = await readFile(file);
    const start = content.indexOf('\n') + 1;
    await writeFile(file, Buffer.concat([content.subarray(0, start), harm(content.subarray(start))]));
    const store = await reopened();
    expect(await read(store, 'a')).toEqual({ text: 'a' });
    expect(await read(store, 'b')).toBeNull();
    await write(store, 'c');
    for (const each of [store, await reopened()]) {
      expect(await read(each, 'b')).toBeNull();
      expect(await read(each, 'c')).toEqual({ text: 'c' });
    }
    await write(store, 'b');
    expect(await read(await reopened(), 'b')).toEqual({ text: 'b' });
  });

  it('that lacks only its end gives way to the one that was asked for instead', async () => {
    const { file, reopened } = await journalWith('a', 'b');
    await writeFile(file, (await readFile(file)).subarray(0, -1));
    const store = await reopened();
    expect(await read(store, 'b')).toBeNull();
    await store.writeJournal({ scope: SCOPE, key: 'b' }, entry('asked again'));
    for (const each of [store, await reopened()]) expect(await read(each, 'b')).toEqual({ text: 'asked again' });
  });

  it('is none when the other worker was only in the middle of writing it', async () => {
    const { store, file, reopened } = await journalWith('a');
    const line = `${JSON.stringify({ key: 'b', entry: entry('b') })}\n`;
    await appendFile(file, line.slice(0, 30));
    expect(await read(store, 'b')).toBeNull();
    await appendFile(file, line.slice(30));
    expect(await read(store, 'b')).toEqual({ text: 'b' });
    expect(await read(await reopened(), 'b')).toEqual({ text: 'b' });
  });
});

describe('a damaged answer', () => {
  it('makes a miss a failure that says where, until the line is removed; what is there is found anyway', async () => {
    const { file, reopened } = await journalWith('a', 'b', 'c');
    const content = await readFile(file, 'utf8');
    const lines = content.split('\n');
    await writeFile(file, content.replace('{"key":"b"', '{"key":"b'));
    const store = await reopened();
    expect(await read(store, 'c')).toEqual({ text: 'c' });
    await expect(read(store, 'b')).rejects.toMatchObject({
      name: 'StoreFailure',
      type: 'store-missing',
      message: expect.stringContaining(`at byte ${(lines[0]?.length ?? 0) + 1}`),
    });
    await writeFile(file, [lines[0], lines[2], ''].join('\n'));
    expect(await read(store, 'b')).toBeNull();
  });

  it.each(['5', 'null', '[]', '{"key":"b"}', '{"entry":{}}', '{"key":1,"entry":{}}'])(
    'is a line that no answer is, also of JSON: %s',
    async (line) => {
      const { file, reopened } = await journalWith('a', 'c');
      const [first, last] = (await readFile(file, 'utf8')).split('\n');
      await writeFile(file, [first, line, last, ''].join('\n'));
      const store = await reopened();
      await expect(read(store, 'b')).rejects.toMatchObject({
        type: 'store-missing',
        message: expect.stringContaining('remove that line'),
      });
      expect(await read(store, 'c')).toEqual({ text: 'c' });
    },
  );

  it('is no empty line, wherever it stands', async () => {
    const { file, reopened } = await journalWith('a', 'b');
    const [first, last] = (await readFile(file, 'utf8')).split('\n');
    await writeFile(file, ['', first, '', last, ''].join('\n'));
    const store = await reopened();
    expect([await read(store, 'a'), await read(store, 'b'), await read(store, 'c')]).toEqual([
      { text: 'a' },
      { text: 'b' },
      null,
    ]);
  });

  it('is also told when the index knew it before', async () => {
    const { store, file } = await journalWith('a', 'b');
    expect(await read(store, 'a')).toEqual({ text: 'a' });
    await writeFile(file, (await readFile(file, 'utf8')).replace('{', '['));
    await expect(read(store, 'a')).rejects.toMatchObject({ type: 'store-missing' });
  });
});
