import type { Agent, BlockStep, Step } from '../step.js';
import { modelKeyOf } from '../step.js';
import { ownOf } from '../values/own.js';

/** The word that stands for a step in results and pictures: agent, workflow, executable or kind. */
export function actorOf(step: Step, agents: Record<string, Agent>): string {
  switch (step.kind) {
    case 'agent':
      return agents[step.agent]?.name ?? 'agent';
    case 'command': {
      const executable = step.argv[0];
      return executable?.kind === 'literal' ? String(executable.value) : 'command';
    }
    case 'tool':
      return step.tool.name;
    case 'workflow':
      return step.workflow;
    case 'foreach':
    case 'loop':
      return actorOfBlock(step, agents);
    case 'compile':
    case 'flash':
    case 'serial':
      return step.device.name;
    default:
      return step.kind;
  }
}

function actorOfBlock({ kind, body }: BlockStep, agents: Record<string, Agent>): string {
  const [only] = body.steps;
  return body.single && only !== undefined ? actorOf(only, agents) : kind;
}

/** The full id of an agent step's model, of those that were chosen; null where there is none, or it is not known. */
export function modelOf(step: Step, agents: Record<string, Agent>, models: Record<string, string>): string | null {
  if (step.kind !== 'agent') return null;
  return ownOf(models, modelKeyOf(step, agents[step.agent])) ?? null;
}
