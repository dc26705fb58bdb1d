import { OUTER, rootsOf } from '../values/expression.js';
import type { Expression, Root, Template } from '../values/expression.js';
import type { BlockStep, CompileStep, DeviceStep, GateRules, Step } from '../step.js';
import { isBlockStep } from '../step.js';

/** The roots in its own scope that a step refers to, also from inside its body; each once. */
export function rootsOfStep(step: Step): Root[] {
  return [...new Set([...rootsOf(templatesOf(step)), ...(isBlockStep(step) ? outerRoots(step) : [])])];
}

/** What the body of a step refers to in the scope around it. */
function outerRoots(step: BlockStep): Root[] {
  const { body } = step;
  const until: Template[] = step.kind === 'loop' ? [{ kind: 'expression', expression: step.until }] : [];
  const inner = [...body.steps.flatMap(rootsOfStep), ...rootsOf([...until, ...present(body.output)])];
  return inner.flatMap((root) =>
    root.startsWith(OUTER) ? [root.slice(OUTER.length)] : root.startsWith('input:') ? [root] : [],
  );
}

/** Conditions that steps have: `when` any of them, `until` a loop, `require` a `set`. */
export type ConditionName = 'when' | 'until' | 'require';

/** The condition of a step; null when it has none. */
export function conditionOf(step: Step, what: ConditionName): Expression | null {
  if (what === 'until') return step.kind === 'loop' ? step.until : null;
  if (what === 'require') return (step.kind === 'set' ? step.require : null) ?? null;
  return step.when;
}

/**
 * Every template of a step in its own scope: what it can refer to itself. What a body refers to, `rootsOfStep` tells.
 */
export function templatesOf(step: Step): Template[] {
  const when: Template[] = step.when === null ? [] : [{ kind: 'expression', expression: step.when }];
  switch (step.kind) {
    case 'agent':
      return [...when, ...present(step.prompt, step.rehearsal), ...Object.values(step.inputs)];
    case 'command':
      return [...when, ...step.argv, ...present(step.cwd, step.stdin), ...Object.values(step.env)];
    case 'tool':
    case 'workflow':
      return [...when, ...Object.values(step.inputs)];
    case 'plan':
      return [...when, step.source, ...present(step.message), ...Object.values(step.inputs)];
    case 'approval':
      return [
        ...when,
        step.message,
        ...present(step.content),
        ...(typeof step.fallback === 'string' ? [] : [step.fallback.by]),
        ...ruleTemplates(step.rules),
      ];
    case 'ask':
      return [...when, step.question, ...ruleTemplates(step.rules)];
    case 'set':
      return [...when, ...Object.values(step.values), ...conditions(step.require)];
    case 'wait':
      return [...when, ...present(step.until)];
    case 'foreach':
      return [...when, step.items];
    case 'loop':
      return when;
    default:
      return [...when, ...deviceTemplates(step)];
  }
}

function deviceTemplates(step: CompileStep | DeviceStep): Template[] {
  switch (step.kind) {
    case 'compile':
      return step.sources;
    case 'flash':
      return present(step.image, step.files, step.ready, step.boot?.expect ?? null);
    case 'serial':
      return present(step.expect, step.write, step.after, step.rehearsal);
  }
}

/** What the rules of a gate refer to. */
export function ruleTemplates({ approvers, not_deciders, escalate }: GateRules = {}): Template[] {
  return present(approvers ?? null, not_deciders ?? null, escalate?.to ?? null);
}

function conditions(condition: Expression | undefined): Template[] {
  return condition === undefined ? [] : [{ kind: 'expression', expression: condition }];
}

function present(...templates: (Template | null)[]): Template[] {
  return templates.filter((template) => template !== null);
}
