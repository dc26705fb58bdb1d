import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { passTime, takeDecision } from '../../../src/plan/gates/gate-timeline.js';
import type { Decision, Gate } from '../../../src/plan/gates/gate.js';
import { missingOf, refusalOf } from '../../../src/plan/gates/gate.js';
import { inline } from '../../../src/plan/values/value.js';
import { gateWith, say, SINCE, iso, OTHER } from '../helpers/gates.js';

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

  it('takes what the run showed first when the deadline approves, not what one of them has changed', () => {
    const asked = gateWith({ quorum: 2, content: inline('good'), deadline: iso(10), default: 'approve' });
    const edited = { content: inline('better'), hash: OTHER };
    const { gate } = takeDecision(asked, say('approve', { edit: inline('better') }), { now: SINCE, edited });
    expect(passTime(gate, SINCE + 10).end).toMatchObject({
      decision: 'approve',
      by: ['default'],
      hash: asked.hash,
      output: inline('good'),
    });
    // Changed back, it is what the run showed.
    const back = { content: inline('good'), hash: asked.hash };
    const again = takeDecision(gate, say('approve', { by: 'bo', hash: OTHER }), { now: SINCE, edited: back });
    const { end } = takeDecision(again.gate, say('approve', { by: 'cy' }), { now: SINCE, edited: null });
    expect(end).toMatchObject({ by: ['bo', 'cy'], output: inline('good') });
    expect(end).not.toHaveProperty('edited');
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
      edited: true,
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
