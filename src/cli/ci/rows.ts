import type { RunView, StepView } from '../observe/view/view.js';
import { nestedIn } from '../observe/view/view.js';
import { cutLast, isCut, isEndedByLimit } from '../render/failures.js';

/** One step as reports of CI list it: by its path, those in blocks and nested runs too, outer ones first. */
export interface CiRow {
  path: string;
  status: StepView['status'];
  /** Milliseconds. */
  ms: number;
  usd: number | null;
  tokens: number;
  /** Why it did not succeed, in its own words. */
  error: string | null;
  /** It stands for itself: nothing that failed is below it, or a limit of its own cut that off. */
  own: boolean;
  isCut: boolean;
}

/** All steps of a run. */
export function ciRows({ steps }: Pick<RunView, 'steps'>): CiRow[] {
  return steps.flatMap((step) => {
    const below = [...step.rounds.flatMap(ciRows), ...nestedIn(step).flatMap(ciRows)].filter(
      ({ path }) => path !== step.path,
    );
    const { result, status, path } = step;
    const failed = below.filter(isFailed);
    const isLate = isEndedByLimit(step, failed);
    return [
      {
        path,
        status,
        ms: result?.duration_ms ?? 0,
        usd: (result?.spend ?? step.spent).usd,
        tokens: (result?.spend ?? step.spent).tokens,
        error: result?.error ?? (status === 'waiting' ? `waits for a person: ${step.gate?.message ?? ''}` : null),
        own: failed.length === 0 || isLate,
        isCut: isCut(step),
      },
      ...(isLate ? below.map((row) => ({ ...row, own: row.own && !row.isCut })) : below),
    ];
  });
}

/** What failed by itself, or still waits; last what was cut off for it. */
export function failedRows(rows: CiRow[]): CiRow[] {
  return cutLast(rows.filter((row) => isFailed(row) && row.own));
}

/** Tells whether a step failed, or still waits where nobody is. */
export function isFailed({ status }: Pick<CiRow, 'status'>): boolean {
  return status === 'error' || status === 'timeout' || status === 'waiting';
}
