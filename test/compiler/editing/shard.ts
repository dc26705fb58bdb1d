import { FULL, random, SEED } from '../../faults/seed.js';

export { SEED };

/** A number from 0 up to another one. */
export type Below = (below: number) => number;

/**
 * The cases of a campaign by what draws each: all of them with `PERDURE_FULL=1`, else some, which differ from commit to
 * commit.
 */
export function shardOf(name: string, all: number, few: number): { number: number; below: Below }[] {
  const pick = random(name);
  const numbers = FULL
    ? Array.from({ length: all }, (_, index) => index)
    : Array.from({ length: few }, () => Math.floor(pick() * all));
  return numbers.map((number) => {
    const next = random(`${name} ${number}`, 'case');
    return { number, below: (below) => Math.floor(next() * below) };
  });
}
