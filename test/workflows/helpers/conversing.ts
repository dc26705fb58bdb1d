import type { Permissions } from '../../../src/plan/tools/permission.js';
import type { Plan } from '../../../src/plan/plan.js';
import type { RunSettings } from '../../../src/plan/run-input.js';
import type { Agent, AgentStep } from '../../../src/plan/step.js';
import type { Tool } from '../../../src/plan/tools/tool.js';
import type { Hash } from '../../../src/plan/values/value.js';
import { NO_PERMISSIONS, plan, stepBase } from '../../plan/helpers/build-plan.js';

/** An agent that may work in the workspace, and run a few commands. */
export const PERMISSIONS: Permissions = {
  ...NO_PERMISSIONS,
  commands: [
    { words: 'sh', class: 'workspace' },
    { words: 'sleep', class: 'workspace' },
  ],
};

export const FILES: Tool[] = (['read_file', 'write_file', 'edit_file', 'list_files', 'shell'] as const).map((name) => ({
  kind: 'builtin',
  name,
}));

export function agent(fields: Partial<Agent> = {}): Agent {
  return {
    name: 'worker',
    description: 'Works.',
    prompt: { kind: 'literal', value: 'You work.' },
    model: null,
    program: null,
    tools: [],
    uses: FILES,
    permissions: PERMISSIONS,
    inputs: {},
    max_output_kb: 100,
    max_turns: 20,
    ...fields,
  };
}

export const WORKER: Hash = `sha256:${'a'.repeat(64)}`;

/** One step in which this agent works. */
export function talking(
  fields: Partial<Agent> = {},
  step: Partial<AgentStep> = {},
  agents: Record<Hash, Agent> = {},
): Plan {
  return plan([agentStep(0, step)], { agents: { [WORKER]: agent(fields), ...agents } });
}

export function agentStep(index: number, step: Partial<AgentStep> = {}): AgentStep {
  return {
    ...stepBase(index, { id: 'work' }),
    kind: 'agent',
    agent: WORKER,
    prompt: { kind: 'literal', value: 'Do it.' },
    inputs: {},
    model: null,
    schema: null,
    rehearsal: null,
    ...step,
  };
}

/** Settings with one model, at an endpoint. */
export function models(base_url: string, workspace: string, more: Partial<RunSettings> = {}): Partial<RunSettings> {
  return {
    models: {
      '': {
        provider: 'anthropic',
        model: 'claude-sonnet-5-5',
        base_url,
        price: { input: 2, output: 10, cache_read: 0.1, cache_write_5m: 2.5, cache_write_1h: 4 },
        max_tokens: 32_000,
      },
    },
    workspace,
    ...more,
  };
}
