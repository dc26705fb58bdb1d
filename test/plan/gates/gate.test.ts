import { describe, expect, it } from 'vitest';
import type { Decision, Gate } from '../../../src/plan/gates/gate.js';
import { isDecision, isRead, namesOf, refusalOf } from '../../../src/plan/gates/gate.js';
import { inline } from '../../../src/plan/values/value.js';
import { SINCE, gateWith, say, iso, OTHER, STORED } from '../helpers/gates.js';

const refusal = (decision: Decision, gate: Partial<Gate> = {}, now = SINCE): string | null =>
  refusalOf(decision, gateWith(gate), undefined, now);

describe('a decision counts', () => {
  it.each<[string, Decision, Partial<Gate>]>([
    ['an approval', say('approve'), {}],
    ['a rejection', say('reject'), {}],
    ['just before the deadline', say('approve'), { deadline: iso(1) }],
    ['about this opening of the gate', say('approve', { since: iso(0) }), { since: iso(0) }],
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
    ['an approval of a call that is to be remembered', say('approve', { remember: true }), { kind: 'tool' }],
  ])('%s', (_, decision, gate) => {
    expect(refusal(decision, gate)).toBeNull();
  });

  it.each<[string, Decision, Partial<Gate>, RegExp]>([
    ['at the deadline', say('approve'), { deadline: iso(0) }, /has expired: its deadline was 2026/],
    [
      'about an earlier opening of the gate, though it asks the same',
      say('approve', { since: iso(0) }),
      { since: iso(1) },
      /was asked anew since it was shown/,
    ],
    [
      'about other content',
      say('approve', { hash: OTHER }),
      {},
      /^Gate `ok` shows other content .*Look again and decide on what it shows now\.$/,
    ],
    ['a rejection that is to be remembered', say('reject', { remember: true }), { kind: 'tool' }, /no call of a tool/],
    ['of no call that is to be remembered', say('approve', { remember: true }), {}, /^Gate `ok` is about no call/],
    [
      'of who is excluded',
      say('approve'),
      { excluded: ['ana'], approvers: ['ana'] },
      /^Gate `ok` wants somebody else than ana/,
    ],
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
    [
      'twice of one person among others',
      say('approve'),
      {
        quorum: 3,
        votes: [
          { by: 'bo', value: null },
          { by: 'ana', value: null },
        ],
      },
      /already decided by ana; it waits for 1 more/,
    ],
    [
      'an approval of a lost step with a choice that is none',
      say('approve', { value: inline('x') }),
      { kind: 'lost', options: ['retry'] },
      /takes one of `retry`/,
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
    ['one to be remembered', say('approve', { remember: true })],
    ['one about an opening', say('approve', { since: iso(0) })],
    ['one from a page', say('approve', { via: 'page' })],
    ['one from a terminal', say('approve', { via: 'terminal' })],
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
    ['no moment', { ...say('approve'), since: 5 }],
    ['no gate', { ...say('approve'), gate: 5 }],
    ['no hash', { ...say('approve'), hash: undefined }],
    ['a comment that is too long', say('approve', { comment: 'c'.repeat(16_385) })],
    ['a comment that is none', { ...say('approve'), comment: 5 }],
    ['a token that is too long', say('approve', { token: 't'.repeat(8_193) })],
    ['a token that is none', { ...say('approve'), token: 5 }],
    ['a list for a token', { ...say('approve'), token: ['t'] }],
    ['a list for a comment', { ...say('approve'), comment: ['c'] }],
    ['a grant that is none', { ...say('approve'), grant: 5 }],
    ['one that is not to be remembered', { ...say('approve'), remember: false }],
    ['one that says it has a grant', { ...say('approve'), via: 'grant' }],
    ['a list for the name of an edit', { ...say('approve'), edit: { ref: [OTHER], bytes: 1 } }],
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
