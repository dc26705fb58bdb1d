import type { Decision, Gate } from './gate.js';
import type { RunOutcome, Spend } from './result.js';
import type { RunSettings } from './run-input.js';
import type { StepEnd } from './schedule.js';
import { stepStatusOf } from './schedule.js';
import type { Step } from './step.js';
import { inline } from './value.js';

/** Type of the failure with which a run that did not succeed ends in Temporal; its one detail is the RunOutcome. */
export const RUN_FAILED = 'run-failed';

/** How an approval ends. The output of an approved gate is exactly what was approved, so that later steps use nothing else. */
export function decidedEnd(content: Gate['content'], { decision, by, comment }: Pick<Decision, 'decision' | 'by' | 'comment'>): StepEnd {
  const says = comment ? `: ${comment}` : '';
  if (decision === 'approve') return { status: 'success', output: content ?? inline('approved'), note: `approved by ${by}${says}` };
  return { status: 'error', failure: { type: 'rejected', message: `rejected by ${by}${says}` } };
}

/** How a gate ends that asks nobody; null where the run's settings have it ask. */
export function unattendedEnd({ content, fallback }: Pick<Gate, 'content' | 'fallback'>, { gates, submitted_by }: RunSettings): StepEnd | null {
  if (gates === 'ask') return null;
  if (gates === 'approve') return decidedEnd(content, { decision: 'approve', by: submitted_by, comment: 'by --yes' });
  switch (fallback) {
    case 'approve':
      return decidedEnd(content, { decision: 'approve', by: 'fallback', comment: 'unattended' });
    case 'skip':
      return { status: 'skipped', reason: "unattended: the gate's fallback is skip" };
    case 'abort':
      return { status: 'error', failure: { type: 'rejected', message: "unattended: the gate's fallback is abort" } };
  }
}

/** What a nested run's outcome makes of the step that started it. */
export function nestedEnd(run: string, { status, error, output, spend, pages }: RunOutcome): StepEnd {
  const ended = stepStatusOf(status);
  if (ended === 'success') return { status: ended, output, spend, pages, run, note: status === 'partial' ? 'partial' : null };
  return { status: ended, failure: { type: 'nested-failed', message: error ?? status }, spend, pages, run };
}

/** A step that acts or asks counts as one, however often it was tried (decision 2); money and tokens of all tries add up. */
export function countedOnce(step: Step, tries: number, spent: Spend): Spend {
  return step.kind === 'workflow' ? spent : { ...spent, steps: tries > 0 ? 1 : 0 };
}
