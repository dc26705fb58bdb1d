import { describe, expect, it } from 'vitest';
import { believedUsage } from '../../../src/activities/models/believed-usage.js';
import type { ModelAnswer, Usage } from '../../../src/activities/models/protocol/provider.js';

const NOTHING: Usage = { input: 0, output: 0, cache_read: 0, cache_write_5m: 0, cache_write_1h: 0 };
const ASKED = 3_000;
const CALL: ModelAnswer['blocks'] = [{ kind: 'call', id: 'c', name: 'look', input: {} }];

/** Told by a provider, of whose types nobody can be sure. */
const of = (told: object, answer: Partial<ModelAnswer> = {}): Usage =>
  believedUsage({ text: 'x'.repeat(300), stop: 'end', usage: { ...NOTHING, ...told }, ...answer }, () => ASKED);

describe('the tokens of an answer', () => {
  it.each<[string, object, Partial<Usage>]>([
    ['are what its provider says', { input: 5, output: 2 }, { input: 5, output: 2 }],
    ['may all have come from a cache', { cache_read: 7, output: 2 }, { input: 0, cache_read: 7, output: 2 }],
    ['are counted by bytes where it says nothing', {}, { input: 1_000, output: 100 }],
    ['are counted by bytes where it says nothing of one side', { input: 5 }, { input: 5, output: 100 }],
    [
      'are never fewer than none',
      { input: -1_000_000, output: -5, cache_read: -3 },
      { input: 1_000, output: 100, cache_read: 0 },
    ],
    ['are no texts', { input: '5', output: '2' }, { input: 1_000, output: 100 }],
    [
      'are no fractions and nothing that overflows',
      { input: Number.NaN, output: 1e300, cache_read: 0.5 },
      { input: 1_000, output: 100, cache_read: 0 },
    ],
    ['are not null', { input: null, output: null }, { input: 1_000, output: 100 }],
    [
      'come with searches that are counted alike',
      { input: 5, output: 2, searches: -1 },
      { input: 5, output: 2, searches: 0 },
    ],
  ])('%s', (_, told, expected) => {
    expect(of(told)).toEqual({ ...NOTHING, ...expected });
  });

  it('are those of its calls of tools where it has no text, and none where it says nothing at all', () => {
    expect(of({ input: 5 }, { text: '', blocks: CALL }).output).toBeGreaterThan(5);
    expect(of({ input: 5 }, { text: '', blocks: [] }).output).toBe(0);
  });
});
