import type { Plan } from '../../plan/plan.js';
import { segmentOf } from '../../plan/plan.js';
import type { RoundResult, RunRecord, StepResult } from '../../plan/result.js';
import type { Spend } from '../../plan/budget/spend.js';
import type { Step } from '../../plan/step.js';
import type { Attribute } from './span.js';

/** Words of OpenTelemetry's conventions for generative AI, and ours for what these do not name. */
type Attributes = Record<string, Attribute>;

/** What a trace tells of a run. */
export function runAttributes(record: RunRecord, { hash }: Plan): Attributes {
  const { run, plan_name, status, rehearsal, submitted_by, spend, rerun_of } = record;
  return {
    'gen_ai.operation.name': 'invoke_workflow',
    'gen_ai.workflow.name': plan_name,
    'perdure.run.id': run,
    'perdure.run.status': status,
    'perdure.plan.hash': hash,
    'perdure.submitted_by': submitted_by,
    ...(rehearsal ? { 'perdure.rehearsal': true } : {}),
    ...(rerun_of === undefined ? {} : { 'perdure.rerun_of': rerun_of }),
    ...spendAttributes(spend),
  };
}

/** What a person recognizes a step by: the agent, or its kind and its place. */
export function stepName(step: Step, { agent }: StepResult): string {
  return step.kind === 'agent' ? `invoke_agent ${agent}` : `${step.kind} ${segmentOf(step)}`;
}

/** What a trace tells of a step, over all its tries. */
export function stepAttributes(step: Step, result: StepResult, path: string): Attributes {
  const { agent, attempts, reused, spend, status, decided_by } = result;
  return {
    'perdure.step.path': path,
    'perdure.step.kind': step.kind,
    'perdure.step.status': status,
    'perdure.step.attempts': attempts,
    ...(reused ? { 'perdure.step.reused': true } : {}),
    ...(step.kind === 'agent' ? { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': agent } : {}),
    ...(step.kind === 'command' ? { 'process.executable.name': agent } : {}),
    ...(decided_by === undefined ? {} : { 'perdure.decided_by': decided_by }),
    ...spendAttributes(spend),
  };
}

/** What a trace tells of an item of a foreach, or a round of a loop. */
export function roundAttributes({ index, status, spend }: RoundResult, path: string): Attributes {
  return {
    'perdure.step.path': path,
    'perdure.round.index': index,
    'perdure.step.status': status,
    ...spendAttributes(spend),
  };
}

/** Of all that is below: sums of tokens and of US dollars, where a price is known. */
function spendAttributes({ tokens, usd }: Spend): Attributes {
  return { 'perdure.tokens': tokens, ...(usd === null ? {} : { 'perdure.cost.usd': usd }) };
}
