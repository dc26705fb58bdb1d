import type { Plan } from '../../plan/plan.js';
import type { Schedule } from '../../plan/triggers/schedule.js';
import type { WorkflowDefinition } from '../workflow/compile-workflow.js';
import { memberOf } from '../text/node.js';
import { compileSchedule } from './compile-schedule.js';
import type { EventTools } from './event-inputs.js';
import { compileInputs, eventTemplates } from './event-inputs.js';

/** What starts runs of a definition, beside people. */
export interface Triggers {
  schedule?: Schedule;
}

/** What a schedule tells the runs that it starts. */
const SCHEDULE_EVENT = ['time'];

/**
 * Compiles what starts runs of a workflow by itself; `plan` is null where the workflow has problems of its own. No part
 * of the Plan: a run is the same, whatever starts it.
 */
export function compileTriggers(definition: WorkflowDefinition, plan: Plan | null, tools: EventTools): Triggers {
  const { authored, node } = definition;
  const at = memberOf(node, 'schedule');
  if (at === null || authored.schedule === undefined) return {};
  const inputs = compileInputs(at, plan?.inputs ?? null, eventTemplates(SCHEDULE_EVENT, tools));
  return { schedule: compileSchedule(authored.schedule, at, inputs, tools.report) };
}
