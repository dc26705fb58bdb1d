import type { Plan } from '../../plan/plan.js';
import type { Follow } from '../../plan/triggers/follow.js';
import type { Schedule } from '../../plan/triggers/schedule.js';
import type { WorkflowDefinition } from '../workflow/compile-workflow.js';
import { memberOf } from '../text/node.js';
import type { Webhook } from '../../plan/triggers/webhook.js';
import type { FollowTools } from './compile-follow.js';
import { compileFollow } from './compile-follow.js';
import { compileSchedule } from './compile-schedule.js';
import type { EventTools } from './event-inputs.js';
import { compileInputs, eventTemplates } from './event-inputs.js';
import { compileWebhook } from './compile-webhook.js';

/** What starts runs of a definition, beside people. */
export interface Triggers {
  schedule?: Schedule;
  webhook?: Webhook;
  follow?: Follow;
}

/** What a schedule tells the runs that it starts. */
const SCHEDULE_EVENT = ['time'];

/**
 * Compiles what starts runs of a workflow by itself; `plan` is null where the workflow has problems of its own. No part
 * of the Plan: a run is the same, whatever starts it.
 */
export function compileTriggers(definition: WorkflowDefinition, plan: Plan | null, tools: FollowTools): Triggers {
  return {
    ...scheduleOf(definition, plan, tools),
    ...webhookOf(definition, plan, tools),
    ...followOf(definition, plan, tools),
  };
}

function scheduleOf({ authored, node }: WorkflowDefinition, plan: Plan | null, tools: EventTools): Triggers {
  const at = memberOf(node, 'schedule');
  if (at === null || authored.schedule === undefined) return {};
  const inputs = compileInputs(at, plan?.inputs ?? null, eventTemplates(SCHEDULE_EVENT, tools));
  return { schedule: compileSchedule(authored.schedule, at, inputs, tools.report) };
}

function webhookOf({ authored, node }: WorkflowDefinition, plan: Plan | null, tools: EventTools): Triggers {
  const at = memberOf(memberOf(node, 'on') ?? node, 'webhook');
  if (at === null || authored.on?.webhook === undefined) return {};
  return { webhook: compileWebhook(authored.on.webhook, at, plan, tools) };
}

function followOf(definition: WorkflowDefinition, plan: Plan | null, tools: FollowTools): Triggers {
  const at = memberOf(memberOf(definition.node, 'on') ?? definition.node, 'run');
  const written = definition.authored.on?.run;
  if (at === null || written === undefined) return {};
  return { follow: compileFollow(written, { definition, node: at }, plan, tools) };
}
