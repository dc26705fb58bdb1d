import type { Template } from '../plan/expression.js';
import type { Plan } from '../plan/plan.js';
import { NO_BUDGETS } from '../plan/plan.js';
import type { AgentDefinition } from './compile-agent.js';
import { agentInputs } from './compile-agent.js';
import { agentPolicy } from './compile-step.js';
import type { Shared } from './compile-workflow.js';
import { seal } from './compile-workflow.js';
import type { Report } from './problem.js';

/** An agent's file alone is a workflow of one step, whose request is the prompt. */
export function compileAgentAlone(definition: AgentDefinition, { report, texts, compileAgent }: Pick<Shared, 'report' | 'texts' | 'compileAgent'>): Plan | null {
  let failed = false;
  const watch: Report = (finding) => {
    if (finding.severity !== 'warning') failed = true;
    report(finding);
  };
  const inputs = agentInputs(definition, { texts, report: watch });
  const given = Object.keys(inputs).filter((name) => name !== 'request');
  const { hash, agent } = compileAgent(definition, given);
  if (failed) return null;
  return seal({
    name: definition.name,
    description: null,
    inputs: { ...inputs, request: { type: 'string', required: true, description: 'What the agent is asked to do.' } },
    steps: [
      {
        kind: 'agent',
        index: 0,
        id: null,
        needs: [],
        parallel_group: null,
        when: null,
        on_error: 'stop',
        deadline_ms: null,
        ...agentPolicy(definition),
        agent: hash,
        prompt: inputTemplate('request'),
        inputs: Object.fromEntries(given.map((name) => [name, inputTemplate(name)])),
        model: null,
        schema: null,
        rehearsal: null,
      },
    ],
    groups: {},
    output: null,
    budgets: NO_BUDGETS,
    agents: { [hash]: agent },
    nested: {},
  });
}

function inputTemplate(name: string): Template {
  return { kind: 'expression', expression: { kind: 'reference', root: `input:${name}`, path: [], source: name } };
}
