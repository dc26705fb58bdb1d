import type { Test, TestReader } from './condition.js';
import type { Region } from './regions.js';
import { asksOutcome, looksAtPrior, variablesOf } from './tests.js';
import type { Watch } from './lowering.js';

export const UNWATCHED: Watch = { observed: false, outcome: false };

/** The conditions that look at what stands before a region. */
export function conditionsOf(region: Region, testOf: TestReader): Test[] {
  switch (region.kind) {
    case 'conditional':
      return region.source === null
        ? region.branches.map(({ condition }) => testOf(condition))
        : conditionsOf(region.source, testOf);
    case 'group':
    case 'loop':
      return conditionsOf(region.body, testOf);
    case 'sequence':
      return region.items[0] === undefined ? [] : conditionsOf(region.items[0], testOf);
    default:
      return [];
  }
}

export function watchBy(tests: Test[]): Watch {
  return { observed: tests.some(looksAtPrior), outcome: tests.some(asksOutcome) };
}

/** The variables that conditions look at, anywhere in a flow. */
export function watchedVariables(region: Region, testOf: TestReader): Map<string, boolean> {
  const watched = new Map<string, boolean>();
  const visit = (part: Region): void => {
    if (part.kind === 'sequence') part.items.forEach(visit);
    if (part.kind === 'parallel') part.branches.forEach(visit);
    if (part.kind === 'group' || part.kind === 'loop') visit(part.body);
    if (part.kind !== 'conditional') return;
    if (part.source !== null) visit(part.source);
    for (const { condition, body } of part.branches) {
      for (const { name, outcome } of variablesOf(testOf(condition)))
        watched.set(name, outcome || (watched.get(name) ?? false));
      visit(body);
    }
  };
  visit(region);
  return watched;
}
