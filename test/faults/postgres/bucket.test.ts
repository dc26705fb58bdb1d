// @module-tag postgres
// @module-tag bucket
// @seconds 40
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import type { BucketPlace } from '../../../src/store/bucket/place.js';
import { createKeyRing } from '../../../src/store/encryption/key-ring.js';
import { openDatabaseStore, openPostgresStore } from '../../../src/store/postgres/postgres-store.js';
import { sealStore } from '../../../src/store/postgres/seal-store.js';
import { faultsIn, keptIn } from '../../../src/store/postgres/upkeep/store-report.js';
import { openProject, until } from '../project.js';
import { FULL } from '../seed.js';
import type { Gateway } from './gateway.js';
import { BUCKET_KEYS, startGateway } from './gateway.js';
import type { PostgresServer } from './server.js';
import { startPostgres } from './server.js';

describe.each(FULL ? ['with a real gateway of S3'] : [])('large values in a bucket, %s', () => {
  let server: PostgresServer;
  let gateway: Gateway;
  beforeAll(async () => {
    [server, gateway] = await Promise.all([startPostgres(), startGateway('team')]);
  }, 900_000);
  afterAll(async () => {
    await Promise.all([server.remove(), gateway.remove()]);
  });

  const place = (changed: Partial<BucketPlace> = {}): BucketPlace => ({
    bucket: 'team',
    prefix: `${randomBytes(4).toString('hex')}/`,
    region: 'us-east-1',
    endpoint: gateway.endpoint,
    aboveBytes: 1024,
    credentials: { accessKeyId: BUCKET_KEYS.AWS_ACCESS_KEY_ID, secretAccessKey: BUCKET_KEYS.AWS_SECRET_ACCESS_KEY },
    profile: null,
    ...changed,
  });
  const objects = (prefix: string): string[] => {
    const folder = join(gateway.folder, 'team', prefix, 'values', 'sha256');
    return readdirSync(folder).map((name) => join(folder, name));
  };
  function folder(): string {
    const made = mkdtempSync(join(tmpdir(), 'perdure-bucket-'));
    onTestFinished(() => rmSync(made, { recursive: true, force: true }));
    return made;
  }
  const LARGE = { text: 'canary of a large value '.repeat(500) };
  const SMALL = { text: 'small '.repeat(30) };

  it('are read by every machine, small ones stay in the database, and what was changed is not taken', async () => {
    const url = await server.createDatabase();
    const bucket = place();
    const here = await openDatabaseStore(url, folder(), { bucket });
    const [large, small] = [await here.store.putAlways(LARGE), await here.store.putAlways(SMALL)];
    await here.store.putAlways(LARGE);
    const there = await openPostgresStore(url, folder(), { bucket });
    expect([await there.get(large.ref), await there.get(small.ref)]).toEqual([LARGE, SMALL]);
    expect(objects(bucket.prefix)).toHaveLength(1);
    expect(await keptIn(here.database)).toMatchObject({ values: { count: 1 }, 'values in the bucket': { count: 1 } });
    await expect((await openPostgresStore(url, folder())).get(large.ref)).rejects.toThrow(/expected `store\.blobs`/);
    const [object = ''] = objects(bucket.prefix);
    writeFileSync(object, 'spoilt');
    await expect((await openPostgresStore(url, folder(), { bucket })).get(large.ref)).rejects.toMatchObject({
      type: 'store-missing',
    });
    expect(await faultsIn(here.database)).toEqual([`the value \`${large.ref}\` has another content`]);
    rmSync(object);
    expect(await faultsIn(here.database)).toEqual([`the value \`${large.ref}\` is missing from the bucket`]);
    await here.database.close();
  });

  it('are sealed where there are keys, and take a new key', async () => {
    const url = await server.createDatabase();
    const bucket = place();
    const [one, two] = [randomBytes(32), randomBytes(32)];
    const { ref } = await (await openPostgresStore(url, folder(), { bucket })).putAlways(LARGE);
    const text = (): string =>
      objects(bucket.prefix)
        .map((object) => readFileSync(object, 'latin1'))
        .join();
    expect(text()).toContain('canary of a large value');
    for (const ring of [createKeyRing([one]), createKeyRing([two, one])]) {
      const opened = await openDatabaseStore(url, folder(), { bucket, keys: ring });
      expect(await sealStore(opened.database)).toBeGreaterThan(0);
      expect(await sealStore(opened.database)).toBe(0);
      expect(text()).not.toContain('canary');
      expect(await faultsIn(opened.database)).toEqual([]);
      await opened.database.close();
    }
    const last = await openPostgresStore(url, folder(), { bucket, keys: createKeyRing([two]) });
    expect(await last.get(ref)).toEqual(LARGE);
  });

  it('wait while the bucket is away, or refuses, and the failure says what to do and no secret', async () => {
    const url = await server.createDatabase();
    const bucket = place();
    const store = await openPostgresStore(url, folder(), { bucket });
    const wrong = { ...bucket, credentials: { accessKeyId: 'canaryaccess', secretAccessKey: 'another-5ecret' } };
    const refused = await (await openPostgresStore(url, folder(), { bucket: wrong })).putAlways(LARGE).catch(String);
    expect(refused).toMatch(/refuses us .*credentials/);
    expect(refused).not.toMatch(/5ecret|canaryaccess/);
    await gateway.kill();
    const failure: unknown = await store.putAlways(LARGE).catch((error: unknown) => error);
    expect(failure).toMatchObject({ passes: true, message: expect.stringContaining('is not reached') as string });
    expect(await store.put('short')).toEqual({ value: 'short' });
    await gateway.start();
    expect(await store.get((await store.putAlways(LARGE)).ref)).toEqual(LARGE);
  });

  it('are a run’s, which waits while the bucket is away; no command of it has the keys', async () => {
    const url = await server.createDatabase();
    const { prefix } = place();
    const slow = 'echo begun; while [ ! -e go ]; do sleep 0.1; done; yes canary | head -c 90000';
    const sees = "env; cat /proc/$PPID/environ | tr '\\0' '\\n'; true";
    const flow = `name: flow
steps:
  - {id: slow, command: [sh, -c, "${slow}"], timeout: 120s}
  - {id: sees, command: [sh, -c, ${JSON.stringify(sees)}]}
  - {id: last, command: [wc, -c], stdin: "\${steps.slow.output}"}
`;
    const blobs = `{bucket: team, prefix: ${prefix}, endpoint: "${gateway.endpoint}", above_kb: 4}`;
    const project = await openProject(
      { 'perdure.yml': `store: {postgres: "\${env.TEAM_STORE}", blobs: ${blobs}}\n`, 'flow.yml': flow },
      { TEAM_STORE: url, ...BUCKET_KEYS },
    );
    onTestFinished(() => project.close());
    expect((await project.run('run', 'flow.yml', '--id', 'one', '--detach')).code).toBe(0);
    await until(async () => (await project.run('logs', 'one', 'slow')).stdout.includes('begun'));
    await gateway.kill();
    writeFileSync(join(project.folder, 'go'), '');
    await until(async () => (await project.run('show', 'one')).stdout.includes('bucket at'));
    await gateway.start();
    const { code, stderr } = await project.run('watch', 'one');
    expect(code, stderr).toBe(0);
    expect(JSON.parse((await project.run('show', 'one', '--json')).stdout)).toMatchObject({ status: 'success' });
    expect((await project.run('logs', 'one', 'sees')).stdout).not.toContain('5ecret');
    expect(objects(prefix)).not.toHaveLength(0);
  });
});
