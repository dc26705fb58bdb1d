import { describe, expect, it } from 'vitest';
import { endAlone, gateEnd, unattendedEnd } from '../../../src/plan/outcomes/step-ends.js';
import type { Gate } from '../../../src/plan/gates/gate.js';
import { DEFAULT_BUDGETS } from '../../../src/plan/budget/budgets.js';
import type { RunSettings } from '../../../src/plan/run-input.js';
import { inline } from '../../../src/plan/values/value.js';

const HASH = `sha256:${'a'.repeat(64)}` as const;
const AT = '2026-01-01T00:01:30.000Z';
const gateWith = (more: Partial<Gate> = {}): Gate => ({
  path: 'ok',
  kind: 'approval',
  message: 'Save?',
  content: inline('text'),
  hash: HASH,
  fallback: 'approve',
  since: '2026-01-01T00:00:00.000Z',
  ...more,
});
const settings = (gates: RunSettings['gates']): RunSettings => ({
  models: {},
  rehearsal: false,
  submitted_by: 'ana',
  gates,
  search_attributes: false,
  budget: DEFAULT_BUDGETS,
  workspace: '/w',
  caller: '/w',
});
const refused = (message: string): object => ({ status: 'error', failure: { type: 'rejected', message } });

describe('a gate that people decided', () => {
  const decided = { by: ['ana', 'bo'], comment: null, output: null, at: AT };

  it.each<[string, Parameters<typeof gateEnd>[0], object]>([
    [
      'approved is what was approved',
      { ...decided, decision: 'approve', output: inline('x') },
      { status: 'success', output: inline('x'), note: 'approved by ana and bo', decided_by: ['ana', 'bo'] },
    ],
    [
      'approved without content says so',
      { ...decided, decision: 'approve', comment: 'fine' },
      {
        status: 'success',
        output: inline('approved'),
        note: 'approved by ana and bo: fine',
        decided_by: ['ana', 'bo'],
        comment: 'fine',
      },
    ],
    [
      'edited says so',
      { ...decided, decision: 'approve', edited: true, output: inline('y') },
      { status: 'success', output: inline('y'), note: 'edited and approved by ana and bo', decided_by: ['ana', 'bo'] },
    ],
    [
      'answered is the answer',
      { ...decided, decision: 'answer', output: inline(7) },
      { status: 'success', output: inline(7), note: 'answered by ana and bo', decided_by: ['ana', 'bo'] },
    ],
    [
      'rejected is a failure with what was said',
      { ...decided, decision: 'reject', comment: 'no' },
      {
        status: 'error',
        failure: { type: 'rejected', message: 'rejected by ana and bo: no' },
        feedback: 'no',
        decided_by: ['ana', 'bo'],
        comment: 'no',
      },
    ],
    [
      'decided by its default is nobody’s decision',
      { ...decided, by: ['default'], decision: 'approve', output: inline('x') },
      { status: 'success', output: inline('x'), note: 'approved by default' },
    ],
  ])('%s', (_, end, expected) => {
    expect(gateEnd(end, gateWith())).toEqual(expected);
  });

  it('and that nobody decided in time tells how long it waited', () => {
    const end = { ...decided, by: [], decision: 'expire' as const };
    expect(gateEnd(end, gateWith({ deadline: '2026-01-01T00:01:00.000Z' }))).toEqual({
      status: 'error',
      failure: { type: 'expired', message: 'Nobody decided within its deadline of 60 s.' },
    });
    expect(gateEnd(end, gateWith())).toMatchObject({
      failure: { message: 'Nobody decided within its deadline of 90 s.' },
    });
  });
});

describe('a gate in a run that asks nobody', () => {
  it.each<[string, RunSettings['gates'], Partial<Gate>, object | null]>([
    ['waits where people are asked', 'ask', {}, null],
    [
      'is approved by who submitted it',
      'approve',
      { fallback: 'abort' },
      { status: 'success', output: inline('text'), note: 'approved by ana: by --yes', decided_by: ['ana'] },
    ],
    [
      'is approved by its fallback, which is nobody',
      'fallback',
      {},
      { status: 'success', output: inline('text'), note: 'approved by fallback: unattended' },
    ],
    [
      'is approved without content',
      'fallback',
      { content: null },
      { status: 'success', output: inline('approved'), note: 'approved by fallback: unattended' },
    ],
    [
      'is skipped',
      'fallback',
      { fallback: 'skip' },
      { status: 'skipped', reason: "unattended: the gate's fallback is skip" },
    ],
    ['fails', 'fallback', { fallback: 'abort' }, refused("unattended: the gate's fallback is abort")],
    [
      'is approved by a model, which is nobody either',
      'fallback',
      { fallback_by: { name: 'judge (a model)', reason: 'it is whole' } },
      { status: 'success', output: inline('text'), note: 'approved by judge (a model): it is whole' },
    ],
    [
      'fails by the word of a model, with its reason',
      'fallback',
      { fallback: 'abort', fallback_by: { name: 'judge (a model)', reason: 'half is missing' } },
      refused('unattended: judge (a model) says abort: half is missing'),
    ],
    [
      'is approved by the submitter whatever a model would say',
      'approve',
      { fallback: 'abort', fallback_by: { name: 'judge (a model)', reason: null } },
      { status: 'success', output: inline('text'), note: 'approved by ana: by --yes', decided_by: ['ana'] },
    ],
    [
      'is approved though its fallback is to skip',
      'approve',
      { fallback: 'skip' },
      { status: 'success', output: inline('text'), note: 'approved by ana: by --yes', decided_by: ['ana'] },
    ],
    [
      'fails where it wants two people',
      'approve',
      { quorum: 2 },
      refused('unattended: --yes approves as ana, and this gate wants 2 people'),
    ],
    [
      'is approved where one is enough',
      'approve',
      { quorum: 1, approvers: ['ana'], excluded: ['bo'] },
      { status: 'success', output: inline('text'), note: 'approved by ana: by --yes', decided_by: ['ana'] },
    ],
    [
      'fails where it wants another',
      'approve',
      { excluded: ['ana'] },
      refused('unattended: --yes approves as ana, and this gate wants somebody else'),
    ],
    [
      'fails where it is for others',
      'approve',
      { approvers: ['bo', 'cy'] },
      refused('unattended: --yes approves as ana, and this gate is for bo or cy to decide'),
    ],
    [
      'is not held by who may decide where its fallback decides',
      'fallback',
      { approvers: ['bo'] },
      { status: 'success', output: inline('text'), note: 'approved by fallback: unattended' },
    ],
    [
      'takes its default option',
      'approve',
      { options: ['a', 'b'], default: 'b' },
      { status: 'success', output: inline('b'), note: 'answered by ana: by --yes' },
    ],
    [
      'fails without a default among its options',
      'fallback',
      { options: ['a'], default: 'approve' },
      refused('unattended: the gate has options and none of them is its `default`'),
    ],
    [
      'fails with options and no default',
      'fallback',
      { options: ['a'] },
      refused('unattended: the gate has options and none of them is its `default`'),
    ],
    [
      'fails with options and no default where all is approved',
      'approve',
      { options: ['a'] },
      refused('unattended: --yes chooses no option where none of them is the `default` of the gate'),
    ],
    [
      'answers a question by its default, be it false',
      'fallback',
      { kind: 'ask', default: false },
      { status: 'success', output: inline(false), note: 'answered by fallback: unattended' },
    ],
    [
      'fails as a question without a default',
      'approve',
      { kind: 'ask' },
      refused('unattended: the question has no `default`'),
    ],
  ])('%s', (_, gates, gate, expected) => {
    expect(unattendedEnd(gateWith(gate), settings(gates))).toEqual(expected);
  });
});

describe('a gate that people are asked at', () => {
  it.each<[string, Partial<Gate>, string | null]>([
    ['waits for anyone', {}, null],
    ['waits for who may', { approvers: ['ana'], quorum: 1 }, null],
    ['waits where who may not is another', { approvers: ['ana'], excluded: ['bo'] }, null],
    [
      'ends where nobody is left',
      { approvers: ['ana'], excluded: ['ana', 'bo'] },
      'Nobody could decide this gate: it is for ana to decide, and not for ana or bo.',
    ],
    [
      'ends where too few could agree',
      { approvers: ['ana', 'bo'], quorum: 3 },
      'Nobody could decide this gate: it is for ana or bo to decide, and 3 people must agree.',
    ],
    ['waits where as many as must agree could', { approvers: ['ana', 'bo'], quorum: 2 }, null],
    ['waits for its deadline', { approvers: ['ana'], excluded: ['ana'], deadline: AT }, null],
    ['waits for its escalation', { approvers: ['ana'], excluded: ['ana'], escalation: { at: AT, to: ['bo'] } }, null],
  ])('%s', (_, gate, message) => {
    expect(endAlone(gateWith(gate), settings('ask'))).toEqual(message === null ? null : refused(message));
  });

  it('asks nobody where the run does not', () => {
    expect(endAlone(gateWith({ approvers: [] }), settings('fallback'))).toMatchObject({ status: 'success' });
  });
});
