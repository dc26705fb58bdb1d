import type { Template } from '../../plan/values/expression.js';
import { expressionsOf, referencesOf } from '../../plan/values/expression.js';
import { utf8Bytes } from '../../plan/values/json.js';
import type { Plan } from '../../plan/plan.js';
import type { AgentStep, Block, Step } from '../../plan/step.js';
import { isBlockStep } from '../../plan/step.js';
import { targetOf } from '../expressions/references.js';

/** Bytes of what one call is asked. */
export interface CallSizes {
  /** What the definition itself says: instructions, prompt, schema. */
  literal: number;
  /** What the results that it refers to may add, at the limits of their lengths. Inputs are not known before. */
  referred: number;
}

const KILOBYTE = 1024;
/** The longest output of a step that sets no limit. */
const DEFAULT_OUTPUT_KB = 100;

/** How big the question of an agent step is. */
export function callSizes(plan: Plan, block: Block, step: AgentStep): CallSizes {
  const agent = plan.agents[step.agent];
  const templates = [step.prompt, ...Object.values(step.inputs)].filter((template) => template !== null);
  const own = [...templates, ...(agent === undefined ? [] : [agent.prompt])];
  const schema = step.schema === null ? 0 : utf8Bytes(JSON.stringify(step.schema));
  const referred = templates
    .flatMap(expressionsOf)
    .flatMap(referencesOf)
    .reduce((bytes, { root }) => bytes + longest(root, plan, block), 0);
  return { literal: schema + own.reduce((bytes, template) => bytes + literalBytes(template), 0), referred };
}

function literalBytes(template: Template): number {
  switch (template.kind) {
    case 'literal':
      return utf8Bytes(typeof template.value === 'string' ? template.value : JSON.stringify(template.value));
    case 'text':
      return template.parts.reduce(
        (bytes, part) => bytes + (typeof part === 'string' ? utf8Bytes(part) : 'bytes' in part ? part.bytes : 0),
        0,
      );
    case 'expression':
      return 0;
    case 'list':
      return template.items.reduce((bytes, item) => bytes + literalBytes(item), 0);
    case 'map':
      return Object.values(template.entries).reduce((bytes, entry) => bytes + literalBytes(entry), 0);
  }
}

function longest(root: string, plan: Plan, block: Block): number {
  const isOwn = /^(?:step|group):/.test(root);
  if (!isOwn) return root.startsWith('input:') || root.endsWith('index') ? 0 : DEFAULT_OUTPUT_KB * KILOBYTE;
  const target = targetOf(root);
  if (target.kind === 'step')
    return target.field === 'output' || target.field === '' ? outputLimit(block.steps[target.step], plan) : 0;
  return 'name' in target
    ? (block.groups[target.name] ?? []).reduce((bytes, member) => bytes + outputLimit(block.steps[member], plan), 0)
    : 0;
}

function outputLimit(step: Step | undefined, plan: Plan): number {
  if (step === undefined) return 0;
  if (step.kind === 'command') return step.max_output_kb * KILOBYTE;
  if (step.kind === 'agent') return (plan.agents[step.agent]?.max_output_kb ?? DEFAULT_OUTPUT_KB) * KILOBYTE;
  return step.kind === 'workflow' || isBlockStep(step) ? DEFAULT_OUTPUT_KB * KILOBYTE : 0;
}
