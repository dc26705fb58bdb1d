import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { Worker } from '@temporalio/worker';
import { describe, expect, it } from 'vitest';
import { createKeyRing } from '../../../src/store/encryption/key-ring.js';
import { createClient } from '../../../src/workers/connection/temporal-client.js';
import { dataConverter } from '../../../src/workers/encryption/data-converter.js';
import { SCENARIOS } from '../../replay/scenarios.js';
import { harnessOfFile, startRun } from '../../workflows/helpers/harness.js';

const ENCODING = 'binary/encrypted';
const keys = createKeyRing([randomBytes(32)]);
const converter = dataConverter(keys);
const harness = await harnessOfFile();

describe('a worker with a codec that encrypts', () => {
  it.each([
    ['gate-by-update', 'success'],
    ['nested', 'success'],
    ['quick-steps', 'partial'],
    ['bodies', 'partial'],
  ])('does the run `%s` whose history holds nothing in plain, and replays it', async (name, status) => {
    const scenario = SCENARIOS.find((one) => one.name === name)!; // named above
    const client = createClient({ connection: harness.client.connection, namespace: 'default', keys });
    const taskQueue = `encrypted-${name}`;
    const stop = await harness.work(taskQueue, undefined, converter.dataConverter);
    try {
      const handle = await startRun({ ...harness, client }, scenario.plan, { taskQueue, id: taskQueue });
      await scenario.drive?.({ ...harness, client }, handle);
      await expect(handle.result()).resolves.toMatchObject({ status });
      const history = await client.workflow.getHandle(handle.workflowId).fetchHistory();
      expect(plainIn(JSON.parse(historyToJSON(history)))).toEqual([]);
      const code = await readFile(new URL('../../../dist/workflow-bundle.js', import.meta.url), 'utf8');
      await Worker.runReplayHistory({ workflowBundle: { code }, ...converter }, history, handle.workflowId);
    } finally {
      await stop();
    }
  });
});

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
  const { source, message } = json as { source?: string; message?: string };
  if (source === 'TypeScriptSDK' && message !== 'Encoded failure') return [`${path}/message`];
  return Object.entries(json).flatMap(([name, part]) => plainIn(part, `${path}/${name}`));
}
