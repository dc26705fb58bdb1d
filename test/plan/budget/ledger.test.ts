// @seconds 10
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NONE } from '../../../src/plan/budget/amounts.js';
import type { Run } from '../helpers/ledger-tree.js';
import { job, node, runTree } from '../helpers/ledger-tree.js';

const STEP = { steps: 1, slots: 1 };
/** Choices from a list of random numbers, the same list the same choices. */
const picker = (numbers: number[]) => {
  let next = 0;
  return (choices: number): number => (numbers[next++ % numbers.length]! * (1 + (next % 7))) % choices;
};
const chaos = fc.array(fc.nat(10_007), { minLength: 1, maxLength: 80 });
/** So many steps each in a nested run of its own, `depth` levels below the root. */
const branches = (count: number, depth: number): Run =>
  node(
    [],
    Array.from({ length: count }, () => buried(depth)),
  );
const buried = (depth: number): Run => (depth === 0 ? node([job(STEP)]) : node([], [buried(depth - 1)]));

describe('the ledger of a tree', () => {
  it.each([0, 1, 2, 3, 4])('lets exactly 7 of 20 branches start with a budget for 7, %i levels below', (depth) => {
    fc.assert(
      fc.property(chaos, (numbers) => {
        const tree = runTree(
          { ...branches(20, depth), own: { steps: 7, nanousd: null, tokens: null, slots: 10 } },
          picker(numbers),
        );
        expect(tree.started()).toBe(7);
        expect(tree.exhausted).toEqual([{ name: 'root', resource: 'steps' }]);
      }),
      { numRuns: 25 },
    );
  });

  it('is not used up while all that is wanted fits', () => {
    fc.assert(
      fc.property(chaos, (numbers) => {
        const tree = runTree(
          { ...branches(20, 2), own: { steps: 20, nanousd: null, tokens: null, slots: 3 } },
          picker(numbers),
        );
        expect(tree.started()).toBe(20);
        expect(tree.exhausted).toEqual([]);
        expect(tree.mostSlots).toBeLessThanOrEqual(3);
      }),
      { numRuns: 25 },
    );
  });

  const amount = fc.nat(40);
  const model = fc
    .record({ need: fc.integer({ min: 1, max: 40 }), used: amount })
    .map(({ need, used }) => job({ ...STEP, nanousd: need }, { steps: 1, nanousd: Math.min(need, used) }));
  const jobs = fc.array(fc.oneof(fc.constant(job(STEP)), model), { maxLength: 5 });
  const own = fc.record({ steps: fc.option(fc.integer({ min: 1, max: 8 }), { freq: 3 }) });
  const tree = fc.memo((depth): fc.Arbitrary<Run> =>
    fc
      .record({
        jobs,
        nested: depth <= 1 ? fc.constant<Run[]>([]) : fc.array(tree(), { maxLength: 3 }),
        own,
        generous: fc.boolean(),
      })
      .map(({ jobs: list, nested, own: limits, generous }) => ({
        ...node(list, nested, limits),
        ...(generous ? {} : { asks: NONE }),
      })),
  );
  const run = tree(4);
  const limits = fc.record({
    steps: fc.integer({ min: 1, max: 30 }),
    nanousd: fc.integer({ min: 40, max: 200 }),
    slots: fc.integer({ min: 1, max: 4 }),
  });

  it('never makes, loses or forgets anything, and comes to rest only when all has run or a limit is used up', () => {
    fc.assert(
      fc.property(run, chaos, limits, (planned, numbers, { steps, nanousd, slots }) => {
        const ended = runTree({ ...planned, own: { steps, nanousd, tokens: null, slots } }, picker(numbers));
        const all = countOf(planned);
        expect(ended.mostSlots).toBeLessThanOrEqual(slots);
        expect(ended.started()).toBeLessThanOrEqual(Math.min(all, steps));
        if (ended.exhausted.length === 0) expect(ended.started()).toBe(all);
      }),
      { numRuns: 1500 },
    );
  });

  it('goes on after each top-up, until all has run', () => {
    fc.assert(
      fc.property(run, chaos, fc.integer({ min: 40, max: 60 }), (planned, numbers, nanousd) => {
        const topUps = Array.from({ length: 400 }, () => ({ resource: 'nanousd' as const, by: 7 }));
        const ended = runTree(unlimited(planned, { steps: null, nanousd, tokens: null, slots: 2 }), picker(numbers), {
          topUps,
        });
        expect(ended.started()).toBe(countOf(planned));
      }),
      { numRuns: 500 },
    );
  });
});

describe('what nested runs have used that are cancelled', () => {
  const cost = fc
    .record({ need: fc.integer({ min: 1, max: 40 }), used: fc.nat(90) })
    .map(({ need, used }) => job({ ...STEP, nanousd: need, tokens: need }, { steps: 1, nanousd: used, tokens: used }));
  const tree = fc.memo((depth): fc.Arbitrary<Run> =>
    fc
      .record({
        jobs: fc.array(cost, { maxLength: 4 }),
        nested: depth <= 1 ? fc.constant<Run[]>([]) : fc.array(tree(), { maxLength: 3 }),
      })
      .map(({ jobs, nested }) => node(jobs, nested)),
  );

  it('counts once, with what is only assumed apart: used, lent, reserved and left always add up', () => {
    fc.assert(
      fc.property(tree(4), chaos, fc.integer({ min: 3, max: 40 }), (planned, numbers, cutOneIn) => {
        const own = { steps: null, nanousd: 100_000, tokens: 100_000, slots: 3 };
        const { root, used, assumed } = runTree({ ...planned, own }, picker(numbers), { cutOneIn });
        expect(root.charged).toEqual(used);
        expect(root.assumed).toEqual(assumed);
        expect(root.borrowers.size).toBe(0);
        for (const resource of ['nanousd', 'tokens'] as const)
          expect((root.cash[resource] ?? 0) + root.charged[resource]).toBe(root.cap[resource]);
      }),
      { numRuns: 300, endOnFailure: true },
    );
  });
});

const countOf = (run: Run): number => run.jobs.length + run.nested.reduce((count, below) => count + countOf(below), 0);
const unlimited = (run: Run, own: Run['own']): Run => ({
  ...run,
  own,
  nested: run.nested.map((below) => unlimited(below, { steps: null, nanousd: null, tokens: null, slots: null })),
});
