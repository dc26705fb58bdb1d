// @module-tag postgres
// @module-tag sandbox
// @seconds 60
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { toFailure } from '../../../src/activities/failures.js';
import { KeyError } from '../../../src/store/encryption/key-error.js';
import { createKeyRing } from '../../../src/store/encryption/key-ring.js';
import { sha256 } from '../../../src/store/hash.js';
import { readAddress } from '../../../src/store/postgres/address.js';
import { openDatabase } from '../../../src/store/postgres/database.js';
import { openPostgresStore } from '../../../src/store/postgres/postgres-store.js';
import { sealStore } from '../../../src/store/postgres/seal-store.js';
import { faultsIn } from '../../../src/store/postgres/upkeep/store-report.js';
import type { Store } from '../../../src/store/store.js';
import { CANARIES, FILES, foundIn, runAll } from '../../commands/helpers/canaries.js';
import type { ModelEndpoint } from '../../fakes/model-endpoint.js';
import { startModelEndpoint } from '../../fakes/model-endpoint.js';
import { openProject, projectAt, until } from '../project.js';
import type { PostgresServer } from './server.js';
import { startPostgres } from './server.js';

let server: PostgresServer;
let endpoint: ModelEndpoint;
beforeAll(async () => {
  server = await startPostgres();
  endpoint = await startModelEndpoint(() => ({ text: `So it is: ${CANARIES.answer}.` }));
});
afterAll(async () => {
  await endpoint.close();
  await server.remove();
});

const newKey = (): Buffer => randomBytes(32);
const STORE = 'store: {postgres: "${env.TEAM_STORE}"}\n';
const KEYS = (...names: string[]): string =>
  `encryption:\n  keys: [${names.map((name) => `"\${env.${name}}"`).join(', ')}]\n`;

/** All that the tables of a database have, a file for each. */
async function bytesOf(url: string): Promise<Map<string, Buffer>> {
  const tables = await server.query(
    url,
    `select table_name as name from information_schema.tables where table_schema = 'perdure'`,
  );
  const files = new Map<string, Buffer>();
  for (const { name } of tables as { name: string }[]) {
    const rows = await server.query(url, `select * from perdure.${name}`);
    const fields = rows.flatMap((row) => Object.values(row));
    files.set(
      name,
      Buffer.concat(fields.map((field) => (Buffer.isBuffer(field) ? field : Buffer.from(`${String(field)}\n`)))),
    );
  }
  return files;
}

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'perdure-sealed-'));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

describe('a database whose tables others can read', () => {
  const model = () => ({ ANTHROPIC_API_KEY: 'test', ANTHROPIC_BASE_URL: endpoint.url });

  it('has what runs are about where nothing is encrypted', async () => {
    const url = await server.createDatabase();
    const project = await openProject({ ...FILES, 'perdure.yml': STORE }, { ...model(), TEAM_STORE: url });
    onTestFinished(() => project.close());
    await runAll(project);
    expect(foundIn(await bytesOf(url))).toEqual(Object.keys(CANARIES));
  });

  it('has nothing of it where there are keys, and is not read without them', async () => {
    const url = await server.createDatabase();
    const env = {
      ...model(),
      TEAM_STORE: url,
      KEY_ONE: newKey().toString('base64'),
      KEY_TWO: newKey().toString('base64'),
    };
    const project = await openProject({ ...FILES, 'perdure.yml': `${STORE}${KEYS('KEY_ONE')}` }, env);
    onTestFinished(() => project.close());
    await runAll(project);
    expect(foundIn(await bytesOf(url))).toEqual([]);
    expect((await project.run('store', 'verify')).code).toBe(0);
    expect((await project.run('logs', 'all', 'slow')).stdout).toContain(CANARIES.result);
    const lacking = projectAt(project.folder, { ...env, KEY_ONE: env.KEY_TWO });
    const { code, stderr } = await lacking.run('show', 'all');
    expect([code, stderr]).toEqual([5, expect.stringContaining('This is encrypted with the key')]);
    expect(stderr).not.toContain(env.KEY_TWO);
  });

  it('is read by a codec server, for Temporal’s UI', async () => {
    const url = await server.createDatabase();
    const key = newKey();
    const store = await openPostgresStore(url, folder(), { keys: createKeyRing([key]) });
    const { ref, bytes } = await store.putAlways({ text: 'a value of some length' });
    const token = 'a-token-of-enough-letters';
    const project = await openProject(
      { 'perdure.yml': `${STORE}${KEYS('KEY_ONE')}` },
      { TEAM_STORE: url, KEY_ONE: key.toString('base64'), PERDURE_CODEC_TOKEN: token },
    );
    onTestFinished(() => project.close());
    const codec = project.start('codec-server', '--port', '0');
    let told = '';
    codec.process.stderr?.on('data', (chunk: Buffer) => (told += chunk.toString()));
    const address = await until(() => /Ready: codec server (\S+)/.exec(told)?.[1]);
    const payload = {
      metadata: { encoding: Buffer.from('json/plain').toString('base64') },
      data: Buffer.from(JSON.stringify({ ref, bytes })).toString('base64'),
    };
    const answer = await fetch(`${address}/decode`, {
      method: 'POST',
      body: JSON.stringify({ payloads: [payload] }),
      headers: { authorization: `Bearer ${token}` },
    });
    const { payloads } = (await answer.json()) as { payloads: { data: string }[] };
    const shown: unknown = JSON.parse(Buffer.from(payloads[0]?.data ?? '', 'base64').toString());
    expect(shown).toMatchObject({ ref, value: { text: 'a value of some length' } });
    codec.process.kill('SIGINT');
    expect((await codec.finished).code).toBe(0);
  });
});

describe('a store that is sealed', () => {
  const entry = { request: sha256('q'), response: 'answered', at: '2026-01-01T00:00:00.000Z' };
  const SUBMITTED = {
    run: 'run',
    definition: 'one',
    rehearsal: false,
    submitted_by: 'ana',
    submitted_at: entry.at,
  };
  const line = (text: string) => ({ stream: 'text' as const, text });

  async function fill(store: Store): Promise<{ ref: Parameters<Store['get']>[0] }> {
    const stored = await store.putAlways({ text: 'a value of some length' });
    await store.writeJournal({ scope: 's', key: 'k' }, entry);
    const log = store.openLog('run', 'step');
    log.write('text', 'a line of a log\n');
    await log.close();
    await store.noteSubmitted(SUBMITTED);
    return stored;
  }

  async function readsAll(store: Store, { ref }: { ref: Parameters<Store['get']>[0] }): Promise<void> {
    expect(await store.get(ref)).toEqual({ text: 'a value of some length' });
    expect(await store.readJournal({ scope: 's', key: 'k' })).toEqual(entry);
    expect((await store.readLog('run', 'step', 0)).lines).toMatchObject([line('a line of a log\n')]);
  }

  it('gives back what was written before there were keys, and takes a new key for all of it', async () => {
    const url = await server.createDatabase();
    const [one, two] = [newKey(), newKey()];
    const stored = await fill(await openPostgresStore(url, folder()));
    await readsAll(await openPostgresStore(url, folder(), { keys: createKeyRing([one]) }), stored);
    // From then on nobody reads it without keys.
    await expect(openPostgresStore(url, folder())).rejects.toThrow(/perdure\.yml names no keys/);
    const first = openDatabase(readAddress(url), { keys: createKeyRing([one]) });
    expect(await sealStore(first)).toBeGreaterThan(3);
    expect(await sealStore(first)).toBe(0);
    expect((await bytesOf(url)).get('logs')?.includes('a line of a log')).toBe(false);
    const both = createKeyRing([two, one]);
    await readsAll(await openPostgresStore(url, folder(), { keys: both }), stored);
    const second = openDatabase(readAddress(url), { keys: both });
    expect(await sealStore(second)).toBeGreaterThan(3);
    expect(await faultsIn(second)).toEqual([]);
    await readsAll(await openPostgresStore(url, folder(), { keys: createKeyRing([two]) }), stored);
    await expect(openPostgresStore(url, folder(), { keys: createKeyRing([one]) })).rejects.toThrow(
      /encrypted with the key/,
    );
    await Promise.all([first.close(), second.close()]);
  });

  it('knows what was written before as the same, though it is sealed anew each time', async () => {
    const url = await server.createDatabase();
    const store = await openPostgresStore(url, folder(), { keys: createKeyRing([newKey()]) });
    expect(await store.noteSubmitted(SUBMITTED)).toBe(true);
    expect(await store.noteSubmitted(SUBMITTED)).toBe(true);
    expect(await store.noteSubmitted({ ...SUBMITTED, submitted_by: 'bob' })).toBe(false);
    const taken = await store.claimQuestion({ scope: 's', key: 'k' }, sha256('q'));
    if (!('claim' in taken)) throw new Error('nobody has asked it');
    expect(await taken.claim.answer(entry)).toBe(true);
    expect(await taken.claim.answer(entry)).toBe(true);
    expect(await store.readJournal({ scope: 's', key: 'k' })).toEqual(entry);
  });

  it('says of a change to what another key has sealed that the key is missing, and that may pass', async () => {
    const url = await server.createDatabase();
    const [one, two] = [newKey(), newKey()];
    const store = await openPostgresStore(url, folder(), { keys: createKeyRing([one]) });
    const renewed = await openPostgresStore(url, folder(), { keys: createKeyRing([two, one]) });
    const key = { scope: 's', key: 'k' };
    await renewed.mergeJournal(key, () => entry);
    const failure = await store.mergeJournal(key, () => entry).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(KeyError);
    expect(toFailure(failure).nonRetryable).toBe(false);
  });
});
