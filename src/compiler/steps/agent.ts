import type { AgentStep } from '../../plan/step.js';
import type { AgentDefinition } from '../agents/agent-definition.js';
import { agentInputs } from '../agents/compile-agent.js';
import { memberOf } from '../text/node.js';
import type { Authored, Policy, StepContext } from './base.js';
import {
  baseOf,
  DEFAULT_TRY_MS,
  literalTemplate,
  mapAt,
  minutes,
  policyOf,
  schemaAt,
  templateAt,
  usualPolicy,
} from './base.js';

/** Of model calls, transient failures are tried again without being asked (decision 13). */
const MODEL_ATTEMPTS = 3;

/** What a step with this agent does where the step says nothing else. */
export function agentPolicy({ authored }: AgentDefinition): Policy {
  return usualPolicy(MODEL_ATTEMPTS, minutes(authored.timeout_mins, DEFAULT_TRY_MS));
}

/** A step that an agent does; null when there is no such agent, or it lacks something. */
export function compileAgentStep(authored: Authored<'agent'>, context: StepContext): AgentStep | null {
  const { node, report, shown, texts } = context;
  const at = memberOf(node, 'agent') ?? node;
  const definition = context.findAgent(authored.agent, at);
  const inputs = mapAt('inputs', context);
  const prompt = templateAt('prompt', context);
  const rehearsal = templateAt('rehearsal', context);
  const base = baseOf(authored, context);
  const schema = schemaAt(context);
  if (definition === null || context.faulty.has('inputs')) return null;
  for (const name of shown)
    inputs[name] ??= {
      kind: 'expression',
      expression: { kind: 'reference', root: `input:${name}`, path: [], source: name },
    };
  for (const [name, spec] of Object.entries(agentInputs(definition, { texts, report }))) {
    if (Object.hasOwn(inputs, name)) continue;
    if (spec.default !== undefined) inputs[name] = literalTemplate(spec.default, texts);
    else if (spec.required) {
      report({
        code: 'missing-input',
        at,
        message: `Agent \`${definition.name}\` needs the input \`${name}\`.`,
        suggestion: `add it under \`inputs:\` of the step`,
      });
    }
  }
  const { hash, reached } = context.compileAgent(definition, Object.keys(inputs));
  context.keepAgents(reached);
  const policy = policyOf(authored, agentPolicy(definition), context);
  return {
    kind: 'agent',
    ...base,
    ...policy,
    agent: hash,
    prompt,
    inputs,
    model: authored.model ?? null,
    schema,
    rehearsal,
  };
}
