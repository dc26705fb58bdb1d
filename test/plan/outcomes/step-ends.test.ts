import { describe, expect, it } from 'vitest';
import {
  countedOnce,
  endAlone,
  endedByOthers,
  gateEnd,
  lossEnd,
  lostEnd,
  loopFailure,
  nestedEnd,
  roundsText,
  unattendedEnd,
} from '../../../src/plan/outcomes/step-ends.js';
import type { Gate } from '../../../src/plan/gates/gate.js';
import { DEFAULT_BUDGETS } from '../../../src/plan/budget/budgets.js';
import type { RunOutcome } from '../../../src/plan/result.js';
import type { RunSettings } from '../../../src/plan/run-input.js';
import { inline } from '../../../src/plan/values/value.js';
import { loop, single } from '../helpers/build-blocks.js';
import { commandStep, stepBase } from '../helpers/build-plan.js';

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

describe('a step whose worker was lost', () => {
  const step = commandStep(0, ['deploy'], { id: 'ship', effect: 'external' });
  const says = { by: ['ana'], comment: 'seen', output: null };

  it.each<[string, Parameters<typeof lossEnd>[1], object | null]>([
    ['is done again after an approval', { ...says, decision: 'approve' }, null],
    ['is done again where that was chosen', { ...says, decision: 'answer', output: inline('retry') }, null],
    [
      'counts as done',
      { ...says, decision: 'answer', output: inline('done') },
      { status: 'success', output: null, note: 'counted as done by ana: seen', decided_by: ['ana'] },
    ],
    [
      'has failed where it is to stop',
      { ...says, decision: 'answer', output: inline('stop') },
      {
        status: 'error',
        failure: {
          type: 'worker-lost',
          message:
            'The worker was lost while `ship` ran, and its effect is external: ana decided not to repeat it: seen.',
        },
        decided_by: ['ana'],
      },
    ],
    [
      'has failed after a rejection',
      { by: ['ana', 'bo'], comment: null, output: null, decision: 'reject' },
      {
        status: 'error',
        failure: {
          type: 'worker-lost',
          message:
            'The worker was lost while `ship` ran, and its effect is external: ana, bo decided not to repeat it.',
        },
        decided_by: ['ana', 'bo'],
      },
    ],
    [
      'counts as done without a word',
      { by: ['ana'], comment: '', decision: 'answer', output: inline('done') },
      { status: 'success', output: null, note: 'counted as done by ana', decided_by: ['ana'] },
    ],
  ])('%s', (_, decided, expected) => {
    expect(lossEnd(step, decided)).toEqual(expected);
  });

  it('is told with why', () => {
    expect(lostEnd(step, 'nobody is asked')).toEqual({
      status: 'error',
      failure: {
        type: 'worker-lost',
        message: 'The worker was lost while `ship` ran, and its effect is external: nobody is asked.',
      },
    });
  });
});

describe('rounds, nested runs and what they cost', () => {
  const until = { kind: 'literal' as const, value: false };
  it.each<['error' | 'continue', number, boolean | null, string | null]>([
    ['error', 3, false, 'The condition of `until` did not hold after 3 rounds.'],
    ['error', 3, true, null],
    ['error', 3, null, null],
    ['error', 2, false, null],
    ['continue', 3, false, null],
  ])('a loop with at_max %s after %i of 3 rounds whose condition is %j: %j', (at_max, rounds, holds, message) => {
    const failure = loopFailure(loop(0, until, single(commandStep(0, ['true'])), { max: 3, at_max }), rounds, holds);
    expect(failure).toEqual(message === null ? null : { type: 'limit-reached', message });
  });

  it('one round is no rounds', () => {
    expect([0, 1, 2].map(roundsText)).toEqual(['0 rounds', '1 round', '2 rounds']);
  });

  it.each<[RunOutcome['status'], string | null, object]>([
    ['error', 'it broke', { status: 'error', failure: { type: 'nested-failed', message: 'it broke' } }],
    ['error', null, { status: 'error', failure: { type: 'nested-failed', message: 'error' } }],
    ['timeout', null, { status: 'timeout', failure: { type: 'nested-failed', message: 'timeout' } }],
    ['cancelled', null, { status: 'error', failure: { type: 'nested-failed', message: 'cancelled' } }],
    ['success', null, { status: 'success', output: inline('out') }],
  ])('a nested run that ended in %s (%j) makes this of its step', (status, error, expected) => {
    const spend = { usd: 1, tokens: 2, steps: 3 };
    expect(
      nestedEnd('run/a', {
        status,
        error,
        output: inline('out'),
        spend,
        pages: [inline('page')],
        finished: '',
      } as unknown as RunOutcome),
    ).toMatchObject({ ...expected, run: 'run/a', spend, pages: [inline('page')] });
  });

  it.each(['cancelled', 'terminated'] as const)('a nested run that others %s has failed its step', (how) => {
    expect(endedByOthers('run/a', how)).toEqual({
      status: 'error',
      failure: { type: 'nested-ended', message: `${how}: \`run/a\` was ${how} by others` },
      run: 'run/a',
    });
  });

  it('a step that acts counts once however often it was tried, and not where it never was', () => {
    const spent = { usd: 4, tokens: 5, steps: 3 };
    expect(countedOnce(commandStep(0, ['true']), 3, spent)).toEqual({ usd: 4, tokens: 5, steps: 1 });
    expect(countedOnce(commandStep(0, ['true']), 0, spent)).toEqual({ usd: 4, tokens: 5, steps: 0 });
    const nested = { ...stepBase(0), kind: 'workflow' as const, workflow: 'leaf', plan: HASH, inputs: {} };
    expect(countedOnce(nested, 3, spent)).toBe(spent);
  });
});
