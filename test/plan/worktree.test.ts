import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { branchOf, treeName, treePlace } from '../../src/plan/worktree.js';

describe('the work tree of a step', () => {
  it('has a name that is a file name, and no two paths have the same', () => {
    const path = fc.string({ unit: fc.constantFrom('a', 'B', '-', '_', '/', '.', '2', 'ü', '👨'), maxLength: 120 });
    fc.assert(
      fc.property(fc.uniqueArray(path, { minLength: 2, maxLength: 20 }), (paths) => {
        const names = paths.map(treeName);
        expect(new Set(names).size).toBe(paths.length);
        for (const name of names) {
          expect(name).toMatch(/^[sl]-[A-Za-z0-9_-]*$/);
          expect(name.length).toBeLessThanOrEqual(102);
        }
      }),
    );
  });

  it.each([
    ['work', 's-work'],
    ['each/3', 's-each_1b_3'],
    ['a_b', 's-a_2n_b'],
    ['', 's-'],
    ['x'.repeat(100), `s-${'x'.repeat(100)}`],
  ])('of %j is %j', (path, name) => {
    expect(treeName(path)).toBe(name);
  });

  it('tells long paths apart that begin alike', () => {
    const names = ['x', 'y', 'z'].map((end) => treeName(`${'a'.repeat(150)}/${end}`));
    expect(new Set(names).size).toBe(3);
    for (const name of names) expect(name.startsWith(`l-${'a'.repeat(70)}-`)).toBe(true);
    expect(treeName('a'.repeat(101)).startsWith('l-')).toBe(true);
  });

  it('lies beside the one of its run', () => {
    expect(treePlace('/state/trees/run/main', 's-a')).toBe('/state/trees/run/s-a');
  });
});

it.each([
  ['review-abc', 'perdure/review-abc'],
  ['a/b.c_d', 'perdure/a-b-c-d'],
  ['..a..', 'perdure/a'],
  ['//', 'perdure/run'],
  ['a--b', 'perdure/a--b'],
  ['a..b', 'perdure/a-b'],
  ['--a--', 'perdure/a'],
])('a run %j commits to the branch %j', (run, branch) => {
  expect(branchOf(run)).toBe(branch);
});
