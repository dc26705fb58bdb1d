import type { Bench } from './environment.js';
import type { Measurement, PairResult, Spread } from './measure.js';
import { measurePair } from './measure.js';

/** How time grows with one quantity. Each is a file of `curves/`, and becomes a picture. */
export interface Curve {
  /** Name on the command line, and of the picture. */
  name: string;
  title: string;
  /** What grows. */
  across: string;
  /** What one of it is, in `ms per …`. */
  unit: string;
  points: number[];
  /** Points that take long: only with `--full`. */
  further: number[];
  rounds: number;
  /** What each side does at a point; the numbers are milliseconds. */
  sidesAt: (bench: Bench, point: number) => Promise<{ ours: Measurement; theirs: Measurement }>;
}

export interface CurvePoint extends PairResult {
  at: number;
}

export interface CurveResult {
  curve: Pick<Curve, 'name' | 'title' | 'across' | 'unit'>;
  /** Milliseconds per unit. */
  points: CurvePoint[];
}

/** Measures all points, with `full` the further ones too; the first is measured once more before, to warm up. */
export async function measureCurve({ sidesAt, points, further, rounds, ...curve }: Curve, bench: Bench, { wanted, full }: { wanted: number | null; full: boolean }): Promise<CurveResult> {
  const found: CurvePoint[] = [];
  for (const at of full ? [...points, ...further] : points) {
    const { ours, theirs } = await sidesAt(bench, at);
    const measured = await measurePair(ours, theirs, wanted ?? rounds, found.length === 0);
    found.push({ at, ratio: measured.ratio, ours: each(measured.ours, at), theirs: each(measured.theirs, at) });
  }
  return { curve, points: found };
}

function each({ median, low, high, rounds }: Spread, units: number): Spread {
  return { median: median / units, low: low / units, high: high / units, rounds };
}
