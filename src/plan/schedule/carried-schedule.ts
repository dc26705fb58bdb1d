import { OUTER, rootsOf } from '../values/expression.js';
import type { Root } from '../values/expression.js';
import type { CarriedScope, CarriedStep } from './carried.js';
import { NO_SPEND } from '../budget/spend.js';
import { redoneBy } from './rework.js';
import { createSchedule, isEnd, lastStepOf, lettersOf, statusesFrom } from './schedule.js';
import type { Schedule, StepState } from './schedule-state.js';
import { rootsOfStep } from '../references/step-references.js';
import type { Block, LoopStep } from '../step.js';

/**
 * What is left of a state when all of it that is carried, and all that is made anew, was taken from it: a field more
 * does not compile.
 */
export type Nothing = Record<string, never>;

/**
 * What of a schedule travels when a run continues as new (I12). `later` are further roots that will be looked up in it.
 */
export function carrySchedule(schedule: Schedule, later: Root[] = []): Omit<CarriedScope, 'pages'> {
  const {
    stopped,
    failures,
    spend,
    reworks,
    // By letters, or as what is needed of them.
    steps,
    doomed,
    // They follow from the Plan and the letters.
    body,
    ready,
    running,
    blockers,
    dependents,
    open,
    ended,
    redoable,
    ...forgotten
  } = schedule;
  void (forgotten satisfies Nothing);
  return {
    statuses: lettersOf(schedule),
    doomed: [...schedule.doomed].filter(([step]) => !hasEnded(schedule, step)),
    steps: neededSteps(schedule, later),
    stopped,
    failures,
    spend,
    ...(reworks.length === 0 ? {} : { reworks }),
    ...cutIn(schedule),
  };
}

/** What a scope leaves undone makes of it, whatever its other steps come to: the first such step says why. */
function cutIn({ steps }: Schedule): Pick<CarriedScope, 'cut'> {
  const step = steps.findIndex(({ cut }) => cut === true);
  const { reason = null, note = null } = steps[step] ?? {};
  return step === -1 ? {} : { cut: { step, reason, note } };
}

/**
 * What of a schedule a batch run gets: what these roots stand for, and nothing of what its other steps have come to.
 */
export function lendSchedule(schedule: Schedule, roots: Root[]): Omit<CarriedScope, 'pages'> {
  const { body, reworks } = schedule;
  return {
    statuses: lettersOf(schedule),
    doomed: [],
    steps: carriedSteps(schedule, new Set(roots.flatMap((root) => indexesOf(body, root)))),
    stopped: null,
    failures: { count: 0, first: [] },
    spend: NO_SPEND,
    ...(reworks.length === 0 ? {} : { reworks }),
  };
}

/** Of finished steps, only those travel that a step still to come, or the output, can refer to. */
function neededSteps(schedule: Schedule, later: Root[]): Record<number, CarriedStep> {
  const { body } = schedule;
  const redone = mayBeSentBack(schedule);
  const roots = [
    ...body.steps.filter(({ index }) => !hasEnded(schedule, index) || redone.has(index)).flatMap(rootsOfStep),
    ...later,
  ];
  const wanted = new Set(
    [...roots, ...(body.output === null ? [] : rootsOf([body.output]))].flatMap((root) => indexesOf(body, root)),
  );
  if (body.output === null) wanted.add(lastStepOf(body)?.index ?? -1);
  // Where all of an item or a round is skipped, the first step says why.
  if (schedule.steps.every(({ status }) => status === 'skipped' || !isEnd(status))) wanted.add(0);
  return carriedSteps(schedule, wanted);
}

function carriedSteps({ steps }: Schedule, wanted: Set<number>): Record<number, CarriedStep> {
  return Object.fromEntries(
    [...wanted].flatMap((index) => {
      const state = steps[index];
      return state === undefined || !isEnd(state.status) ? [] : [[index, carryStep(state)]];
    }),
  );
}

function carryStep(state: StepState): CarriedStep {
  const {
    output,
    failure,
    reason,
    duration_ms,
    partial,
    decided_by,
    comment,
    // By its letter, as what its scope leaves undone, or in its page of results, where nobody refers to it.
    status,
    started_at,
    attempts,
    spend,
    reused,
    note,
    run,
    pages,
    model,
    voided,
    cut,
    ...forgotten
  } = state;
  void (forgotten satisfies Nothing);
  return {
    output,
    failure,
    ...(reason === null ? {} : { reason }),
    duration_ms,
    ...(partial ? { partial } : {}),
    ...(decided_by === undefined ? {} : { decided_by }),
    ...(comment === undefined ? {} : { comment }),
  };
}

/** Steps that a gate which has not ended may send back. */
function mayBeSentBack(schedule: Schedule): Set<number> {
  const { body } = schedule;
  return new Set(
    body.steps.filter(({ index }) => !hasEnded(schedule, index)).flatMap(({ index }) => [...redoneBy(body, index)]),
  );
}

function hasEnded(schedule: Schedule, index: number): boolean {
  return isEnd(schedule.steps[index]?.status ?? 'pending');
}

/** The steps of a block that a root refers to, also through a group; none for a root of another scope. */
function indexesOf(body: Block, root: Root): number[] {
  const step = /^step:(\d+)/.exec(root)?.[1];
  if (step !== undefined) return [Number(step)];
  const group = /^group:(.+)\.[^.]+$/.exec(root)?.[1];
  return group === undefined ? [] : (body.groups[group] ?? []);
}

/** What a round of a loop is asked for after its steps have ended: by `until`, and by the round that follows. */
export function rootsAfterRound({ body, until }: LoopStep): Root[] {
  return [
    ...rootsOf([{ kind: 'expression', expression: until }]),
    ...body.steps.flatMap(rootsOfStep).flatMap(lastRoot),
  ];
}

/** A root of the round before, as that round itself knows it. */
function lastRoot(root: Root): Root[] {
  return root.startsWith('last:') && !root.startsWith(OUTER) ? [`step:${root.slice('last:'.length)}`] : [];
}

/** The schedule as it was when the run continued as new: what ended has ended, the rest is ready by its needs. */
export function restoreSchedule(body: Block, carried: Omit<CarriedScope, 'pages'> | null): Schedule {
  const schedule = createSchedule(body);
  if (carried === null) return schedule;
  const statuses = statusesFrom(carried.statuses);
  statuses.forEach(({ status, partial }, index) => {
    const state = schedule.steps[index];
    if (state === undefined || !isEnd(status)) return;
    Object.assign(state, { status, partial }, carried.steps[index]);
    schedule.open -= 1;
    schedule.ready.delete(index);
    for (const { step } of schedule.dependents[index] ?? []) {
      schedule.blockers[step]! -= 1; // blockers has one number a step
      if (schedule.blockers[step] === 0 && !isEnd(statuses[step]?.status ?? 'pending')) schedule.ready.add(step);
    }
  });
  const {
    stopped,
    failures,
    spend,
    doomed,
    reworks = [],
    cut,
    statuses: _letters,
    steps: _needed,
    ...forgotten
  } = carried;
  void (forgotten satisfies Nothing);
  const state = cut === undefined ? undefined : schedule.steps[cut.step];
  if (cut !== undefined && state !== undefined)
    Object.assign(state, { reason: cut.reason, note: cut.note, cut: true } satisfies Partial<StepState>);
  return Object.assign(schedule, { stopped, failures, spend, reworks, doomed: new Map(doomed) });
}
