import { needOf } from '../references/estimate.js';
import type { Failure } from '../failure.js';
import type { Gate, GateEnd } from '../gates/gate.js';
import { namesOf } from '../gates/gate.js';
import type { Json } from '../values/json.js';
import { isObject } from '../values/json.js';
import type { RunOutcome } from '../result.js';
import type { Spend } from '../budget/spend.js';
import { segmentOf } from '../plan.js';
import type { RunSettings } from '../run-input.js';
import type { StepEnd } from '../schedule/schedule-state.js';
import { stepStatusOf } from '../schedule/schedule.js';
import type { LoopStep, Step, WorkflowStep } from '../step.js';
import type { Value } from '../values/value.js';
import { inline } from '../values/value.js';

/** Type of the failure with which a run that did not succeed ends in Temporal; its one detail is the RunOutcome. */
export const RUN_FAILED = 'run-failed';

/** What a nested run did that has worked for longer than one try may. */
export function lateNested({ timeout_ms }: Pick<WorkflowStep, 'timeout_ms'>): string {
  return `did not end within ${timeout_ms / 1000} s`;
}

/**
 * What a gate's end makes of its step. The output of an approved gate is exactly what was approved, so that later steps
 * use nothing else.
 */
export function gateEnd(
  {
    decision,
    by,
    comment,
    output,
    edited,
    ...end
  }: Pick<GateEnd, 'decision' | 'by' | 'comment' | 'output' | 'edited' | 'at'>,
  gate: Pick<Gate, 'deadline' | 'since'>,
): StepEnd {
  const says = comment ? `: ${comment}` : '';
  // A default is nobody's decision: the next gate may not count it as one.
  const decided_by = by.filter((name) => name !== 'default');
  const people = decided_by.length === 0 ? {} : { decided_by, ...(comment ? { comment } : {}) };
  switch (decision) {
    case 'approve':
      return {
        status: 'success',
        output: output ?? inline('approved'),
        note: `${edited ? 'edited and ' : ''}approved by ${namesOf(by)}${says}`,
        ...people,
      };
    case 'answer':
      return { status: 'success', output, note: `answered by ${namesOf(by)}${says}`, ...people };
    case 'reject':
      return {
        status: 'error',
        failure: { type: 'rejected', message: `rejected by ${namesOf(by)}${says}` },
        feedback: comment,
        ...people,
      };
    case 'expire': {
      const limit = Date.parse(gate.deadline ?? end.at) - Date.parse(gate.since);
      return {
        status: 'error',
        failure: { type: 'expired', message: `Nobody decided within its deadline of ${limit / 1000} s.` },
      };
    }
  }
}

type AloneGate = Pick<
  Gate,
  'kind' | 'content' | 'fallback' | 'fallback_by' | 'options' | 'default' | 'approvers' | 'excluded' | 'quorum'
>;

/** What a gate's end makes of its step, where a run that starts by itself has its fallback when nobody decided. */
export function ownGateEnd(end: Parameters<typeof gateEnd>[0], gate: Gate, settings: RunSettings): StepEnd {
  const isAlone = end.decision === 'expire' && asksUntilDeadline(gate, settings);
  const alone = isAlone ? aloneEnd({ ...gate, ...gate.first }, settings) : null;
  return alone ?? gateEnd(end, gate);
}

/** Tells whether people may decide a gate of a run that starts by itself: those of its definition, for a while. */
function asksUntilDeadline({ kind, deadline }: AloneGate & Pick<Gate, 'deadline'>, settings: RunSettings): boolean {
  return settings.asks_until_deadline === true && (kind === 'approval' || kind === 'ask') && deadline !== undefined;
}

/** How a gate ends that asks nobody; null where the run's settings have it ask. */
export function unattendedEnd(gate: AloneGate & Pick<Gate, 'deadline'>, settings: RunSettings): StepEnd | null {
  return asksUntilDeadline(gate, settings) ? null : aloneEnd(gate, settings);
}

function aloneEnd(gate: AloneGate, { gates, submitted_by }: RunSettings): StepEnd | null {
  if (gates === 'ask') return null;
  const { kind, content, fallback_by: chosen, options, default: otherwise } = gate;
  const byNobody = { by: chosen?.name ?? 'fallback', comment: chosen?.reason ?? 'unattended' };
  const says = gates === 'approve' ? { by: submitted_by, comment: 'by --yes' } : byNobody;
  if (kind === 'ask')
    return otherwise === undefined ? refused('the question has no `default`') : answered(says, otherwise);
  const stopped = gates === 'approve' ? notBySubmitter(gate, submitted_by) : fallbackStop(gate);
  if (stopped !== null) return stopped;
  if (options !== undefined) return chosenOption(options, { otherwise, says, gates });
  return {
    status: 'success',
    output: content ?? inline('approved'),
    note: `approved by ${says.by}: ${says.comment}`,
    ...(gates === 'approve' ? { decided_by: [submitted_by] } : {}),
  };
}

function chosenOption(
  options: Json[],
  { otherwise, says, gates }: { otherwise: Json | undefined; says: { by: string; comment: string }; gates: string },
): StepEnd {
  if (otherwise !== undefined && options.includes(otherwise)) return answered(says, otherwise);
  return gates === 'approve'
    ? refused('--yes chooses no option where none of them is the `default` of the gate')
    : refused('the gate has options and none of them is its `default`');
}

/** With `--yes` the submitter approves, and nobody else. */
function notBySubmitter(gate: AloneGate, submitter: string): StepEnd | null {
  const other = wantsOthers(gate, submitter);
  return other === null ? null : refused(`--yes approves as ${submitter}, and this gate ${other}`);
}

/** What a fallback that does not approve makes of the gate. */
function fallbackStop({ fallback, fallback_by: chosen }: AloneGate): StepEnd | null {
  if (fallback === 'approve') return null;
  const reason = chosen?.reason == null ? '' : `: ${chosen.reason}`;
  const why = chosen === undefined ? `the gate's fallback is ${fallback}` : `${chosen.name} says ${fallback}${reason}`;
  return fallback === 'abort' ? refused(why) : { status: 'skipped', reason: `unattended: ${why}` };
}

function refused(why: string): StepEnd {
  return { status: 'error', failure: { type: 'rejected', message: `unattended: ${why}` } };
}

/** How a gate ends that asks nobody, or that nobody could decide; null where it waits for people. */
export function endAlone(gate: Gate, settings: RunSettings): StepEnd | null {
  return unattendedEnd(gate, settings) ?? stuckEnd(gate);
}

/** A gate that nobody may decide, now or later, would wait for ever. */
function stuckEnd({ approvers, excluded = [], quorum = 1, deadline, escalation }: Gate): StepEnd | null {
  if (approvers === undefined || deadline !== undefined) return null;
  const all = [...new Set([...approvers, ...(escalation?.to ?? [])])];
  if (all.filter((name) => !excluded.includes(name)).length >= quorum) return null;
  const who =
    `it is for ${namesOf(all, 'or')} to ` +
    `decide${excluded.length === 0 ? '' : `, and not for ${namesOf(excluded, 'or')}`}`;
  return {
    status: 'error',
    failure: {
      type: 'rejected',
      message: `Nobody could decide this gate: ${who}${quorum > 1 ? `, and ${quorum} people must agree` : ''}.`,
    },
  };
}

function answered({ by, comment }: { by: string; comment: string }, answer: Json): StepEnd {
  return { status: 'success', output: inline(answer), note: `answered by ${by}: ${comment}` };
}

/** What keeps one person from approving alone; null when nothing does. */
function wantsOthers(
  { approvers, excluded, quorum = 1 }: Pick<Gate, 'approvers' | 'excluded' | 'quorum'>,
  name: string,
): string | null {
  if (quorum > 1) return `wants ${quorum} people`;
  if (excluded?.includes(name)) return 'wants somebody else';
  return approvers === undefined || approvers.includes(name) ? null : `is for ${namesOf(approvers, 'or')} to decide`;
}

/** What a decision about a lost step makes of it; null for another try. */
export function lossEnd(
  step: Step,
  { decision, by, comment, output }: Pick<GateEnd, 'decision' | 'by' | 'comment' | 'output'>,
): StepEnd | null {
  const says = `${by.join(', ')}${comment ? `: ${comment}` : ''}`;
  const chosen = output !== null && 'value' in output ? output.value : decision === 'approve' ? 'retry' : 'stop';
  if (chosen === 'retry') return null;
  if (chosen === 'done') return { status: 'success', output: null, note: `counted as done by ${says}`, decided_by: by };
  return {
    ...lostEnd(step, `${by.join(', ')} decided not to repeat it${comment ? `: ${comment}` : ''}`),
    decided_by: by,
  };
}

/** How a step ends whose external effect may have happened, and which is not done again. */
export function lostEnd(step: Step, why: string): StepEnd {
  return {
    status: 'error',
    failure: {
      type: 'worker-lost',
      message: `The worker was lost while \`${segmentOf(step)}\` ran, and its effect is external: ${why}.`,
    },
  };
}

/**
 * Why a loop fails whose last round did not: its condition did not hold (null: nobody knows), and that is asked for.
 */
export function loopFailure({ at_max, max }: LoopStep, rounds: number, holds: boolean | null): Failure | null {
  if (holds !== false || at_max === 'continue' || rounds < max) return null;
  return { type: 'limit-reached', message: `The condition of \`until\` did not hold after ${roundsText(rounds)}.` };
}

/** `1 round`, `4 rounds`. */
export function roundsText(count: number): string {
  return `${count} ${count === 1 ? 'round' : 'rounds'}`;
}

/** What a nested run's outcome makes of the step that started it. */
export function nestedEnd(run: string, { status, error, output, spend, pages }: RunOutcome): StepEnd {
  const ended = stepStatusOf(status);
  if (ended === 'success')
    return {
      status: ended,
      output,
      spend,
      pages,
      run,
      ...(status === 'partial' ? { note: 'partial', partial: error ?? 'partial' } : { note: null }),
    };
  return { status: ended, failure: { type: 'nested-failed', message: error ?? status }, spend, pages, run };
}

/**
 * The end of a step whose nested run others have ended. Nobody cancelled the step itself, so it has failed; another try
 * would be what they ended.
 */
export function endedByOthers(run: string, how: 'cancelled' | 'terminated'): StepEnd {
  return {
    status: 'error',
    failure: { type: 'nested-ended', message: `${how}: \`${run}\` was ${how} by others` },
    run,
  };
}

/**
 * A step that acts or asks counts as one, however often it was tried (decision 2); money and tokens of all tries add
 * up.
 */
export function countedOnce(step: Step, tries: number, spent: Spend): Spend {
  return needOf(step).steps === 0 ? spent : { ...spent, steps: tries > 0 ? 1 : 0 };
}

/** What a `set` step says whose condition does not hold: its value `message`. */
export function requirementText(output: Value | null): string {
  const message = output !== null && 'value' in output && isObject(output.value) ? output.value['message'] : null;
  return typeof message === 'string' && message !== '' ? message : 'The condition of `require` does not hold.';
}
