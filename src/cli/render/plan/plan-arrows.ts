import type { Arrow } from './arrow.js';

/** So many steps are compared with each other; beyond that every edge is drawn. */
const MOST_REDUCED = 2_000;

/**
 * The edges that order the same steps with the fewest arrows: one that a longer way implies is left out (transitive
 * reduction). `needs` are, for each step, the positions of those it waits for.
 */
export function leanArrows(needs: number[][]): Arrow[] {
  const arrows = needs.flatMap((sources, to) => sources.map((from) => ({ from, to })));
  if (needs.length > MOST_REDUCED) return arrows;
  const before = ancestorsOf(needs);
  return arrows.filter(
    ({ from, to }) => !(needs[to] ?? []).some((other) => other !== from && has(before[other], from)),
  );
}

type Bits = Uint32Array;

function has(bits: Bits | undefined, position: number): boolean {
  return (((bits?.[position >> 5] ?? 0) >> (position & 31)) & 1) === 1;
}

/**
 * For each step all that must have ended before it, as bits; steps are finished in an order in which their needs are.
 */
function ancestorsOf(needs: number[][]): Bits[] {
  const words = Math.ceil(needs.length / 32);
  const before = needs.map(() => new Uint32Array(words));
  for (const step of inOrder(needs)) {
    const bits = before[step];
    if (bits === undefined) continue;
    for (const source of needs[step] ?? []) {
      before[source]?.forEach((word, at) => (bits[at] = (bits[at] ?? 0) | word));
      bits[source >> 5] = (bits[source >> 5] ?? 0) | (1 << (source & 31));
    }
  }
  return before;
}

/** Steps so that each comes after its needs (Kahn). */
export function inOrder(needs: number[][]): number[] {
  const open = needs.map((sources) => sources.length);
  const after = needs.map((): number[] => []);
  needs.forEach((sources, step) => sources.forEach((source) => after[source]?.push(step)));
  const order = open.flatMap((count, step) => (count === 0 ? [step] : []));
  for (const step of order) {
    for (const next of after[step] ?? []) {
      open[next] = (open[next] ?? 0) - 1;
      if (open[next] === 0) order.push(next);
    }
  }
  return order;
}
