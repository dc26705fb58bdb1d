import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../../../src/plan/values/json.js';
import { openStore } from '../../../src/store/local-store.js';
import { readPages } from '../../../src/store/values/read-pages.js';
import { commandStep, plan } from '../../plan/helpers/build-plan.js';
import { temporaryFolder } from '../helpers/harness.js';

describe('a plan', () => {
  const made = plan([commandStep(0, ['true'])]);
  const fileIn = (folder: string): string => join(folder, 'plans', made.hash.slice(7, 9), made.hash.slice(7));

  it('comes back from the disk as it was, which holds it as canonical JSON', async () => {
    const folder = await temporaryFolder();
    const store = await openStore(folder);
    await store.putPlan(made);
    await store.putPlan(made);
    const reader = await openStore(folder);
    expect(await reader.getPlan(made.hash)).toEqual(made);
    expect(await readFile(fileIn(folder), 'utf8')).toBe(canonicalJson(made));
    // In the order in which others read it, which shows in texts.
    expect(JSON.stringify(await store.getPlan(made.hash))).toBe(JSON.stringify(await reader.getPlan(made.hash)));
  });

  it('that was read or written stays with the worker, though its file is gone', async () => {
    const folder = await temporaryFolder();
    const [writer, reader] = [await openStore(folder), await openStore(folder)];
    await writer.putPlan(made);
    await reader.getPlan(made.hash);
    await rm(fileIn(folder));
    for (const store of [writer, reader]) expect(await store.getPlan(made.hash)).toEqual(made);
    await writer.putPlan(made);
    expect(await readdir(dirname(fileIn(folder)))).toEqual([]);
  });

  it('that many steps ask for at once is read once, and again after it was not there', async () => {
    const folder = await temporaryFolder();
    const store = await openStore(folder);
    await expect(store.getPlan(made.hash)).rejects.toMatchObject({ type: 'store-missing' });
    await (await openStore(folder)).putPlan(made);
    const read = await Promise.all(Array.from({ length: 50 }, () => store.getPlan(made.hash)));
    expect(new Set(read).size).toBe(1);
    expect(read[0]).toEqual(made);
  });

  it('whose content has another hash than it claims is refused', async () => {
    const folder = await temporaryFolder();
    const store = await openStore(folder);
    await expect(store.putPlan({ ...made, name: 'another' })).rejects.toMatchObject({
      message: expect.stringMatching(/`sha256:[0-9a-f]{64}` is corrupt: its content has the hash `sha256:/),
    });
    await expect(store.getPlan(made.hash)).rejects.toMatchObject({
      type: 'store-missing',
      message: `The plan \`${made.hash}\` is missing from the store: expected the file \`${fileIn(folder)}\`.`,
      cause: expect.objectContaining({ code: 'ENOENT' }),
    });
  });

  it.each([
    ['has another content', JSON.stringify({ ...made, name: 'another' }), 'store-missing', /corrupt: its content/],
    ['is no JSON', '{', 'store-missing', /corrupt: the file `.*` is not JSON/],
    ['is a folder', null, 'internal', /^Cannot read `.*expected a file, got a folder/],
  ])('whose file %s is a failure that says so', async (_, text, type, message) => {
    const folder = await temporaryFolder();
    const store = await openStore(folder);
    await mkdir(text === null ? fileIn(folder) : dirname(fileIn(folder)), { recursive: true });
    if (text !== null) await writeFile(fileIn(folder), text);
    await expect(store.getPlan(made.hash)).rejects.toMatchObject({ type, message: expect.stringMatching(message) });
  });

  it('of a store that was moved is not said to be missing', async () => {
    const folder = join(await temporaryFolder(), 'state');
    const store = await openStore(folder);
    await rename(folder, `${folder}-moved`);
    await expect(store.getPlan(made.hash)).rejects.toMatchObject({
      message: expect.not.stringMatching(/missing from/),
    });
  });
});

it('pages are read one after the other, whether they are stored or travel by themselves', async () => {
  const store = await openStore(await temporaryFolder());
  const pages = [await store.put([1, 2]), await store.put([]), await store.putAlways(['x'.repeat(600)])];
  expect(await readPages(store, pages)).toEqual([1, 2, 'x'.repeat(600)]);
  expect(await readPages(store, [])).toEqual([]);
});
