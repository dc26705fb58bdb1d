import { describe, expect, it } from 'vitest';
import { takeDecision } from '../../../src/plan/gates/gate-timeline.js';
import type { Gate, Vote } from '../../../src/plan/gates/gate.js';
import { isUsed } from '../../../src/plan/gates/gate.js';
import { inline } from '../../../src/plan/values/value.js';
import { gateWith, say, SINCE } from '../helpers/gates.js';

const take = (gate: Partial<Gate>, ...[decision, nonce]: [Parameters<typeof takeDecision>[1], string?]) =>
  takeDecision(gateWith(gate), decision, { now: SINCE, edited: null, ...(nonce === undefined ? {} : { nonce }) });
const choice = (by: string, value: string, via?: Vote['via']): Vote => ({
  by,
  value: inline(value),
  ...(via === undefined ? {} : { via }),
});

describe('the way by which a decision came', () => {
  it('is told of one person, whether they approve or reject, and of nobody who does not say', () => {
    for (const word of ['approve', 'reject'] as const) {
      expect(take({}, say(word, { via: 'page' })).end).toMatchObject({ decision: word, via: ['page'] });
      expect(take({}, say(word)).end).not.toHaveProperty('via');
    }
  });

  it('is told of each of many, in the order of their names', () => {
    const gate = { quorum: 3, options: ['x'], votes: [choice('bo', 'x', 'mcp'), choice('cy', 'x')] };
    const { end } = take(gate, say('answer', { value: inline('x'), via: 'terminal' }));
    expect(end).toMatchObject({ by: ['bo', 'cy', 'ana'], via: ['mcp', null, 'terminal'] });
  });

  it('is kept with a vote that waits for others', () => {
    const { gate, end } = take({ quorum: 2, options: ['x'] }, say('answer', { value: inline('x'), via: 'page' }));
    expect(end).toBeNull();
    expect(gate.votes).toEqual([choice('ana', 'x', 'page')]);
    expect(take({ quorum: 2, options: ['x'] }, say('answer', { value: inline('x') })).gate.votes).toEqual([
      choice('ana', 'x'),
    ]);
  });

  it('is told of those who chose differently', () => {
    const gate = { quorum: 2, options: ['x', 'y'], approvers: ['ana', 'bo'], votes: [choice('bo', 'y', 'mcp')] };
    expect(take(gate, say('answer', { value: inline('x') })).end).toMatchObject({
      comment: 'they chose differently',
      by: ['bo', 'ana'],
      via: ['mcp', null],
    });
  });

  it('is a grant for who has one, which is used up, whatever it says itself', () => {
    const { gate, end } = take({ used: ['n1'] }, say('approve', { via: 'page' }), 'n2');
    expect(end).toMatchObject({ decision: 'approve', by: ['ana'], via: ['grant'] });
    expect(gate.used).toEqual(['n1', 'n2']);
    expect(isUsed(gate, 'n2')).toBe(true);
    expect(isUsed(gate, 'n3')).toBe(false);
    expect(isUsed(gateWith(), 'n1')).toBe(false);
    expect(take({}, say('approve'), 'n1').gate.used).toEqual(['n1']);
  });
});

describe('a decision on a gate', () => {
  it('counts those who said the same as the last, and no others', () => {
    const gate = { quorum: 2, options: ['x', 'y'], votes: [choice('bo', 'y'), choice('cy', 'x')] };
    expect(take(gate, say('answer', { value: inline('x') })).end).toMatchObject({
      decision: 'answer',
      by: ['cy', 'ana'],
      output: inline('x'),
    });
  });

  it('of one person leaves no votes', () => {
    expect(take({}, say('approve')).gate).toEqual(gateWith());
  });

  it('is remembered for the rest of the run where that is said', () => {
    expect(take({ kind: 'tool' }, say('approve', { remember: true })).end).toMatchObject({ remembered: true });
    expect(take({ kind: 'tool' }, say('approve')).end).not.toHaveProperty('remembered');
  });

  it('approves a gate without options whichever word it came with', () => {
    expect(take({}, say('answer', { value: inline('x') })).end?.decision).toBe('approve');
    expect(take({ kind: 'ready' }, say('approve')).end?.decision).toBe('approve');
    expect(take({ kind: 'ask' }, say('approve', { value: inline('x') })).end?.decision).toBe('answer');
  });
});
