import type { Bench } from './environment.js';
import type { PairResult, Spread } from './measure.js';

/** One line of the table. Each is a file in `rows/`. */
export interface Row {
  /** Name on the command line. */
  name: string;
  workload: string;
  against: string;
  unit: 'ms' | 'runs/s' | 'bytes' | 'events' | 's';
  /** What the median ratio, ours ÷ theirs, should be; null where the row only reports. */
  target: { atMost: number } | { atLeast: number } | null;
  rounds: number;
  measure(bench: Bench, rounds: number): Promise<PairResult>;
}

export interface RowResult extends PairResult {
  row: Omit<Row, 'measure' | 'rounds'>;
  /** Null without a target. */
  met: boolean | null;
}

export function isMet(target: Row['target'], ratio: Spread): boolean | null {
  if (target === null) return null;
  return 'atMost' in target ? ratio.median <= target.atMost : ratio.median >= target.atLeast;
}
