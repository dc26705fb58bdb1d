import { join } from 'node:path';
import type { JsonObject } from '../../plan/values/json.js';
import { canonicalJson } from '../../plan/values/json.js';
import type { WorkflowBounds, WorkflowMade, WorkflowRequest } from '../../plan/agents/made-definition.js';
import type { Plan } from '../../plan/plan.js';
import type { InputSpec } from '../../plan/step.js';
import { compileMade } from './compile-made.js';
import type { Texts } from '../hash.js';
import { keepText } from '../hash.js';
import { nameFault } from './made-name.js';
import { findProject } from '../project/project.js';
import { createResolver, isTaken } from '../project/resolve.js';
import { yamlText } from '../text/yaml-text.js';

/**
 * Makes a workflow of what an agent says of it. It is compiled as a person's would be, by the rules for what
 * agents make: its maker's tools, permissions and models, smaller limits, no other workflow. Nothing is written.
 */
export function compileMadeWorkflow(
  { name, definition }: WorkflowRequest,
  bounds: WorkflowBounds,
  workspace: string,
): { made: WorkflowMade; texts: Texts } {
  const fault = nameFault(name, bounds, workspace) ?? workflowFault(name, workspace);
  if (fault !== null) return { made: { problems: fault }, texts: new Map() };
  const { maker, models, agents, rules } = bounds;
  const text = typeof definition === 'string' ? definition : yamlText({ name, ...definition });
  const within = maker.permissions === undefined ? {} : { within: [maker.permissions] };
  const { plan, texts, problems } = compileMade(
    {
      file: `generated/${name}.yml`,
      text,
      agents,
      rules: { ...rules, tools: maker.uses ?? [], models, inputs: null, ...within },
    },
    workspace,
  );
  if (plan === null) return { made: { problems }, texts };
  if (plan.name !== name)
    return { made: { problems: `The workflow's text names it \`${plan.name}\`; expected \`${name}\`.` }, texts };
  return {
    made: {
      text,
      plan,
      tool: {
        kind: 'workflow',
        name,
        description: plan.description,
        inputs: keepText(canonicalJson(schemaOf(plan, texts)), texts),
        plan: plan.hash,
      },
    },
    texts,
  };
}

function workflowFault(name: string, workspace: string): string | null {
  const project = { ...findProject(workspace), root: workspace };
  return isTaken(createResolver(project).workflow(name, join(workspace, 'any')))
    ? `The project has a workflow \`${name}\` already; choose another name.`
    : null;
}

const TYPES: Record<InputSpec['type'], JsonObject> = {
  string: { type: 'string' },
  number: { type: 'number' },
  integer: { type: 'integer' },
  boolean: { type: 'boolean' },
  list: { type: 'array' },
  object: { type: 'object' },
  any: {},
};

/** JSON Schema of a workflow's inputs, as a model is told of them. */
function schemaOf({ inputs }: Plan, texts: Texts): JsonObject {
  const told = Object.entries(inputs).map(
    ([name, { type, description, default: otherwise }]) =>
      [
        name,
        {
          ...TYPES[type],
          ...(description === null
            ? {}
            : { description: typeof description === 'string' ? description : (texts.get(description.text) ?? '') }),
          ...(otherwise === undefined ? {} : { default: otherwise }),
        },
      ] as const,
  );
  const required = Object.entries(inputs).flatMap(([name, spec]) =>
    spec.required && spec.default === undefined ? [name] : [],
  );
  return {
    type: 'object',
    properties: Object.fromEntries(told),
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  };
}
