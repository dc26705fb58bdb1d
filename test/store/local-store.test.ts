import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { openStore } from '../../src/store/local-store.js';
import { sha256 } from '../../src/store/hash.js';
import { plan } from '../plan/helpers/build-plan.js';
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

  it('where no folder can be made is one clear failure', async () => {
    await expect(openStore('/proc/none/.perdure')).rejects.toThrow('Cannot create `/proc/none/.perdure`');
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

it('keeps each kind of record where earlier versions of Perdure have it', async () => {
  const folder = join(await temporaryFolder(), '.perdure');
  const store = await openStore(folder);
  const name = (path: string): Promise<string[]> => readdir(join(folder, path));
  await store.putAlways('x'.repeat(1_000));
  const log = store.openLog('run', 'step');
  log.write('note', 'x');
  await log.close();
  store.keepAlive()();
  await store.sign('x');
  await store.writeJournal({ scope: 'run', key: 'k' }, { request: sha256('q'), response: 'a', at: 'now' }, true);
  await store.writeDevice('board', { port: 'x' });
  await store.changeFollowers({});
  await store.writePause('anthropic', { until: Date.now() + 60_000, reason: 'full' });
  await store.taint(sha256('x'), 'run');
  await store.claimConcept('run', 'loop');
  await store.writeRecorded('run', { answers: [] });
  await store.writeRun(runRecord('run'));
  await store.putPlan(plan([]));
  await store.writeMade({ file: join(folder, 'a.yml'), hash: sha256('x'), made_at: 'then' });
  await store.takeHookPlace('hook', { starter: 'a', at: 'then', most: 1, ended: [] });
  const session = { session_id: 'task-1', agent_name: 'a', description: 'd', created_at: '2026-01-01T00:00:00.000Z' };
  await store.createSession(session);
  await store.noteSubmitted({
    ...{ run: 'run-2', definition: 'a.yml', rehearsal: false },
    ...{ submitted_by: 'ana', submitted_at: '2026-01-01T00:00:00.000Z' },
  });
  await store.requireWorkers(['gpu']);
  expect((await name('')).sort()).toEqual([
    '.gitignore',
    'alive',
    'approval.key',
    'devices',
    'followers.json',
    'followers.json.lease',
    'hooks',
    'journal',
    'logs',
    'made',
    'memory',
    'narration',
    'plans',
    'providers',
    'recorded',
    'runs',
    'sessions',
    'store.json',
    'submitted',
    'values',
    'workers',
  ]);
  expect((await name('values')).length).toBeGreaterThan(0);
});
