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
  /** Of the larger points; a small one is measured until it adds up to `enough` units. */
  rounds: number;
  enough: number;
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

const MOST_ROUNDS = 15;

/**
 * Measures all points, with `full` the further ones too, after what warms both workers up: the last of the usual
 * points.
 */
export async function measureCurve(
  { sidesAt, points, further, rounds, enough, ...curve }: Curve,
  bench: Bench,
  { wanted, full }: { wanted: number | null; full: boolean },
): Promise<CurveResult> {
  const found: CurvePoint[] = [];
  const warmUp = await sidesAt(bench, Math.max(...points));
  await warmUp.ours(0);
  await warmUp.theirs(0);
  for (const at of full ? [...points, ...further] : points) {
    const { ours, theirs } = await sidesAt(bench, at);
    const measured = await measurePair(
      ours,
      theirs,
      wanted ?? Math.max(rounds, Math.min(MOST_ROUNDS, Math.ceil(enough / at))),
      false,
    );
    found.push({ at, ratio: measured.ratio, ours: each(measured.ours, at), theirs: each(measured.theirs, at) });
  }
  return { curve, points: found };
}

function each({ median, low, high, rounds }: Spread, units: number): Spread {
  return { median: median / units, low: low / units, high: high / units, rounds };
}
