/**
 * A set of whole numbers as ranges that rise and do not touch, each without its end. What stands before a node of a
 * flow is nearly always one range, however long the flow is.
 */
export type Ranges = readonly (readonly [from: number, to: number])[];

/** All numbers that are in any of the sets. */
export function unionOf(sets: Ranges[]): Ranges {
  const [only] = sets;
  if (sets.length === 1 && only !== undefined) return only;
  const union: [number, number][] = [];
  for (const [from, to] of sets.flat().sort(([a], [b]) => a - b)) {
    const last = union.at(-1);
    if (last !== undefined && from <= last[1]) last[1] = Math.max(last[1], to);
    else union.push([from, to]);
  }
  return union;
}

export function isIn(ranges: Ranges, number: number): boolean {
  return ranges.some(([from, to]) => from <= number && number < to);
}
