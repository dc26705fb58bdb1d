import type { Rework, Schedule, StepEnd } from './schedule-state.js';
import type { Block } from '../step.js';

/**
 * The steps that a rejection at a gate makes run again: the one it goes back to, and all that comes after it, the gate
 * included. What comes after without reading it looks at the workspace that it changed. Empty for a gate without
 * `rework`.
 */
export function redoneBy(body: Block, gate: number): Set<number> {
  const step = body.steps[gate];
  const redone = new Set<number>();
  if (step?.kind !== 'approval' || step.rework === undefined) return redone;
  redone.add(step.rework.step);
  // A step may stand before what it needs, so one pass is not enough.
  for (let before = 0; before !== redone.size;) {
    before = redone.size;
    for (const { index, needs, always } of body.steps)
      if (!always && needs.some((need) => redone.has(need.step))) redone.add(index);
  }
  return redone;
}

/** How often a step of a scope was sent back to run again. */
export function timesRedone({ body, reworks }: Pick<Schedule, 'body' | 'reworks'>, index: number): number {
  return reworks.filter(({ gate }) => redoneBy(body, gate).has(index)).length;
}

/** Steps of a body that some gate of it may send back. */
export function mayBeRedone(body: Block): Set<number> {
  return new Set(
    body.steps.filter(({ kind }) => kind === 'approval').flatMap(({ index }) => [...redoneBy(body, index)]),
  );
}

/**
 * What an end of a gate sends back; null when it is an end like any other. Only a person's rejection does, so many
 * times.
 */
export function reworkOf(schedule: Schedule, gate: number, end: StepEnd): Rework | null {
  const step = schedule.body.steps[gate];
  if (step?.kind !== 'approval' || step.rework === undefined || schedule.stopped !== null) return null;
  if (end.status !== 'error' || end.failure.type !== 'rejected' || end.decided_by === undefined) return null;
  if (schedule.reworks.filter((rework) => rework.gate === gate).length >= step.rework.max) return null;
  return { gate, feedback: end.feedback ?? null, by: end.decided_by };
}
