import type { Template } from './expression.js';
import { rootsOf } from './environment.js';
import type { Carried, CarriedStep } from './run-input.js';
import type { PlanBody } from './plan.js';
import { createSchedule, isEnd, lettersOf, statusesFrom } from './schedule.js';
import type { Schedule } from './schedule.js';
import { templatesOf } from './step.js';

/** What of a schedule travels when a run continues as new (I12). */
export function carrySchedule(schedule: Schedule): Pick<Carried, 'statuses' | 'doomed' | 'steps' | 'stopped' | 'failures' | 'spend'> {
  const { stopped, failures, spend } = schedule;
  return { statuses: lettersOf(schedule), doomed: [...schedule.doomed].filter(([step]) => !hasEnded(schedule, step)), steps: carriedSteps(schedule), stopped, failures, spend };
}

/** Of finished steps, only those travel that a step still to come, or the output, can refer to. */
function carriedSteps(schedule: Schedule): Record<number, CarriedStep> {
  const { body, steps } = schedule;
  const wanted = new Set(body.steps.filter(({ index }) => !hasEnded(schedule, index)).flatMap(templatesOf).flatMap((template) => indexesOf(body, template)));
  for (const index of body.output === null ? [body.steps.length - 1] : indexesOf(body, body.output)) wanted.add(index);
  return Object.fromEntries(
    [...wanted].flatMap((index) => {
      const state = steps[index];
      return state === undefined || !isEnd(state.status) ? [] : [[index, { output: state.output, failure: state.failure, duration_ms: state.duration_ms }]];
    }),
  );
}

function hasEnded(schedule: Schedule, index: number): boolean {
  return isEnd(schedule.steps[index]?.status ?? 'pending');
}

/** The steps that a template refers to, also through groups. */
function indexesOf(body: PlanBody, template: Template): number[] {
  return rootsOf([template]).flatMap((root) => {
    const step = /^step:(\d+)/.exec(root)?.[1];
    if (step !== undefined) return [Number(step)];
    const group = /^group:(.+)\.[^.]+$/.exec(root)?.[1];
    return group === undefined ? [] : (body.groups[group] ?? []);
  });
}

/** The schedule as it was when the run continued as new: what ended has ended, the rest is ready by its needs. */
export function restoreSchedule(body: PlanBody, carried: Carried | null): Schedule {
  const schedule = createSchedule(body);
  if (carried === null) return schedule;
  const statuses = statusesFrom(carried.statuses);
  statuses.forEach((status, index) => {
    const state = schedule.steps[index];
    if (state === undefined || !isEnd(status)) return;
    Object.assign(state, { status }, carried.steps[index]);
    schedule.open -= 1;
    schedule.ready.delete(index);
    if (status === 'success') schedule.succeeded += 1;
    for (const { step } of schedule.dependents[index] ?? []) {
      schedule.blockers[step]! -= 1; // blockers has one number a step
      if (schedule.blockers[step] === 0 && !isEnd(statuses[step] ?? 'pending')) schedule.ready.add(step);
    }
  });
  const { stopped, failures, spend, doomed } = carried;
  return Object.assign(schedule, { stopped, failures, spend, doomed: new Map(doomed) });
}
