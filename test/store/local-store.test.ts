import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import type { RunRecord } from '../../src/plan/result.js';
import { openStore } from '../../src/store/local-store.js';
import { sha256 } from '../../src/store/hash.js';
import { commandStep, plan } from '../plan/helpers/build-plan.js';
import { temporaryFolder } from './helpers/harness.js';
import { runRecord } from './helpers/run-record.js';

/**
 * Runs `script` in a process of its own, in which `openStore` and `folder` stand ready, under `wrapper`; gives its
 * stdout.
 */
async function inProcess(folder: string, script: string, wrapper: string[] = []): Promise<string> {
  const file = join(folder, '..', `${script.length}-${process.pid}.mjs`);
  const contents = `
    import { openStore } from './src/store/local-store.ts';
    const folder = ${JSON.stringify(folder)};
    ${script}`;
  await build({
    stdin: { contents, resolveDir: process.cwd(), loader: 'ts' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    // Packages in CommonJS look for Node's modules at run time.
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    outfile: file,
    logLevel: 'error',
  });
  const [program = process.execPath, ...args] = [...wrapper, process.execPath, file];
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let out = '';
  child.stdout.on('data', (chunk) => (out += String(chunk)));
  await once(child, 'close');
  return out;
}

const RECORD = runRecord('review-abc', { plan_name: 'review', workspace: '..' });

describe('opening a store', () => {
  it('makes a private folder with an id that stays, and that Git ignores', async () => {
    const folder = join(await temporaryFolder(), '.perdure');
    const { id } = await openStore(folder);
    expect(id).toMatch(/^[a-z2-7]{8}$/);
    expect((await openStore(folder)).id).toBe(id);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    expect(await readFile(join(folder, '.gitignore'), 'utf8')).toBe('*\n');
  });

  it('by many at once gives all the same id', async () => {
    const folder = join(await temporaryFolder(), '.perdure');
    const stores = await Promise.all(Array.from({ length: 20 }, () => openStore(folder)));
    expect(new Set(stores.map(({ id }) => id)).size).toBe(1);
    expect((await readdir(folder)).sort()).toEqual(['.gitignore', 'store.json']);
  });

  it('by several processes at once gives all the same id', async () => {
    const folder = join(await temporaryFolder(), '.perdure');
    const ids = await Promise.all(
      [1, 2, 3, 4].map((n) => inProcess(folder, `${' '.repeat(n)}console.log((await openStore(folder)).id)`)),
    );
    expect(new Set(ids).size).toBe(1);
    expect(ids[0]).toMatch(/^[a-z2-7]{8}\n$/);
  });

  it.each([
    ['a file in its place', async (folder: string) => writeFile(folder, 'x'), /ENOTDIR|EEXIST/],
    [
      'an identity that is no JSON',
      async (folder: string) => {
        await mkdir(folder);
        await writeFile(join(folder, 'store.json'), '{');
      },
      /Move the folder away/,
    ],
    [
      'a store of another version',
      async (folder: string) => {
        await mkdir(folder);
        await writeFile(join(folder, 'store.json'), '{"id":"abcdefgh","version":9}');
      },
      /version `1`, got `9`/,
    ],
  ])('with %s is one clear failure', async (_what, prepare, message) => {
    const folder = join(await temporaryFolder(), '.perdure');
    await prepare(folder);
    await expect(openStore(folder)).rejects.toMatchObject({
      name: 'StoreFailure',
      message: expect.stringMatching(message),
    });
  });

  it('where one may not write is one clear failure', async () => {
    const script =
      'try { await openStore(folder + "/locked/.perdure"); console.log("opened") } catch (error) { ' +
      'console.log(error.name, error.message) }';
    // Root may write anywhere, so the test gives that up.
    const given = '-dac_override,-dac_read_search,-fowner';
    const bound = process.getuid?.() === 0 ? ['setpriv', '--bounding-set', given, '--inh-caps', given] : [];
    const folder = await temporaryFolder();
    await mkdir(join(folder, 'locked'), { mode: 0o555 });
    expect(await inProcess(folder, script, bound)).toMatch(
      /^StoreFailure Cannot create .*expected a folder that this user may write, got EACCES/,
    );
  });
});

it('a full disk is a failure that says so, and leaves no part of a value', async () => {
  const folder = join(await temporaryFolder(), '.perdure');
  const script = `
    process.on('SIGXFSZ', () => {});
    const store = await openStore(folder);
    await store.putAlways('small '.repeat(200));
    try { await store.putAlways('big '.repeat(100_000)); console.log('stored') }
    catch (error) { console.log(error.type, error.message) }
    const log = store.openLog('run', 'step');
    log.write('stdout', 'x'.repeat(60_000)); log.write('stdout', 'x'.repeat(60_000));
    try { await log.close(); console.log('logged') } catch (error) { console.log(error.type) }`;
  const said = await inProcess(folder, script, ['prlimit', `--fsize=${64 * 1024}`]);
  expect(said).toMatch(/^store-full Cannot write .*no space is left there \(EFBIG\)[\s\S]*\nstore-full\n$/);
  const files = (await readdir(join(folder, 'values'), { recursive: true, withFileTypes: true })).filter((entry) =>
    entry.isFile(),
  );
  for (const { parentPath, name } of files)
    expect(sha256(await readFile(join(parentPath, name)))).toBe(`sha256:${name}`);
  expect(files).toHaveLength(1);
});

describe('a plan', () => {
  const made = plan([commandStep(0, ['true'])]);

  it('comes back from the disk as it was', async () => {
    const folder = await temporaryFolder();
    await (await openStore(folder)).putPlan(made);
    expect(await (await openStore(folder)).getPlan(made.hash)).toEqual(made);
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
    const store = await openStore(await temporaryFolder());
    await expect(store.putPlan({ ...made, name: 'another' })).rejects.toMatchObject({
      message: expect.stringContaining('corrupt'),
    });
    await expect(store.getPlan(made.hash)).rejects.toMatchObject({
      type: 'store-missing',
      message: expect.stringContaining(made.hash),
    });
  });

  it('that was changed on the disk is corrupt', async () => {
    const folder = await temporaryFolder();
    await (await openStore(folder)).putPlan(made);
    const hex = made.hash.slice(7);
    await writeFile(join(folder, 'plans', hex.slice(0, 2), hex), JSON.stringify({ ...made, name: 'another' }));
    await expect((await openStore(folder)).getPlan(made.hash)).rejects.toMatchObject({
      type: 'store-missing',
      message: expect.stringContaining('corrupt'),
    });
  });
});

describe('records of runs', () => {
  it('are kept by id, and listed', async () => {
    const folder = await temporaryFolder();
    const store = await openStore(folder);
    expect(await store.listRuns()).toEqual([]);
    await store.writeRun(RECORD);
    await store.writeRun({ ...RECORD, run: 'another-1' });
    expect(await (await openStore(folder)).readRun('review-abc')).toEqual(RECORD);
    expect(await store.listRuns()).toEqual(['another-1', 'review-abc']);
    expect(await store.readRun('never-was')).toBeNull();
  });

  it('are given the latest first, without what cannot be read', async () => {
    const folder = await temporaryFolder();
    const store = await openStore(folder);
    for (const [run, ended_at] of Object.entries({
      a: '2026-01-02',
      b: '2026-01-03',
      'b/c': '2026-01-04',
      d: '2026-01-01',
    }))
      await store.writeRun({ ...RECORD, run, ended_at });
    await writeFile(join(folder, 'runs', 'e.json'), 'spoilt');
    const pages: RunRecord[][] = [];
    for await (const page of store.closedRuns()) pages.push(page);
    expect(pages.flat().map(({ run }) => run)).toEqual(['b', 'a', 'd']);
  });

  it('are counted, and given by pages of the wanted size', async () => {
    const store = await openStore(await temporaryFolder());
    expect(await store.countRuns()).toBe(0);
    for (const day of [3, 1, 5, 2, 4])
      await store.writeRun({ ...RECORD, run: `day-${day}`, ended_at: `2026-01-0${day}` });
    await store.writeRun({ ...RECORD, run: 'day-1/nested' });
    expect(await store.countRuns()).toBe(5);
    const pages: string[][] = [];
    for await (const page of store.closedRuns(2)) pages.push(page.map(({ run }) => run));
    expect(pages).toEqual([['day-5', 'day-4'], ['day-3', 'day-2'], ['day-1']]);
    // One that is written again is where it ended last.
    await store.writeRun({ ...RECORD, run: 'day-1', ended_at: '2026-01-06' });
    expect((await store.closedRuns(1).next()).value).toMatchObject([{ run: 'day-1' }]);
  });

  it('tell which of those that were submitted have ended', async () => {
    const store = await openStore(await temporaryFolder());
    const submitted = { definition: 'd', rehearsal: false, submitted_by: 'ana', submitted_at: '2026-01-01T00:00:00Z' };
    const runs = ['open', 'closed', 'v1.2', 'r'.repeat(128)];
    for (const run of runs) await store.noteSubmitted({ ...submitted, run });
    const unrecorded = async (): Promise<string[]> => (await store.listUnrecorded()).map(({ run }) => run).sort();
    expect(await unrecorded()).toEqual(runs.toSorted());
    for (const run of runs.slice(1)) await store.writeRun({ ...RECORD, run });
    expect(await unrecorded()).toEqual(['open']);
    const read = await store.readSubmitted(['v1.2', 'never', 'open']);
    expect(read.map(({ run }) => run).sort()).toEqual(['open', 'v1.2']);
  });

  it('are there only once what they name is', async () => {
    const folder = await temporaryFolder();
    const store = await openStore(folder);
    let putAway = (): void => undefined;
    const written = store.writeRun(
      RECORD,
      new Promise<void>((resolve) => {
        putAway = resolve;
      }),
    );
    while (!(await readdir(folder)).includes('runs') || (await readdir(join(folder, 'runs'))).length === 0);
    expect(await store.listRuns()).toEqual([]);
    putAway();
    await written;
    expect(await store.listRuns()).toEqual(['review-abc']);
    const lost = Promise.reject(new Error('lost'));
    lost.catch(() => undefined); // also told by the record
    await expect(store.writeRun({ ...RECORD, run: 'another-1' }, lost)).rejects.toMatchObject({ name: 'StoreFailure' });
    expect(await store.listRuns()).toEqual(['review-abc']);
  });

  it('of nested runs are kept however deep they are, and not listed', async () => {
    const store = await openStore(await temporaryFolder());
    for (const run of ['review-abc/report', `${'r'.repeat(128)}/${Array(5).fill('s'.repeat(63)).join('/')}`]) {
      await store.writeRun({ ...RECORD, run });
      expect((await store.readRun(run))?.run).toBe(run);
    }
    expect(await store.listRuns()).toEqual([]);
  });

  it.each(['../escape', 'a/../b', 'a/', 'a+b', '/a', '', '.hidden', 'a\u001b[31m'])(
    'with the id `%s` are neither written nor looked for',
    async (run) => {
      const folder = await temporaryFolder();
      const store = await openStore(join(folder, '.perdure'));
      await expect(store.writeRun({ ...RECORD, run })).rejects.toMatchObject({ name: 'StoreFailure' });
      expect(await store.readRun(run)).toBeNull();
      expect(await readdir(folder)).toEqual(['.perdure']);
    },
  );
});
