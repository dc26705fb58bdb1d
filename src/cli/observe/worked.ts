import type { Interval } from '../../plan/budget/run-clock.js';
import { overlap } from '../../plan/budget/run-clock.js';
import type { RunView, StepView } from './view/view.js';
import { everyStepView, nestedIn } from './view/view.js';

/**
 * How long a run has waited for something other than a person, in milliseconds: what `max_runtime_mins` limits. Times
 * in which no worker was there are in it, for no history tells of them.
 */
export function workedMs(view: RunView, now: number): number {
  const end = view.endedAt ?? now;
  const people: Interval[] = [];
  const work: Interval[] = [];
  collect(view, end, { people, work });
  const waited = overlap(people, people) - overlap(people, work);
  return Math.max(0, end - view.startedAt - waited);
}

function collect(view: RunView, end: number, into: { people: Interval[]; work: Interval[] }): void {
  into.people.push(...(view.pauses ?? []));
  if (view.pause != null) into.people.push([Date.parse(view.pause.since), end]);
  for (const step of everyStepView(view.steps)) {
    const nested = nestedIn(step);
    for (const run of nested) collect(run, run.endedAt ?? end, into);
    const { startedAt, gate } = step;
    // What contains others is as long as they are.
    if (startedAt === null || nested.length > 0 || step.rounds.length > 0) continue;
    const ended = step.result === null ? end : startedAt + step.result.duration_ms;
    const asked = isGate(step) ? startedAt : gate === null ? ended : Date.parse(gate.since);
    into.people.push([asked, ended]);
    into.work.push([startedAt, asked]);
  }
}

function isGate({ step: { kind } }: StepView): boolean {
  return kind === 'approval' || kind === 'ask';
}
