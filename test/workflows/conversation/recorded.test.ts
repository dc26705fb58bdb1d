// @seconds 35
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { record } from '../../replay/record.js';
import { SCENARIOS } from '../../replay/scenarios.js';
import type { Harness } from '../helpers/harness.js';
import { openHarness } from '../helpers/harness.js';

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness();
});
afterAll(async () => {
  await harness.close();
});

/** Runs every scenario whose history is stored in `test/replay/`; `PERDURE_RECORD=1` stores those of new ones. */
describe('the scenarios of stored histories', () => {
  it.each(SCENARIOS)('$name comes to an end', async ({ name, plan, nested = [], lease = {}, settings = {}, drive }) => {
    const handle = await harness.start(plan, { id: name, lease, settings: { workspace: '/', ...settings } });
    await drive?.(harness, handle);
    await handle.result().catch(() => undefined); // some end in failure, on purpose
    const links = [
      { file: name, handle: harness.client.workflow.getHandle(name, handle.firstExecutionRunId) },
      ...nested.map((path) => ({
        file: `${name}.${path.replaceAll('/', '.')}`,
        handle: harness.client.workflow.getHandle(`${name}/${path}`),
      })),
    ];
    for (const link of links) {
      const history = await link.handle.fetchHistory();
      expect(history.events?.length ?? 0).toBeGreaterThan(5);
      await record(link.file, history);
    }
  });
});
