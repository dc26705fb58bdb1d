import type { WorkflowHandle } from '@temporalio/client';
import { reuse } from '../definitions.js';
import { measurePair } from '../measure.js';
import type { Row } from '../row.js';

export const historyRows: Row[] = [1, 30].flatMap((kilobytes) => [historyRow(kilobytes, 'bytes'), historyRow(kilobytes, 'events')]);

function historyRow(kilobytes: number, unit: 'bytes' | 'events'): Row {
  return {
    name: `history-${unit}-${kilobytes}k`,
    workload: `history ${unit}, ${kilobytes} KB used by 5 later steps`,
    against: 'hand-written passing values',
    unit,
    target: { atMost: unit === 'bytes' ? 0.6 : 1 },
    // The same every time: sizes do not vary.
    rounds: 1,
    async measure({ ours, byHand }, rounds) {
      const plan = await ours.compile(reuse(kilobytes));
      const size = async (run: () => Promise<WorkflowHandle>): Promise<number> => sizeOf(await run(), unit);
      return measurePair(() => size(() => ours.run(plan)), () => size(() => byHand.run('reuse', [kilobytes])), rounds);
    },
  };
}

async function sizeOf(handle: WorkflowHandle, unit: 'bytes' | 'events'): Promise<number> {
  const { historyLength, historySize } = await handle.describe();
  if (unit === 'events') return historyLength;
  if (historySize === undefined) throw new Error('The server tells no history size');
  return historySize;
}
