import { literalText } from '../../../plan/values/expression.js';
import type { Mending } from './mend-steps.js';
import { inVain, mendSteps, shownWith } from './mend-steps.js';
import type { TaskStep } from './task-step.js';
import { MOST_ROUNDS, TASK } from './task-step.js';
import { DECIDED, troubleStep } from './trouble.js';

/** What a reviewer answers. */
const VERDICT = {
  type: 'object',
  properties: {
    verdict: { enum: ['APPROVED', 'NEEDS CHANGES'] },
    criteria: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          criterion: { type: 'string' },
          met: { type: 'boolean' },
          evidence: { type: 'string', description: 'the file and what stands there' },
        },
        required: ['criterion', 'met', 'evidence'],
        additionalProperties: false,
      },
    },
    summary: { type: 'string' },
  },
  required: ['verdict', 'criteria', 'summary'],
  additionalProperties: false,
};
const APPROVED = "(steps.review.output.verdict ?? 'none') == 'APPROVED'";

/** Of the last review that there was. */
const VERDICT_SAID = 'steps.judged.output.review.verdict';
const SUMMARY_SAID = 'steps.judged.output.review.summary';

/**
 * A task of a reviewer: what needs changes goes back to who built it, and is reviewed again; then a person decides. A
 * part that nobody approved makes the build partial.
 */
export function reviewStep({ task, id, agent, prompt, before, needs }: TaskStep, mend: Mending | null): object {
  const most = mend?.rounds ?? 0;
  return {
    id,
    needs,
    on_error: 'stop',
    loop: { until: `\${${APPROVED} || ${DECIDED}}`, max: MOST_ROUNDS + most, at_max: 'continue' },
    steps: [
      ...mendSteps(mend, {
        prompt:
          `${literalText(`# Mend what the review found: ${task.name}\n\n`)}A reviewer looked at what was built. ` +
          `Change what needs changes, and nothing else.\n\n<review>\n\${steps.judged.output.review}\n</review>` +
          (before === null ? '' : `\n\n${before}`),
        what: `mend what was found by: ${task.name}`,
      }),
      {
        id: 'review',
        // Nobody is paid for looking at the same again.
        when: `\${!${inVain(mend)}}`,
        agent,
        prompt:
          `${prompt}\n\nAnswer with your verdict: APPROVED, or NEEDS CHANGES when a criterion is not met. For each ` +
          `criterion say whether it is met, and by what you see that.`,
        schema: VERDICT,
        timeout: TASK.timeout,
        retry: { attempts: TASK.attempts },
        on_error: 'continue',
      },
      {
        id: 'judged',
        set: {
          review: '${steps.review.output ?? steps.review.error ?? steps.judged.output.review ?? ""}',
          ask: `\${!(${APPROVED}) && (index >= ${most} || steps.review.status != 'success')}`,
        },
      },
      troubleStep(task.name, {
        when: 'steps.judged.output.ask',
        shown: shownWith(mend, '${steps.judged.output.review}'),
      }),
      {
        id: 'approved',
        set: { message: `\${${VERDICT_SAID} ?? "no verdict"}: \${${SUMMARY_SAID} ?? ""}` },
        require: `\${${APPROVED}}`,
        on_error: 'skip_dependents',
      },
    ],
    yields: `\${${VERDICT_SAID} ?? "It was not reviewed"}: \${${SUMMARY_SAID} ?? ""}`,
  };
}
