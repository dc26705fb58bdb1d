import { existsSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Tier } from '../../scripts/tiers.mjs';
import { filesOf, secondsOf, shardOf, SHARDS, TIERS } from '../../scripts/tiers.mjs';
import { packageRoot } from '../../src/store/folders/package-root.js';

const NAMES = Object.keys(TIERS) as Tier[]; // the table's own keys
/** So many that each part of a tier is drawn by one of them. */
const SEEDS = Array.from({ length: 200 }, (_, number) => `commit-${String(number)}`);
const some = fc
  .uniqueArray(fc.record({ file: fc.string({ minLength: 1 }), seconds: fc.nat({ max: 300 }) }), {
    selector: ({ file }) => file,
  })
  .map((files) => files.sort((a, b) => (a.file < b.file ? -1 : 1)));

describe('the shard of long test files', () => {
  it('has every short file, and each long one in the shard of one part', () => {
    fc.assert(
      fc.property(some, fc.constantFrom<Tier>('pure', 'server', 'hostile', 'faults', 'tools'), (files, tier) => {
        const shards = new Map(SEEDS.map((seed) => [shardOf(tier, files, seed).number, shardOf(tier, files, seed)]));
        expect(shards.size).toBe(SHARDS);
        for (const { file, seconds } of files) {
          const having = [...shards.values()].filter((shard) => shard.files.includes(file)).length;
          expect(having).toBe(seconds < 10 ? SHARDS : 1);
        }
      }),
    );
  });

  it('takes about as long whatever is drawn', () => {
    fc.assert(
      fc.property(some, (files) => {
        const times = SEEDS.slice(0, 40).map((seed) => {
          const chosen = new Set(shardOf('server', files, seed).files);
          return files.reduce((sum, { file, seconds }) => sum + (chosen.has(file) ? seconds : 0), 0);
        });
        const longest = Math.max(0, ...files.map(({ seconds }) => seconds));
        expect(Math.max(...times) - Math.min(...times)).toBeLessThanOrEqual(longest);
      }),
    );
  });

  it('leaves the stored histories whole', () => {
    const files = [{ file: 'test/a.test.ts', seconds: 300 }];
    for (const seed of SEEDS) expect(shardOf('replay', files, seed).files).toEqual(['test/a.test.ts']);
  });

  it('is the same for the same seed', () => {
    const files = NAMES.flatMap((tier) => filesOf(tier, packageRoot())).map((file) => ({ file, seconds: 20 }));
    expect(shardOf('faults', files, 'a seed')).toEqual(shardOf('faults', [...files].reverse(), 'a seed'));
  });
});

it('every test file belongs to one tier', () => {
  const all = NAMES.flatMap((tier) => filesOf(tier, packageRoot()));
  expect(new Set(all).size).toBe(all.length);
  expect(all.filter((file) => !existsSync(join(packageRoot(), file)))).toEqual([]);
  expect(all.filter((file) => file.startsWith('test/faults/')).some((file) => secondsOf(file) >= 10)).toBe(true);
});
