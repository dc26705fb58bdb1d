import type { WorkflowHandle } from '@temporalio/client';
import { reuse } from '../definitions.js';
import type { Bench } from '../environment.js';
import { pairOf } from '../measure.js';
import type { Measured } from '../measure.js';
import type { Row } from '../row.js';

type Unit = 'bytes' | 'events';

/** Values made in the small and in the large run; each is a step, and used by five more. */
const FEW = 2;
const MANY = 12;
const STEPS_PER_VALUE = 6;

/** History grows by a step's share and begins with what a run has once: both are told, the target is for the share. */
export const historyRows: Row[] = [1, 30].flatMap((kilobytes) => [
  historyRow(kilobytes, 'bytes'),
  historyRow(kilobytes, 'events'),
]);

function historyRow(kilobytes: number, unit: Unit): Row {
  return {
    name: `history-${unit}-${kilobytes}k`,
    workload: `history ${unit} per step, ${kilobytes} KB outputs each used by 5 later steps`,
    against: 'hand-written passing values',
    unit,
    target: { atMost: unit === 'bytes' ? 0.6 : 1 },
    // The same every time: sizes do not vary.
    rounds: 1,
    measure: (bench) => measure(bench, kilobytes, unit),
  };
}

async function measure({ ours, byHand }: Bench, kilobytes: number, unit: Unit): Promise<Measured> {
  const argv = ['node', '-e', `process.stdout.write('x'.repeat(${kilobytes * 1024}))`];
  const mine = await line(
    async (values) => ours.run(await ours.compile(reuse(argv, values, `bench-reuse-${kilobytes}-${values}`))),
    unit,
  );
  const other = await line((values) => byHand.run('reuse', [argv, values]), unit);
  const note =
    `once a run: ours ${Math.round(mine.once).toLocaleString('en-US')}, theirs ` +
    `${Math.round(other.once).toLocaleString('en-US')}`;
  return { ...pairOf([[mine.step, other.step]]), note };
}

/** What a run has once, and what each step adds, from two runs of different length. */
async function line(
  run: (values: number) => Promise<WorkflowHandle>,
  unit: Unit,
): Promise<{ once: number; step: number }> {
  const [small, large] = [await sizeOf(await run(FEW), unit), await sizeOf(await run(MANY), unit)];
  const step = (large - small) / ((MANY - FEW) * STEPS_PER_VALUE);
  return { step, once: small - step * FEW * STEPS_PER_VALUE };
}

/** Bytes or events of a run's history, as the server counts them. */
export async function sizeOf(handle: WorkflowHandle, unit: Unit): Promise<number> {
  const { historyLength, historySize } = await handle.describe();
  if (unit === 'events') return historyLength;
  if (historySize === undefined) throw new Error('The server tells no history size');
  return historySize;
}
