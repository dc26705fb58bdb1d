import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nextDue, passTime, takeDecision } from '../../../src/plan/gates/gate-timeline.js';
import type { Decision, Gate } from '../../../src/plan/gates/gate.js';
import { isDecision, isRead, missingOf, namesOf, refusalOf } from '../../../src/plan/gates/gate.js';
import { inline } from '../../../src/plan/values/value.js';

const SINCE = Date.parse('2026-01-01T00:00:00.000Z');
const HASH = `sha256:${'a'.repeat(64)}` as const;
const OTHER = `sha256:${'b'.repeat(64)}` as const;
const STORED = { ref: OTHER, bytes: 9_000 } as const;
const iso = (after: number): string => new Date(SINCE + after).toISOString();
const gateWith = (more: Partial<Gate> = {}): Gate => ({
  path: 'ok',
  kind: 'approval',
  message: 'Save?',
  content: inline('text'),
  hash: HASH,
  fallback: 'abort',
  since: iso(0),
  ...more,
});
const say = (decision: Decision['decision'], more: Partial<Decision> = {}): Decision => ({
  gate: 'ok',
  decision,
  hash: HASH,
  by: 'ana',
  ...more,
});
const refusal = (decision: Decision, gate: Partial<Gate> = {}, now = SINCE): string | null =>
  refusalOf(decision, gateWith(gate), undefined, now);

describe('a decision counts', () => {
  it.each<[string, Decision, Partial<Gate>]>([
    ['an approval', say('approve'), {}],
    ['a rejection', say('reject'), {}],
    ['just before the deadline', say('approve'), { deadline: iso(1) }],
    ['of who is asked', say('approve'), { approvers: ['bo', 'ana'] }],
    ['of who is not excluded', say('approve'), { excluded: ['bo'] }],
    ['of who has not voted', say('approve'), { quorum: 2, votes: [{ by: 'bo', value: null }] }],
    ['with changed content', say('approve', { edit: inline('x') }), {}],
    ['with one of its options', say('answer', { value: inline('b') }), { options: ['a', 'b'] }],
    ['with an option that is no text', say('approve', { value: inline({ n: [1] }) }), { options: [{ n: [1] }] }],
    ['with an answer to a question', say('answer', { value: inline(1) }), { kind: 'ask', content: null }],
    ['a rejection where there are options', say('reject'), { options: ['a'] }],
    [
      'an approval of a lost step, which means to do it again',
      say('approve'),
      { kind: 'lost', options: ['retry', 'stop'] },
    ],
    ['an approval of a recovery', say('approve'), { kind: 'recovery', options: ['retry'] }],
  ])('%s', (_, decision, gate) => {
    expect(refusal(decision, gate)).toBeNull();
  });

  it.each<[string, Decision, Partial<Gate>, RegExp]>([
    ['at the deadline', say('approve'), { deadline: iso(0) }, /has expired: its deadline was 2026/],
    ['about other content', say('approve', { hash: OTHER }), {}, /shows other content .*Look again/],
    ['of who is excluded', say('approve'), { excluded: ['ana'], approvers: ['ana'] }, /wants somebody else than ana/],
    [
      'of who is not asked',
      say('approve'),
      { approvers: ['bo', 'cy', 'di'] },
      /is for bo, cy or di to decide, not for ana/,
    ],
    [
      'twice of one person',
      say('approve'),
      { quorum: 3, votes: [{ by: 'ana', value: null }] },
      /already decided by ana; it waits for 2 more/,
    ],
    ['with a change and a rejection', say('reject', { edit: inline('x') }), {}, /nothing that may be edited/],
    [
      'with a change of nothing',
      say('approve', { edit: inline('x') }),
      { content: null },
      /nothing that may be edited/,
    ],
    [
      'with a change of what is fixed',
      say('approve', { edit: inline('x') }),
      { fixed: true },
      /nothing that may be edited/,
    ],
    ['with no option', say('approve'), { options: ['a'] }, /takes one of `a`/],
    [
      'with an option that is none',
      say('answer', { value: inline('c') }),
      { options: ['a', { b: 1 }] },
      /takes one of `a`, `\{"b":1\}`/,
    ],
    ['with a stored value for an option', say('answer', { value: STORED }), { options: ['a'] }, /takes one of/],
    ['an answer to a lost step without a choice', say('answer'), { kind: 'lost', options: ['retry'] }, /takes one of/],
    ['without an answer', say('approve'), { kind: 'ask' }, /is a question: answer it/],
    ['an answer where nothing is asked', say('answer'), {}, /approved or rejected: it has no options/],
    ['a value where nothing is asked', say('approve', { value: inline('a') }), {}, /it has no options/],
  ])('not %s', (_, decision, gate, reason) => {
    expect(refusal(decision, gate)).toMatch(reason);
  });

  it('not where no gate is open, and not again', () => {
    expect(refusalOf(say('approve'), undefined, undefined, SINCE)).toBe('No gate `ok` is open in this run.');
    expect(refusalOf(say('approve'), gateWith(), { decision: 'approve', by: ['ana', 'bo'] }, SINCE)).toBe(
      'Gate `ok` is already decided: approve by ana and bo.',
    );
    expect(refusalOf(say('approve'), undefined, { decision: 'expire', by: [] }, SINCE)).toBe(
      'Gate `ok` has expired: nobody decided in time.',
    );
  });
});

describe('what comes from anyone', () => {
  it.each<[string, unknown]>([
    ['a decision', say('approve')],
    [
      'one with all that it may have',
      say('answer', { comment: 'c'.repeat(16_384), token: 't'.repeat(8_192), value: inline('v'), edit: STORED }),
    ],
    ['no comment', say('reject', { comment: null })],
    ['a long name', say('approve', { by: 'n'.repeat(1_024) })],
  ])('is taken as %s', (_, value) => {
    expect(isDecision(value)).toBe(true);
  });

  it.each<[string, unknown]>([
    ['nothing', null],
    ['a text', 'approve'],
    ['nothing at all', undefined],
    ['another word', { ...say('approve'), decision: 'maybe' }],
    ['no name', { ...say('approve'), by: '' }],
    ['a name that is too long', say('approve', { by: 'n'.repeat(1_025) })],
    ['no gate', { ...say('approve'), gate: 5 }],
    ['no hash', { ...say('approve'), hash: undefined }],
    ['a comment that is too long', say('approve', { comment: 'c'.repeat(16_385) })],
    ['a comment that is none', { ...say('approve'), comment: 5 }],
    ['a token that is too long', say('approve', { token: 't'.repeat(8_193) })],
    ['a token that is none', { ...say('approve'), token: 5 }],
    ['a value that is none', { ...say('answer'), value: 'text' }],
    ['a value that is nothing', { ...say('answer'), value: null }],
    ['a value that is too big', { ...say('answer'), value: { value: 'x'.repeat(600) } }],
    ['a value with more around it than is read', { ...say('answer'), value: { value: 1, more: 'x'.repeat(2_100) } }],
    ['an edit that names nothing stored', { ...say('approve'), edit: { ref: 'sha256:abc', bytes: 1 } }],
    ['an edit whose name has more', { ...say('approve'), edit: { ref: `x${OTHER}`, bytes: 1 } }],
    ['an edit whose name goes on', { ...say('approve'), edit: { ref: `${OTHER}0`, bytes: 1 } }],
    ['an edit without its size', { ...say('approve'), edit: { ref: OTHER } }],
    ['an edit whose name is none', { ...say('approve'), edit: { ref: 5, bytes: 1 } }],
  ])('is dropped as %s', (_, value) => {
    expect(isDecision(value)).toBe(false);
  });

  it.each<[string, Decision, Partial<Gate> | undefined, boolean]>([
    ['an edit, to hash it', say('approve', { edit: inline('x') }), {}, true],
    ['an answer with a schema', say('answer', { value: inline('x') }), { kind: 'ask', schema: {} }, true],
    ['an answer that is no text', say('answer', { value: inline(5) }), { kind: 'ask' }, true],
    ['a stored answer', say('answer', { value: STORED }), { kind: 'ask' }, true],
    ['a plain text', say('answer', { value: inline('x') }), { kind: 'ask' }, false],
    ['a choice', say('answer', { value: inline('x') }), { kind: 'ask', options: ['x'], schema: {} }, false],
    ['a rejection', say('reject', { edit: inline('x') }), { kind: 'ask' }, false],
    ['an approval', say('approve'), {}, false],
    ['a word to no gate', say('approve'), undefined, false],
  ])('is read where values are stored: %s', (_, decision, gate, expected) => {
    expect(isRead(decision, gate === undefined ? undefined : gateWith(gate))).toBe(expected);
  });

  it.each([
    [[], ''],
    [['ana'], 'ana'],
    [['ana', 'bo'], 'ana and bo'],
    [['ana', 'bo', 'cy'], 'ana, bo and cy'],
  ])('are named %j: %s', (names, expected) => {
    expect(namesOf(names)).toBe(expected);
  });
});

describe('a gate that many decide', () => {
  /**
   * In plain words: as soon as `quorum` people have said the same, it counts; one rejection rejects; none that cannot
   * come together any more.
   */
  function model(quorum: number, approvers: string[], words: { by: string; value: string }[]): string {
    for (let said = 1; said <= words.length; said += 1) {
      const so = words.slice(0, said);
      const last = so.at(-1) ?? { by: '', value: '' };
      if (last.value === 'no') return `reject by ${last.by}`;
      const same = so.filter(({ value }) => value === last.value).map(({ by }) => by);
      if (same.length >= quorum) return `answer by ${same.join()}`;
      const left = approvers.length - said;
      if (['x', 'y'].every((choice) => so.filter(({ value }) => value === choice).length + left < quorum))
        return `reject by ${so.map(({ by }) => by).join()}`;
    }
    return 'open';
  }

  it('counts as one would on paper', () => {
    const approvers = ['ana', 'bo', 'cy', 'di'];
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 4 }),
        fc.array(fc.constantFrom('x', 'y', 'no'), { maxLength: 4 }),
        (quorum, values) => {
          const words = values.map((value, index) => ({ by: approvers[index] ?? '', value }));
          let gate = gateWith({ options: ['x', 'y'], quorum, approvers });
          let told = 'open';
          for (const { by, value } of words) {
            const decision = value === 'no' ? say('reject', { by }) : say('answer', { by, value: inline(value) });
            expect(refusalOf(decision, gate, undefined, SINCE)).toBeNull();
            const { gate: after, end } = takeDecision(gate, decision, { now: SINCE, edited: null });
            gate = after;
            if (end !== null) {
              told = `${end.decision} by ${end.by.join()}`;
              break;
            }
          }
          expect(told).toBe(model(quorum, approvers, words));
        },
      ),
    );
  });

  it('waits for as many as have not agreed', () => {
    expect(missingOf(gateWith())).toBe(1);
    expect(
      missingOf(
        gateWith({
          quorum: 3,
          votes: [
            { by: 'a', value: inline(1) },
            { by: 'b', value: inline(2) },
            { by: 'c', value: inline(2) },
          ],
        }),
      ),
    ).toBe(1);
  });

  it('is hopeless only where nobody else may come to decide', () => {
    const votes = [{ by: 'ana', value: inline('x') }];
    const after = (more: Partial<Gate>): string | undefined =>
      takeDecision(
        gateWith({ options: ['x', 'y'], quorum: 2, votes, ...more }),
        say('answer', { by: 'bo', value: inline('y') }),
        { now: SINCE, edited: null },
      ).end?.comment ?? undefined;
    expect(after({ approvers: ['ana', 'bo'] })).toBe('they chose differently');
    expect(after({ approvers: ['ana', 'bo', 'cy'] })).toBeUndefined();
    expect(after({ approvers: ['ana', 'bo', 'cy'], excluded: ['cy'] })).toBe('they chose differently');
    expect(after({})).toBeUndefined();
    expect(after({ approvers: ['ana', 'bo'], escalation: { at: iso(5), to: ['cy'] } })).toBeUndefined();
  });

  it('begins anew with changed content, which is then what was approved', () => {
    const gate = gateWith({ quorum: 2, votes: [{ by: 'bo', value: null }] });
    const edited = { content: inline('better'), hash: OTHER };
    const first = takeDecision(gate, say('approve', { edit: inline('better') }), { now: SINCE, edited });
    expect(first).toMatchObject({
      end: null,
      gate: { content: inline('better'), hash: OTHER, votes: [{ by: 'ana', value: null }] },
    });
    const { end } = takeDecision(first.gate, say('approve', { by: 'bo', hash: OTHER, comment: 'fine' }), {
      now: SINCE + 5,
      edited: null,
    });
    expect(end).toEqual({
      gate: 'ok',
      decision: 'approve',
      by: ['ana', 'bo'],
      hash: OTHER,
      comment: 'fine',
      output: inline('better'),
      at: iso(5),
    });
    expect(takeDecision(gateWith(), say('approve'), { now: SINCE, edited }).end).toMatchObject({
      edited: true,
      hash: OTHER,
      output: inline('better'),
    });
  });

  it.each<[string, Partial<Gate>, Decision, string]>([
    ['an approval of a gate without options', {}, say('approve'), 'approve'],
    ['a choice, whichever word was sent with it', { options: ['x'] }, say('approve', { value: inline('x') }), 'answer'],
    ['an answer to a question', { kind: 'ask' }, say('answer', { value: inline('x') }), 'answer'],
    ['an approval of a lost step', { kind: 'lost', options: ['retry'] }, say('approve'), 'approve'],
  ])('calls it by its word: %s', (_, gate, decision, word) => {
    expect(takeDecision(gateWith(gate), decision, { now: SINCE, edited: null }).end?.decision).toBe(word);
  });
});

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
