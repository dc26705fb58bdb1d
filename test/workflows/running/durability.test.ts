import { afterAll, beforeAll, expect, it } from 'vitest';
import { planOf } from '../../compiler/helpers/temporary-project.js';
import type { Harness } from '../helpers/harness.js';
import { openHarness } from '../helpers/harness.js';
import { beforeJournalWrites } from '../../store/helpers/journal-writes.js';

let harness: Harness;
const synced: (boolean | undefined)[] = [];

beforeAll(async () => {
  harness = await openHarness();
  const { store } = harness;
  const noted = beforeJournalWrites({ ...store }, (key, _entry, isSynced) => {
    // What a rerun may take over is written too, and nobody waits for that.
    if (/"(?:command|tool)"\]$/.test(key.key)) synced.push(isSynced);
  });
  Object.assign(store, noted);
});
afterAll(async () => {
  await harness.close();
});

const STEPS = `steps:
  - {command: [echo, a], timeout: 10s}
  - {tool: write_file, inputs: {path: durable.txt, content: a}}
  - workflow: ./inner.yml
`;
const INNER = { 'inner.yml': 'steps:\n  - {command: [echo, b], timeout: 10s}\n' };

it.each([
  ['synced', true],
  [undefined, undefined],
] as const)('what quick steps came to waits for the disk where that is asked for: %s', async (durability, expected) => {
  synced.length = 0;
  const handle = await harness.start(planOf(STEPS, INNER), {
    settings: durability === undefined ? {} : { durability },
  });
  await handle.result();
  expect(synced).toEqual([expected, expected, expected]);
});
