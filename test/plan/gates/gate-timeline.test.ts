import { describe, expect, it } from 'vitest';
import { nextDue, passTime } from '../../../src/plan/gates/gate-timeline.js';
import type { Gate } from '../../../src/plan/gates/gate.js';
import { inline } from '../../../src/plan/values/value.js';
import { iso, gateWith, SINCE, HASH } from '../helpers/gates.js';

describe('time passes at a gate', () => {
  it.each<[string, Partial<Gate>, number | null]>([
    ['nothing', {}, null],
    ['its deadline', { deadline: iso(9) }, 9],
    ['its escalation', { escalation: { at: iso(7), to: [] }, deadline: iso(9) }, 7],
    ['its first reminder', { reminder_ms: 5, deadline: iso(9) }, 5],
    ['its next reminder', { reminder_ms: 5, reminders: 2 }, 15],
  ])('and next comes %s', (_, gate, after) => {
    expect(nextDue(gateWith(gate))).toBe(after === null ? null : SINCE + after);
  });

  it('and reminders that are due count, however long nothing ran', () => {
    expect(passTime(gateWith({ reminder_ms: 10 }), SINCE + 35)).toEqual({
      gate: gateWith({ reminder_ms: 10, reminders: 3 }),
      end: null,
    });
    expect(passTime(gateWith(), SINCE + 35)).toEqual({ gate: gateWith(), end: null });
  });

  it('and more people may decide', () => {
    const gate = gateWith({ approvers: ['ana'], escalation: { at: iso(10), to: ['bo', 'ana'] } });
    expect(passTime(gate, SINCE + 9)).toEqual({ gate, end: null });
    const { escalation: _gone, ...rest } = gate;
    expect(passTime(gate, SINCE + 10)).toEqual({
      gate: { ...rest, approvers: ['ana', 'bo'], escalated: ['bo', 'ana'] },
      end: null,
    });
    expect(passTime(gateWith({ escalation: { at: iso(10), to: ['bo'] } }), SINCE + 10).gate.approvers).toBeUndefined();
  });

  const due = { gate: 'ok', hash: HASH, at: iso(10) };
  const byDefault = { ...due, by: ['default'], comment: 'nobody decided in time' };
  it.each<[string, Partial<Gate>, object]>([
    ['in nothing where it has no default', {}, { ...due, decision: 'expire', by: [], comment: null, output: null }],
    [
      'in an approval of its content',
      { default: 'approve' },
      { ...byDefault, decision: 'approve', output: inline('text') },
    ],
    ['in a rejection', { default: 'reject' }, { ...byDefault, decision: 'reject', output: null }],
    ['in an option', { default: 'x', options: ['x'] }, { ...byDefault, decision: 'answer', output: inline('x') }],
    [
      'in a rejection where that is no option',
      { default: 'reject', options: ['x'] },
      { ...byDefault, decision: 'reject', output: null },
    ],
    [
      'in an option that is called so',
      { default: 'reject', options: ['reject'] },
      { ...byDefault, decision: 'answer', output: inline('reject') },
    ],
    [
      'in an answer',
      { kind: 'ask', default: 'reject' },
      { ...byDefault, decision: 'answer', output: inline('reject') },
    ],
  ])('and its deadline ends it %s', (_, gate, end) => {
    const waiting = gateWith({ ...gate, deadline: iso(10) });
    expect(passTime(waiting, SINCE + 9).end).toBeNull();
    expect(passTime(waiting, SINCE + 10)).toEqual({ gate: waiting, end });
  });
});
