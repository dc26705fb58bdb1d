import type { Plan } from '../../plan/plan.js';
import type { Agent, Step } from '../../plan/step.js';
import type { Triggers } from '../../compiler/triggers/compile-triggers.js';
import { permissionsAreUsual } from '../agents/claude-text.js';

/** A field, and why Archon has no place for it. */
export type FieldLoss = readonly [field: string, reason: string];

const AGENT = 'an agent of Archon has no such setting';
const ALONE = 'a workflow of Archon does not start by itself';
const RUN = 'a run of Archon has no such setting';

/** What a step says, its agent beside it, that a node of Archon cannot. */
export function stepLosses(step: Step, agent: Agent | undefined): FieldLoss[] {
  return [
    ...usualLosses(step),
    ...(step.kind === 'agent' && agent !== undefined ? agentLosses(agent) : []),
    ...(step.kind === 'approval' ? approvalLosses(step) : []),
    ...(step.kind === 'command' ? commandLosses(step) : []),
  ];
}

function usualLosses(step: Step): FieldLoss[] {
  return listed([
    [step.on_error === 'continue', 'on_error', 'what depends on a failed node is skipped there'],
    [step.deadline_ms !== null, 'deadline', 'Archon limits tries alone'],
    [step.checkpoint !== undefined, 'checkpoint', 'Archon asks nobody before a node acts'],
    [step.requires !== undefined, 'requires', 'Archon does all on one machine'],
    ['output_as' in step && step.output_as === 'number', 'output', 'an output there is a text'],
  ]);
}

function agentLosses(agent: Agent): FieldLoss[] {
  const { permissions, program, params, base_url, compatible_models, effort, hooks } = agent;
  return listed([
    [permissions !== undefined && !permissionsAreUsual(permissions), 'permissions', AGENT],
    [program !== null && program !== 'claude', 'agent', `\`${String(program)}\` does not play agents of Archon here`],
    [params !== undefined, 'params', AGENT],
    [base_url !== undefined, 'base_url', AGENT],
    [compatible_models !== undefined, 'compatible_models', AGENT],
    [effort !== undefined, 'effort', AGENT],
    [hooks !== undefined, 'hooks', AGENT],
  ]);
}

function approvalLosses({ fallback, fixed, rules }: Extract<Step, { kind: 'approval' }>): FieldLoss[] {
  return listed([
    [fallback !== 'abort', 'fallback', 'Archon has no decision for when there is nobody'],
    [fixed === true, 'edit', 'whoever answers there writes what they like'],
    [rules !== undefined, 'required_approver', 'anybody decides there'],
  ]);
}

function commandLosses({ schema, from }: Extract<Step, { kind: 'command' }>): FieldLoss[] {
  return listed([
    [schema !== null, 'schema', 'what a script of Archon prints is held to nothing'],
    [from === 'caller', 'from', 'a script of Archon runs in the workspace'],
  ]);
}

/** What a definition says of its runs that Archon cannot. */
export function planLosses(
  { on_exhausted, autonomy, durability }: Plan,
  { schedule, webhook, follow }: Triggers,
): FieldLoss[] {
  return listed([
    [on_exhausted !== undefined, 'on_exhausted', RUN],
    [autonomy !== undefined, 'autonomy', RUN],
    [durability !== undefined, 'durability', RUN],
    [schedule !== undefined, 'schedule', ALONE],
    [webhook !== undefined, 'on.webhook', ALONE],
    [follow !== undefined, 'on.run', ALONE],
  ]);
}

function listed(losses: (readonly [lost: boolean, ...FieldLoss])[]): FieldLoss[] {
  return losses.flatMap(([lost, ...loss]) => (lost ? [loss] : []));
}
