import { proxyActivities, proxyLocalActivities, sleep } from '@temporalio/workflow';
import { condition, settled } from '../../../src/workflows/determinism/condition.js';

/** What `chained` calls. */
export interface ChainedActivities {
  /** Returns after so many milliseconds. */
  quick(ms: number): Promise<void>;
  slow(): Promise<void>;
}

const { quick } = proxyLocalActivities<ChainedActivities>({ startToCloseTimeout: '10s' });
const { slow } = proxyActivities<ChainedActivities>({ startToCloseTimeout: '10s' });

/** What a link of a chain waits for: the link before, or that nothing else happens. */
export type Link = 'condition' | 'settled';

/**
 * Two quick steps beside each other, the first of which ends first. From its end follow links, each from the one
 * before, and at last a timer; from the other's end follows an activity at once.
 */
export async function chained(link: Link, length: number): Promise<void> {
  const first = quick(50).then(async () => {
    await CHAINS[link](length);
    await sleep(1);
  });
  await Promise.all([first, quick(500).then(() => slow())]);
}

const CHAINS: Record<Link, (length: number) => Promise<void>> = {
  condition: async (length) => {
    let reached = 0;
    const links = Array.from({ length }, async (_, index) => {
      await condition(() => reached === index + 1);
      reached += 1;
    });
    reached = 1;
    await Promise.all(links);
  },
  settled: async (length) => {
    for (let index = 0; index < length; index += 1) await settled();
  },
};
