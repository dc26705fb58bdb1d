import type { Template } from '../../plan/values/expression.js';
import type { Attachment } from '../../plan/values/attachment.js';
import type { Plan } from '../../plan/plan.js';
import { NO_BUDGETS } from '../../plan/budget/budgets.js';
import type { AgentStep, InputSpec } from '../../plan/step.js';
import type { Hash } from '../../plan/values/value.js';
import type { AgentDefinition } from '../agents/agent-definition.js';
import { agentInputs } from '../agents/compile-agent.js';
import { agentPolicy } from '../steps/agent.js';
import type { Shared } from './compile-workflow.js';
import { seal } from './compile-workflow.js';
import type { Report } from '../problems/problem.js';

/** An agent's file alone is a workflow of one step, whose request is the prompt. */
export function compileAgentAlone(
  definition: AgentDefinition,
  { report, texts, compileAgent }: Pick<Shared, 'report' | 'texts' | 'compileAgent'>,
): Plan | null {
  let failed = false;
  const watch: Report = (finding) => {
    if (finding.severity !== 'warning') failed = true;
    report(finding);
  };
  const inputs = agentInputs(definition, { texts, report: watch });
  const given = Object.keys(inputs).filter((name) => name !== 'request');
  const { hash, reached } = compileAgent(definition, given);
  if (failed) return null;
  const request: InputSpec = { type: 'string', required: true, description: 'What the agent is asked to do.' };
  return oneStepPlan({
    name: definition.name,
    inputs: { ...inputs, request },
    prompt: inputTemplate('request'),
    stepInputs: Object.fromEntries(given.map((name) => [name, inputTemplate(name)])),
    agents: reached,
    definition,
    hash,
  });
}

/** An agent that asks for it works in a work tree, also where it is the whole run. */
function workspaceOf({ authored }: AgentDefinition): Pick<Plan, 'workspace'> {
  return authored.isolation === undefined ? {} : { workspace: { kind: 'worktree', carry: [] } };
}

/** What a Plan of one agent step is made of. */
export interface OneStep {
  name: string;
  inputs: Plan['inputs'];
  prompt: Template;
  stepInputs: Record<string, Template>;
  /** Files that it is shown as they are. */
  attachments?: Attachment[];
  agents: Plan['agents'];
  /** The agent that is asked, and its key in `agents`. */
  definition: AgentDefinition;
  hash: Hash;
}

/** A Plan that asks one agent, once. */
export function oneStepPlan(one: OneStep): Plan {
  const { name, inputs, prompt, stepInputs, attachments = [], agents, definition, hash } = one;
  const step: AgentStep = {
    kind: 'agent',
    index: 0,
    id: null,
    needs: [],
    parallel_group: null,
    when: null,
    on_error: 'stop',
    deadline_ms: null,
    always: false,
    ...agentPolicy(definition),
    agent: hash,
    prompt,
    inputs: stepInputs,
    ...(attachments.length === 0 ? {} : { attachments }),
    model: null,
    schema: null,
    rehearsal: null,
  };
  return seal({
    name,
    description: null,
    inputs,
    steps: [step],
    groups: {},
    output: null,
    budgets: NO_BUDGETS,
    ...workspaceOf(definition),
    agents,
    nested: {},
  });
}

/** A reference to an input, whole. */
export function inputTemplate(name: string): Template {
  return { kind: 'expression', expression: { kind: 'reference', root: `input:${name}`, path: [], source: name } };
}
