import { describe, expect, it } from 'vitest';
import type { RecordedAnswer, RecordedEnd, Stub, StubEnd } from '../../../src/plan/agents/recorded-answers.js';
import {
  endOfStub,
  fits,
  recordedAnswer,
  recordedTry,
  stubAt,
  turnIn,
} from '../../../src/plan/agents/recorded-answers.js';

describe('a recorded answer', () => {
  const answers: RecordedAnswer[] = [
    { step: 'a', text: 'any' },
    { step: 'b', try: 1, text: 'first try' },
    { step: 'b', try: 2, text: 'second try' },
    { step: 'c', turn: 1, text: 'turn one' },
    { step: 'c', turn: 2, text: 'turn two' },
    { step: 'e', turn: 2, text: 'only the second' },
  ];
  it.each<[string, number, number | null, string | null]>([
    ['a', 1, null, 'any'],
    ['a', 7, null, 'any'],
    ['a', 1, 1, 'any'],
    ['a', 1, 2, null],
    ['b', 1, null, 'first try'],
    ['b', 2, null, 'second try'],
    ['b', 3, null, null],
    ['c', 1, 1, 'turn one'],
    ['c', 1, 2, 'turn two'],
    ['c', 1, 3, null],
    ['c', 1, null, 'turn two'],
    ['d', 1, null, null],
    ['e', 1, 1, null],
    ['e', 1, null, 'only the second'],
  ])('of step %s, try %i, turn %s is %s', (step, tried, turn, text) => {
    expect(recordedAnswer(answers, { step, tried, turn })?.text ?? null).toBe(text);
  });

  it('belongs to a turn only where it is one', () => {
    expect(turnIn(['turn', 3])).toBe(3);
    expect(turnIn(['turn', '3'])).toBeNull();
    expect(turnIn(['ask', 3])).toBeNull();
    expect(turnIn([])).toBeNull();
  });
});

describe('a recorded end', () => {
  const ends: RecordedEnd[] = [
    { step: 'a', failed: 'once' },
    { step: 'b', output: 0 },
    { step: 'a', output: 1 },
  ];
  it('is that of the same try, and the last one again after it', () => {
    expect([1, 2, 3].map((tried) => recordedTry(ends, 'a', tried))).toEqual([ends[0], ends[2], ends[2]]);
    expect(recordedTry(ends, 'c', 1)).toBeNull();
  });
});

describe('what stands in for a step', () => {
  it.each([
    ['a', 'a', true],
    ['a', 'b', false],
    ['a', 'a/1', false],
    ['a*', 'a1', false],
    ['a/1', 'a', false],
    ['a/*', 'a/12', true],
    ['a/*', 'a/b', false],
    ['a/*', 'a/1b', false],
    ['a/*', 'a/b1', false],
    ['a/*/c', 'a/3/c', true],
    ['a/*/c', 'a/3/d', false],
    ['*', '*', true],
  ])('%s is for %s: %s', (pattern, path, is) => {
    expect(fits(pattern, path)).toBe(is);
  });

  it('is what says most of it, of these the first', () => {
    const stubs = ['a/*/*', 'a/*/2', 'a/1/*', 'a/1/2'].map((step) => ({ step }));
    expect(stubAt(stubs, 'a/1/2')).toBe(stubs[3]);
    expect(stubAt(stubs, 'a/7/2')).toBe(stubs[1]);
    expect(stubAt(stubs, 'a/1/7')).toBe(stubs[2]);
    expect(stubAt(stubs, 'a/8/7')).toBe(stubs[0]);
    expect(stubAt(stubs.slice(0, 3), 'a/1/2')).toBe(stubs[1]);
    expect(stubAt(stubs, 'b')).toBeNull();
  });

  const rounds = (...list: StubEnd[]): StubEnd => ({ rounds: list });
  const [one, two, three]: StubEnd[] = [{ output: 1 }, { output: 2 }, { failed: 'three' }];
  it.each<[string, Stub, string, StubEnd]>([
    ['by itself', { step: 'a', output: 1 }, 'a', { output: 1 }],
    ['in its first round', { step: 'a/*', rounds: [one!, two!] }, 'a/0', one!],
    ['in its second round', { step: 'a/*', rounds: [one!, two!] }, 'a/1', two!],
    ['after the last as then', { step: 'a/*', rounds: [one!, two!] }, 'a/9', two!],
    ['by its innermost round', { step: 'a/*/b/*/c', rounds: [one!, two!, three!] }, 'a/0/b/2/c', three!],
    ['in no round as in the first', { step: 'a', rounds: [one!, two!] }, 'a', one!],
    ['with rounds in a round', { step: 'a/*', rounds: [rounds(one!, two!)] }, 'a/1', two!],
    ['with nothing where no round says more', { step: 'a/*', rounds: [] }, 'a/1', { output: null }],
  ])('ends it %s', (_, stub, path, end) => {
    expect(endOfStub(stub, path)).toMatchObject(end);
  });
});
