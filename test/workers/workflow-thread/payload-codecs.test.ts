import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { Client } from '@temporalio/client';
import type { Payload, PayloadCodec } from '@temporalio/common';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { temporal } from '@temporalio/proto';
import { Worker } from '@temporalio/worker';
import { describe, expect, it } from 'vitest';
import { SCENARIOS } from '../../replay/scenarios.js';
import { harnessOfFile, startRun } from '../../workflows/helpers/harness.js';

const ENCODING = 'binary/encrypted';
const key = randomBytes(32);
const harness = await harnessOfFile();

/** Encrypts all of a payload, as teams do on servers of others. */
const codec: PayloadCodec = {
  encode: (payloads) => Promise.resolve(payloads.map(encrypted)),
  decode: (payloads) => Promise.resolve(payloads.map(decrypted)),
};
const dataConverter = { payloadCodecs: [codec] };

describe('a worker with a codec that encrypts', () => {
  it.each([
    ['gate-by-update', 'success'],
    ['nested', 'success'],
    ['quick-steps', 'partial'],
    ['bodies', 'partial'],
  ])('does the run `%s` whose history holds nothing in plain, and replays it', async (name, status) => {
    const scenario = SCENARIOS.find((one) => one.name === name)!; // named above
    const client = new Client({ connection: harness.client.connection, dataConverter });
    const taskQueue = `encrypted-${name}`;
    const stop = await harness.work(taskQueue, undefined, dataConverter);
    try {
      const handle = await startRun({ ...harness, client }, scenario.plan, { taskQueue, id: taskQueue });
      await scenario.drive?.({ ...harness, client }, handle);
      await expect(handle.result()).resolves.toMatchObject({ status });
      const history = await client.workflow.getHandle(handle.workflowId).fetchHistory();
      expect(plainIn(JSON.parse(historyToJSON(history)))).toEqual([]);
      const code = await readFile(new URL('../../../dist/workflow-bundle.js', import.meta.url), 'utf8');
      await Worker.runReplayHistory({ workflowBundle: { code }, dataConverter }, history, handle.workflowId);
    } finally {
      await stop();
    }
  });
});

function encrypted(payload: Payload): Payload {
  const start = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, start);
  const text = temporal.api.common.v1.Payload.encode(payload).finish();
  const data = Buffer.concat([start, cipher.update(text), cipher.final(), cipher.getAuthTag()]);
  return { metadata: { encoding: Buffer.from(ENCODING) }, data };
}

function decrypted({ data }: Payload): Payload {
  const bytes = Buffer.from(data ?? []);
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12));
  decipher.setAuthTag(bytes.subarray(-16));
  return temporal.api.common.v1.Payload.decode(
    Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()]),
  );
}

/**
 * What Temporal writes in plain for every worker, whatever it runs: of a local activity its id and type, of a patch its
 * id, and search attributes, by which the server finds runs.
 */
const OF_TEMPORAL = /\/(?:details\/(?:data|patch-data)|searchAttributes)\//;

/** Where a history in JSON has payloads of the run that are not encrypted. */
function plainIn(json: unknown, path = ''): string[] {
  if (typeof json !== 'object' || json === null) return [];
  const { encoding } = (json as { metadata?: { encoding?: string } }).metadata ?? {};
  if (encoding !== undefined)
    return Buffer.from(encoding, 'base64').toString() === ENCODING || OF_TEMPORAL.test(path) ? [] : [path];
  return Object.entries(json).flatMap(([name, part]) => plainIn(part, `${path}/${name}`));
}
