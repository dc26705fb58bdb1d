import type { WorkflowStep } from '../../plan/step.js';
import { didYouMean } from '../problems/did-you-mean.js';
import { checkPassed } from '../inputs/inputs.js';
import { keyOf, memberOf } from '../text/node.js';
import type { Authored, StepContext } from './base.js';
import { baseOf, literalTemplate, mapAt, NO_LIMIT_MS, policyOf, usualPolicy } from './base.js';

/** A nested workflow; null when there is none of that name, or it has problems. */
export function compileWorkflowStep(authored: Authored<'workflow'>, context: StepContext): WorkflowStep | null {
  const { node, report, texts } = context;
  const at = memberOf(node, 'workflow') ?? node;
  const inputs = mapAt('inputs', context);
  const plan = context.findWorkflow(authored.workflow, at, Object.keys(inputs));
  const base = baseOf(authored, context);
  const policy = policyOf(authored, usualPolicy(1, NO_LIMIT_MS), context);
  if (plan === null || context.faulty.has('inputs')) return null;
  context.keepNested(plan);
  const given = memberOf(node, 'inputs');
  for (const name of given === null ? [] : Object.keys(inputs)) {
    if (given !== null && !Object.hasOwn(plan.inputs, name)) {
      const message = `Workflow \`${plan.name}\` neither declares nor uses an input \`${name}\`.`;
      report({
        code: 'unknown-input',
        severity: 'warning',
        at: keyOf(given, name),
        message,
        suggestion: didYouMean(name, Object.keys(plan.inputs)),
      });
    }
  }
  checkPassed(inputs, plan.inputs, given, report);
  for (const [name, spec] of Object.entries(plan.inputs)) {
    if (Object.hasOwn(inputs, name)) continue;
    const value =
      spec.default !== undefined
        ? literalTemplate(spec.default, texts)
        : spec.required
          ? context.hoist({ workflow: plan.name, name, spec })
          : null;
    if (value !== null) inputs[name] = value;
  }
  return {
    kind: 'workflow',
    ...base,
    ...policy,
    workflow: plan.name,
    plan: plan.hash,
    inputs,
  };
}
