import { mkdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SCENARIOS } from '../replay/scenarios.js';
import type { Harness } from './harness.js';
import { openHarness } from './harness.js';

/**
 * Runs every scenario whose history is stored in `test/replay/`. With `PERDURE_RECORD=1` the histories are written
 * anew: do that for new scenarios only, since old files are what shows that old runs still replay (I14).
 */
const FOLDER = fileURLToPath(new URL('../replay/histories', import.meta.url));
const RECORD = process.env['PERDURE_RECORD'] === '1';

let harness: Harness;
beforeAll(async () => { harness = await openHarness(); });
afterAll(async () => { await harness.close(); });

describe('the scenarios of stored histories', () => {
  it.each(SCENARIOS)('$name comes to an end', async ({ name, plan, nested = [], drive }) => {
    const handle = await harness.start(plan, { id: name, settings: { workspace: '/' } });
    await drive?.(harness, handle);
    await handle.result().catch(() => undefined); // some end in failure, on purpose
    const links = [{ file: name, handle: harness.client.workflow.getHandle(name, handle.firstExecutionRunId) }, ...nested.map((path) => ({ file: `${name}.${path}`, handle: harness.client.workflow.getHandle(`${name}/${path}`) }))];
    for (const link of links) {
      const history = await link.handle.fetchHistory();
      expect(history.events?.length ?? 0).toBeGreaterThan(5);
      if (RECORD) await store(link.file, historyToJSON(history));
    }
  });
});

/** Worker and client identities name the machine; nothing replays by them. */
async function store(name: string, json: string): Promise<void> {
  await mkdir(FOLDER, { recursive: true });
  const scrubbed = JSON.stringify(JSON.parse(json)).replace(/"identity":"[^"]*"/g, '"identity":""');
  await writeFile(`${FOLDER}/${name}.json.gz`, gzipSync(scrubbed, { level: 9 }), { flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
}
