// @module-tag postgres
// @module-tag bucket
// @seconds 60
import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, renameSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { until } from '../../project.js';
import { FULL } from '../../seed.js';
import { backups } from './backups.js';
import { BUCKET_KEYS, startGateway } from '../gateway.js';
import { endOf, openMachine, openShared, startWorker } from '../machines.js';

const CANARY = 'qzkwvxyj';
/** Its values are objects of the bucket: one of before the gate, one of after it. */
const FLOW = `name: flow
steps:
  - {id: before, command: [sh, -c, "yes ${CANARY} | head -c 20000"], max_output_kb: 100}
  - {id: gate, approval: Go on?}
  - id: after
    command: [sh, -c, "cat; yes after | head -c 20000"]
    stdin: "\${steps.before.output}"
    max_output_kb: 100
  - {id: last, command: [wc, -c], stdin: "\${steps.after.output}"}
output: "\${steps.last.output}"
`;

describe.each(FULL ? ['with a real gateway of S3'] : [])('a backup of both databases and the keys, %s', () => {
  it('is all that it takes to go on elsewhere; without the keys or the bucket it is said what is missing', async () => {
    const [shared, gateway] = [await openShared(), await startGateway('team')];
    onTestFinished(async () => {
      await shared.close();
      await gateway.remove();
    });
    const url = await shared.postgres.createDatabase();
    const blobs = `{bucket: team, endpoint: "${gateway.endpoint}", above_kb: 4}`;
    const config = `store: {postgres: "\${env.TEAM_STORE}", blobs: ${blobs}}\n`;
    const files = { 'perdure.yml': `${config}encryption: {keys: ["\${env.KEY}"]}\n`, 'flow.yml': FLOW };
    const env = {
      ...{ TEAM_STORE: url, TEMPORAL_ADDRESS: shared.address, KEY: randomBytes(32).toString('base64') },
      ...BUCKET_KEYS,
    };
    const one = await openMachine(files, env);
    const { take, restoreStore, restoreServer } = backups(shared, url);
    let worker = await startWorker(one);
    expect(await one.run('run', 'flow.yml', '--id', 'flow', '--detach')).toMatchObject({ code: 0 });
    await until(async () => (await one.run('list', '--waiting')).stdout.includes('flow/gate'));
    await take('both');
    // What happens after the backup is lost, but for what it left in the bucket.
    expect(await one.run('approve', 'flow/gate')).toMatchObject({ code: 0 });
    expect(await endOf(one, 'flow')).toMatchObject({ status: 'success' });
    const objects = join(gateway.folder, 'team', 'values', 'sha256');
    const kept = readdirSync(objects).length;
    expect(kept).toBeGreaterThan(1);
    worker.process.kill('SIGKILL');
    await worker.finished;
    await restoreServer('both');
    await restoreStore('both');

    const keyless = await (await openMachine({ ...files, 'perdure.yml': config }, env)).run('store', 'verify');
    expect([keyless.code, keyless.stderr]).toEqual([
      expect.any(Number),
      expect.stringMatching(/is encrypted with the key `[^`]+`, and perdure\.yml names no keys\.\n/),
    ]);
    const other = await openMachine(files, env);
    expect(await other.run('store', 'verify')).toMatchObject({ code: 0 });
    const away = `${objects}-away`;
    renameSync(objects, away);
    mkdirSync(objects);
    const emptied = await other.run('store', 'verify');
    expect([emptied.code, emptied.stdout + emptied.stderr]).toEqual([
      1,
      expect.stringContaining('is missing from the bucket'),
    ]);
    rmdirSync(objects);
    renameSync(away, objects);

    // Who was killed counts as there for some seconds: nobody else takes what works in its folder before.
    await until(async () => (await other.run('workers', '--json')).stdout.trim() === '[]');
    worker = await startWorker(other);
    expect(worker.said()).toContain('Ready');
    await until(async () => (await other.run('list', '--waiting')).stdout.includes('flow/gate'));
    expect(await other.run('approve', 'flow/gate')).toMatchObject({ code: 0 });
    expect(await endOf(other, 'flow')).toMatchObject({ status: 'success' });
    expect(readdirSync(objects)).toHaveLength(kept);
    expect((await other.run('logs', 'flow', 'before')).stdout).toContain(CANARY);
  });
});
