import type { Bench } from './environment.js';
import type { Measured } from './measure.js';

/** One line of the table. Each is in a file of `rows/`. */
export interface Row {
  /** Name on the command line. */
  name: string;
  workload: string;
  against: string;
  unit: 'ms' | 'runs/s' | 'steps/s' | 'bytes' | 'events' | 'KiB';
  /** What the median ratio, ours ÷ theirs, should be; null where the row only reports. */
  target: { atMost: number } | { atLeast: number } | null;
  rounds: number;
  measure: (bench: Bench, rounds: number) => Promise<Measured>;
}

export interface RowResult extends Measured {
  row: Omit<Row, 'measure' | 'rounds'>;
  /** Null without a target. */
  met: boolean | null;
}

/** Measures a row, and judges it by its median. */
export async function measureRow(
  { measure, rounds, ...row }: Row,
  bench: Bench,
  wanted: number | null,
): Promise<RowResult> {
  const measured = await measure(bench, wanted ?? rounds);
  return { row, ...measured, met: isMet(row.target, measured) };
}

function isMet(target: Row['target'], { ratio }: Measured): boolean | null {
  if (target === null || ratio === null) return null;
  return 'atMost' in target ? ratio.median <= target.atMost : ratio.median >= target.atLeast;
}
