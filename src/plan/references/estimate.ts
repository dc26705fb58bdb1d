import { attachedBytes } from '../budget/price.js';
import type { Amounts } from '../budget/amounts.js';
import { NONE, amounts } from '../budget/amounts.js';
import type { Environment } from './environment.js';
import { utf8Bytes } from '../values/json.js';
import type { Plan, PlanBody } from '../plan.js';
import type { Block, Step } from '../step.js';
import { isBlockStep } from '../step.js';
import { isStored } from '../values/value.js';

/** What a step of this kind counts when it starts: a step where it acts or asks, a slot while it acts (decision 2). */
export function needOf({ kind }: Step): Amounts {
  switch (kind) {
    case 'approval':
    case 'ask':
      return { ...NONE, steps: 1 };
    case 'workflow':
    case 'plan':
    case 'foreach':
    case 'loop':
    case 'set':
    case 'wait':
      return NONE;
    default:
      return { ...NONE, steps: 1, slots: 1 };
  }
}

/**
 * What a nested run will most likely need, as far as its Plan tells before anything is known: each step once, and as
 * many slots, and as much for models, as steps that may run at once want. `modelNeed` is that of one call.
 */
export function needOfPlan(plan: PlanBody, nested: Plan['nested'], modelNeed: (step: Step) => Amounts): Amounts {
  const steps = (body: Block): number =>
    body.steps.reduce((count, step) => count + needOf(step).steps + inner(step, steps), 0);
  const inner = (step: Step, of: (body: Block) => number): number => {
    const below = isBlockStep(step) ? step.body : step.kind === 'workflow' ? nested[step.plan] : undefined;
    return below === undefined ? 0 : of(below);
  };
  const width = (body: Block): number => {
    const levels = new Map<number, number>();
    const level: number[] = [];
    for (const step of body.steps) {
      const own = 1 + Math.max(-1, ...step.needs.map((need) => level[need.step] ?? 0));
      level[step.index] = own;
      levels.set(own, (levels.get(own) ?? 0) + needOf(step).slots + inner(step, width));
    }
    return Math.max(0, ...levels.values());
  };
  const slots = width(plan);
  const dearest = everyModelNeed(plan, nested, modelNeed);
  return { steps: steps(plan), slots, nanousd: dearest.nanousd * (slots + 1), tokens: dearest.tokens * (slots + 1) };
}

function everyModelNeed(body: Block, nested: Plan['nested'], modelNeed: (step: Step) => Amounts): Amounts {
  return body.steps.reduce((most, step) => {
    const below = isBlockStep(step) ? step.body : step.kind === 'workflow' ? nested[step.plan] : undefined;
    const need =
      step.kind === 'agent' ? modelNeed(step) : below === undefined ? NONE : everyModelNeed(below, nested, modelNeed);
    return amounts((resource) => Math.max(most[resource], need[resource]));
  }, NONE);
}

/** What stands around the values in a request: headings, the schema's introduction, the workflow's description. */
const FRAME_BYTES = 1_024;
/** One item of a long list, as long as nobody has looked. */
const ITEM_BYTES = 4_096;

/**
 * Bytes of the request that a model step will make, about: its texts, what it refers to (values are shown with indent),
 * its schema. The activity measures the real request, and says when it is larger (I8).
 */
export function requestBytes(step: Step & { kind: 'agent' }, prompt: unknown, environment: Environment): number {
  const texts =
    textBytes(prompt) + textBytes(step.prompt) + textBytes(step.inputs) + 2 * utf8Bytes(JSON.stringify(step.schema));
  const values = Object.values(environment).reduce((sum, binding) => sum + valueBytes(binding), 0);
  return FRAME_BYTES + texts + Math.ceil(values * 1.5) + attachedBytes(step.attachments);
}

/** Bytes of all texts below a value of the Plan; a stored text says its own. */
function textBytes(value: unknown): number {
  if (typeof value === 'string') return utf8Bytes(value);
  if (typeof value !== 'object' || value === null) return 0;
  if ('text' in value && 'bytes' in value && typeof value.bytes === 'number') return value.bytes;
  return Object.values(value).reduce<number>((sum, part) => sum + textBytes(part), 0);
}

function valueBytes(binding: Environment[string]): number {
  if ('missing' in binding) return 0;
  if ('result' in binding) return 512 + (binding.result.output === null ? 0 : valueBytes(binding.result.output));
  if ('results' in binding)
    return binding.results.reduce((sum, { output }) => sum + 512 + (output === null ? 0 : valueBytes(output)), 0);
  if ('item' in binding) return Math.min(binding.item.bytes, ITEM_BYTES);
  return isStored(binding) ? binding.bytes : utf8Bytes(JSON.stringify(binding.value));
}
