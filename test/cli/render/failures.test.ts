import { describe, expect, it } from 'vitest';
import { ciRows, failedRows } from '../../../src/cli/ci/rows.js';
import type { RoundView, StepView } from '../../../src/cli/observe/view/view.js';
import { failuresOf } from '../../../src/cli/render/failures.js';
import { NO_SPEND } from '../../../src/plan/budget/spend.js';
import type { Body } from '../../../src/plan/step.js';
import { foreach, literal, loop, many, reference, single } from '../../plan/helpers/build-blocks.js';
import { stepBase } from '../../plan/helpers/build-plan.js';
import { commandStep, ended, runView, stepView } from '../helpers/views.js';

const LATE = { failure: 'timeout', error: 'The step did not end within its deadline of 3 s.' } as const;
const CUT = { failure: 'cancelled', error: 'cancelled: `each` did not end within its deadline of 3 s' } as const;
const BROKEN = { failure: 'command-failed', error: 'exit 1' } as const;

const leaf = (path: string, why: typeof CUT | typeof BROKEN | typeof LATE): StepView =>
  stepView(commandStep(0, ['cat']), { path, ...ended(why === LATE ? 'timeout' : 'error', why) });

function round(index: number, steps: StepView[]): RoundView {
  const ends = { status: 'error', output: null, error: null, duration_ms: 5, spend: NO_SPEND } as const;
  return { index, path: `each/${String(index)}`, single: true, steps, ...ends };
}

const BODY: Body = single(commandStep(0, ['cat']));
const each = foreach(0, literal('[]'), BODY, { id: 'each' });

/** What is said to have failed, by the two lists of it: for people, and for CI. */
function told(step: StepView): [string, string | null][][] {
  const view = runView([step]);
  return [failuresOf(view), failedRows(ciRows(view))].map((list) => list.map(({ path, error }) => [path, error]));
}

describe('what failed, where a limit of a step has passed', () => {
  it('is the step, and what had failed in it by itself, but nothing that the limit cut off', () => {
    const rounds = [round(0, [leaf('each/0', BROKEN)]), round(1, [leaf('each/1', CUT)])];
    const expected = [
      ['each', LATE.error],
      ['each/0', 'exit 1'],
    ];
    expect(told(stepView(each, { ...ended('timeout', LATE), rounds }))).toEqual([expected, expected]);
  });

  it('is the step of a nested run that took too long', () => {
    const late = { ...LATE, error: 'The nested run did not end within 1 s.' };
    const nested = runView([leaf('sub/0', { ...CUT })], { run: 'full-review-7k2m/sub', path: 'sub' });
    const step = {
      ...stepBase(0, { id: 'sub' }),
      kind: 'workflow',
      plan: 'sha256:sub',
      workflow: 'sub',
      inputs: {},
    } as const;
    const expected = [['sub', late.error]];
    expect(told(stepView(step, { ...ended('timeout', late), nested }))).toEqual([expected, expected]);
  });

  it('is what took too long in a round, where a loop ends as that did', () => {
    const body = many([commandStep(0, ['cat'])]);
    const step = loop(0, reference('index'), body, { id: 'each' });
    const rounds = [round(0, [leaf('each/0/0', LATE)])];
    const expected = [['each/0/0', LATE.error]];
    expect(told(stepView(step, { ...ended('timeout', LATE), rounds }))).toEqual([expected, expected]);
  });
});
