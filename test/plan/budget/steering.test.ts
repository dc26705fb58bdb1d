import { describe, expect, it } from 'vitest';
import { actionAt, modelsIn } from '../../../src/plan/budget/exhaustion.js';
import { additionsOf, isResumable, isSteer, MOST_SAID } from '../../../src/plan/budget/steering.js';

const by = { id: 'r1', by: 'ana' };

describe('what a person says to steer a run', () => {
  it.each<[string, object]>([
    ['a pause', { kind: 'pause' }],
    ['an end', { kind: 'abort' }],
    ['going on', { kind: 'resume' }],
    ['going on with another quota', { kind: 'resume', quota: { usd: 5, user_usd: null } }],
    ['money', { kind: 'budget', add: { usd: 0.5 } }],
    ['all at once', { kind: 'budget', add: { usd: 1e6, tokens: 1e12, steps: 1e6, minutes: 0.5 } }],
    ['words for an agent', { kind: 'say', path: 'a/1', text: 'x'.repeat(MOST_SAID) }],
    ['words for the root', { kind: 'say', path: '', text: 'go' }],
  ])('is taken: %s', (_, steer) => {
    expect(isSteer({ ...by, ...steer })).toBe(true);
    expect(isSteer({ ...by, id: 'i'.repeat(256), by: 'b'.repeat(256), ...steer })).toBe(true);
  });

  it.each<[string, unknown]>([
    ['nothing', null],
    ['a text', 'pause'],
    ['nothing at all', undefined],
    ['no id', { by: 'ana', kind: 'pause' }],
    ['an empty id', { id: '', by: 'ana', kind: 'pause' }],
    ['an id that is too long', { id: 'i'.repeat(257), by: 'ana', kind: 'pause' }],
    ['a list for an id', { id: ['i'], by: 'ana', kind: 'pause' }],
    ['no name', { id: 'r1', by: '', kind: 'pause' }],
    ['no name at all', { id: 'r1', kind: 'pause' }],
    ['another word', { ...by, kind: 'stop' }],
    ['another word with a quota', { ...by, kind: 'stop', quota: { usd: 1, user_usd: 1 } }],
    ['a quota that is none', { ...by, kind: 'resume', quota: 5 }],
    ['a quota that is nothing', { ...by, kind: 'resume', quota: null }],
    ['half of a quota', { ...by, kind: 'resume', quota: { usd: 5 } }],
    ['a quota of nothing', { ...by, kind: 'resume', quota: { usd: 0, user_usd: null } }],
    ['a quota in words', { ...by, kind: 'resume', quota: { usd: '5', user_usd: null } }],
    ['no addition', { ...by, kind: 'budget', add: {} }],
    ['an addition that is none', { ...by, kind: 'budget', add: 5 }],
    ['an addition that is nothing', { ...by, kind: 'budget', add: null }],
    ['an addition to what is no limit', { ...by, kind: 'budget', add: { usd: 1, slots: 3 } }],
    ['an addition to what every object has', { ...by, kind: 'budget', add: { toString: 1 } }],
    ['an addition below nothing', { ...by, kind: 'budget', add: { usd: -1 } }],
    ['an addition of nothing', { ...by, kind: 'budget', add: { usd: 0 } }],
    ['an addition of no number', { ...by, kind: 'budget', add: { usd: NaN } }],
    ['an addition in words', { ...by, kind: 'budget', add: { usd: '5' } }],
    ['more than sums can hold', { ...by, kind: 'budget', add: { usd: 1e6 + 1 } }],
    ['more tokens than sums can hold', { ...by, kind: 'budget', add: { tokens: 1e12 + 1 } }],
    ['half a step', { ...by, kind: 'budget', add: { steps: 0.5 } }],
    ['half a token', { ...by, kind: 'budget', add: { tokens: 1.5 } }],
    ['no path', { ...by, kind: 'say', text: 'go' }],
    ['no words', { ...by, kind: 'say', path: 'a' }],
    ['blank words', { ...by, kind: 'say', path: 'a', text: ' \n' }],
    ['more words than history keeps', { ...by, kind: 'say', path: 'a', text: 'x'.repeat(MOST_SAID + 1) }],
  ])('is dropped: %s', (_, steer) => {
    expect(isSteer(steer)).toBe(false);
  });

  it('adds to limits in the amounts of the ledger, and to time in milliseconds', () => {
    expect(additionsOf({ usd: 1.5, tokens: 20, steps: 3, minutes: 0.5 })).toEqual([
      { limit: 'max_cost_usd', resource: 'nanousd', amount: 1_500_000_000 },
      { limit: 'max_tokens', resource: 'tokens', amount: 20 },
      { limit: 'max_steps', resource: 'steps', amount: 3 },
      { limit: 'max_runtime_mins', resource: null, amount: 30_000 },
    ]);
    expect(additionsOf({ minutes: 0.000_01 })).toMatchObject([{ amount: 1 }]);
    expect(additionsOf({})).toEqual([]);
  });

  it.each([
    ['request', true],
    ['quota', true],
    ['max_cost_usd', false],
  ] as const)('ends a pause for a %s with a word alone: %s', (cause, may) => {
    expect(isResumable({ cause, run: 'r', message: '', by: null, since: '' })).toBe(may);
  });
});

describe('a limit that is used up', () => {
  it.each([
    ['max_steps', 'error'],
    ['max_runtime_mins', 'timeout'],
    ['max_cost_usd', 'pause'],
    ['max_tokens', 'stop'],
  ] as const)('%s has a run %s where nobody chose otherwise', (limit, action) => {
    expect(actionAt(limit, {}, false)).toBe(action);
    expect(actionAt(limit, { [limit]: 'stop' }, false)).toBe('stop');
    expect(actionAt(limit, { [limit]: 'stop' }, true)).toBe('stop');
  });

  it('turns to a cheaper model once', () => {
    const policy = { max_cost_usd: { degrade: 'haiku' }, max_tokens: { degrade: 'fable' }, max_steps: 'stop' } as const;
    expect(actionAt('max_cost_usd', policy, false)).toEqual({ degrade: 'haiku' });
    expect(actionAt('max_cost_usd', policy, true)).toBe('pause');
    expect(modelsIn(policy)).toEqual(['haiku', 'fable']);
    expect(modelsIn({})).toEqual([]);
  });
});
