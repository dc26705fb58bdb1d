import { describe, expect, it } from 'vitest';
import { isOver, stepPathOf, turnOf, turnSegment } from '../../../src/plan/agents/conversation.js';
import type { FailureType } from '../../../src/plan/failure.js';

describe('the path of a turn', () => {
  it('numbers the question 0, and the calls that it asks for from 1', () => {
    expect(turnSegment(2, null)).toBe('2.0');
    expect(turnSegment(2, 0)).toBe('2.1');
    expect(turnSegment(12, 10)).toBe('12.11');
  });

  it.each<[string, string, ReturnType<typeof turnOf>]>([
    ['work', 'work', null],
    ['0/items/3', '0/items/3', null],
    ['work/2.0', 'work', { turn: 2, call: 0, own: true }],
    ['work/12.31', 'work', { turn: 12, call: 31, own: true }],
    ['each/3/work/2.1', 'each/3/work', { turn: 2, call: 1, own: true }],
    ['work/2.1/5.12', 'work', { turn: 5, call: 12, own: false }],
    ['work/2.1/10.1/1.0', 'work', { turn: 1, call: 0, own: false }],
    ['work/2.1/nested', 'work/2.1/nested', null],
    ['work/2.1x', 'work/2.1x', null],
    ['work/x2.1', 'work/x2.1', null],
    ['2.1', '2.1', null],
  ])('%s leads to the step %s', (path, step, turn) => {
    expect(stepPathOf(path)).toBe(step);
    expect(turnOf(path)).toEqual(turn);
  });
});

it.each<[FailureType, boolean]>([
  ['turns-exceeded', true],
  ['program-failed', true],
  ['commit-conflict', true],
  ['rate-limited', false],
  ['answer-refused', false],
])('after %s the next try begins anew: %s', (type, anew) => {
  expect(isOver({ type, message: '' })).toBe(anew);
});
