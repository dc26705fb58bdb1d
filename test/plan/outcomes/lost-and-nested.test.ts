import { describe, expect, it } from 'vitest';
import {
  countedOnce,
  endedByOthers,
  lossEnd,
  lostEnd,
  loopFailure,
  nestedEnd,
  roundsText,
} from '../../../src/plan/outcomes/step-ends.js';
import type { RunOutcome } from '../../../src/plan/result.js';
import { inline } from '../../../src/plan/values/value.js';
import { loop, single } from '../helpers/build-blocks.js';
import { commandStep, stepBase } from '../helpers/build-plan.js';

const HASH = `sha256:${'a'.repeat(64)}` as const;

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
