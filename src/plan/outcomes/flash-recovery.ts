import type { Failure, FailureType } from '../failure.js';
import type { GateEnd } from '../gates/gate.js';
import { namesOf } from '../gates/gate.js';
import type { StepEnd } from '../schedule/schedule-state.js';
import type { FlashStep, Step } from '../step.js';

/** What a person may say of a device that could not be flashed. */
export const RECOVERY_OPTIONS = ['retry', 'restore', 'skip', 'abort'] as const;
export type Recovery = (typeof RECOVERY_OPTIONS)[number];

/** Failures after which nobody knows what the device holds, or which only a hand at the device can end. */
const IN_DOUBT: ReadonlySet<FailureType> = new Set([
  'device-mute',
  'device-mismatch',
  'device-doubt',
  'not-written',
  'flash-failed',
  'not-expected',
  'timeout',
]);

/** Tells whether a flash that has failed for good leaves a device in doubt; then somebody is asked what to do. */
export function isInDoubt(step: Step, failure: Failure): step is FlashStep {
  return step.kind === 'flash' && IN_DOUBT.has(failure.type);
}

/** What was chosen at a recovery gate. Whoever approves without a choice wants another try; whoever rejects stops. */
export function recoveryOf({ decision, output }: Pick<GateEnd, 'decision' | 'output'>): Recovery {
  const value = output !== null && 'value' in output ? output.value : null;
  const chosen = RECOVERY_OPTIONS.find((option) => option === value);
  return chosen ?? (decision === 'approve' ? 'retry' : 'abort');
}

/** How a flash ends that was given up. */
export function givenUp(
  how: Exclude<Recovery, 'retry'>,
  failure: Failure,
  by: string[],
  comment: string | null = null,
): StepEnd {
  const says = `${namesOf(by)}${comment ? `: ${comment}` : ''}`;
  const people = by.length === 0 || by.includes('fallback') ? {} : { decided_by: by };
  switch (how) {
    case 'skip':
      return { status: 'skipped', reason: `given up by ${says}: ${failure.message}`, ...people };
    case 'restore':
      return {
        status: 'error',
        failure: { type: failure.type, message: `${failure.message} The last good image was restored (${says}).` },
        ...people,
      };
    case 'abort':
      return { status: failure.type === 'timeout' ? 'timeout' : 'error', failure, ...people };
  }
}
