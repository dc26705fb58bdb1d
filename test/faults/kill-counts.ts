import { expect } from 'vitest';

/** At least so many, and at most. */
export interface Count {
  least: number;
  most: number;
}

/**
 * How often the worker that was killed had done what begins at one point and has ended by another. What was under way
 * when it died at a point of something else may have been done, or not; what was to begin at its last point was not.
 */
export function count(points: string[], begins: string, ended: string): Count {
  return {
    least: points.filter((name) => name === ended).length,
    most: points.slice(0, -1).filter((name) => name === begins).length,
  };
}

/** How many of those are not among these. */
export function without(all: Count, some: Count): Count {
  return { least: Math.max(0, all.least - some.most), most: all.most - some.least };
}

/** Expects a number to lie within a count. */
export function expectWithin(number: number, { least, most }: Count, where: string): void {
  expect(number, where).toBeGreaterThanOrEqual(least);
  expect(number, where).toBeLessThanOrEqual(most);
}
