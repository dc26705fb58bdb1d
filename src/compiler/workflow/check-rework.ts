import { rootsOf } from '../../plan/values/expression.js';
import { segmentOf } from '../../plan/plan.js';
import { redoneBy } from '../../plan/schedule/rework.js';
import type { Block, Step } from '../../plan/step.js';
import { everyStep } from '../../plan/step.js';
import type { Hash } from '../../plan/values/value.js';
import type { Node } from '../text/node.js';
import { memberOf } from '../text/node.js';
import type { Report } from '../problems/problem.js';

/** The body of a nested workflow by the hash of its Plan. */
type NestedBody = (plan: Hash) => Pick<Block, 'steps'> | undefined;

/**
 * Reports gates that go back to what they do not come after, and those that would repeat an external effect (decision
 * 13), also one of a nested workflow; false when there are some.
 */
export function checkReworks(
  steps: (Step | null)[],
  nodes: Node[],
  { report, nestedBody }: { report: Report; nestedBody: NestedBody },
): boolean {
  const sound = steps.filter((step) => step !== null);
  if (sound.length < steps.length) return true;
  const block = { steps: sound, groups: {}, output: null };
  let isSound = true;
  for (const gate of sound) {
    if (gate.kind !== 'approval' || gate.rework === undefined) continue;
    const flaw = flawOf({ redone: redoneBy(block, gate.index), gate, steps: sound }, nestedBody);
    const node = nodes[gate.index];
    if (flaw === null || node === undefined) continue;
    isSound = false;
    report({ code: 'invalid-value', at: memberOf(node, 'rework') ?? node, ...flaw });
  }
  return isSound;
}

function flawOf(
  { redone, gate, steps }: { redone: Set<number>; gate: Step; steps: Step[] },
  nestedBody: NestedBody,
): { message: string; suggestion: string } | null {
  if (!redone.has(gate.index))
    return {
      message: 'Expected `rework` to name a step that the gate comes after.',
      suggestion: 'refer to its output, or name it under `needs`',
    };
  const afterGate = new Set<number>([gate.index]);
  for (const { index, needs } of steps) if (needs.some(({ step }) => afterGate.has(step))) afterGate.add(index);
  const external = steps.find(
    (step) => redone.has(step.index) && !afterGate.has(step.index) && actsOutside({ steps: [step] }, nestedBody),
  );
  if (external === undefined) return null;
  return {
    message: `A rejection would run \`${segmentOf(external)}\` again, whose effect is external.`,
    suggestion: 'put it after the gate',
  };
}

function actsOutside(body: Pick<Block, 'steps'>, nestedBody: NestedBody): boolean {
  return [...everyStep(body)].some((step) => {
    const nested = step.kind === 'workflow' ? nestedBody(step.plan) : undefined;
    return step.effect === 'external' || (nested !== undefined && actsOutside(nested, nestedBody));
  });
}

/** Reports gates that want somebody else than who decided a step which nobody decides; false when there are some. */
export function checkDeciders(steps: (Step | null)[], nodes: Node[], report: Report): boolean {
  let isSound = true;
  for (const gate of steps) {
    if (gate === null || (gate.kind !== 'approval' && gate.kind !== 'ask') || gate.rules?.not_deciders === undefined)
      continue;
    const node = nodes[gate.index];
    const named = rootsOf([gate.rules.not_deciders]).flatMap(
      (root) => steps[Number(/^step:(\d+)/.exec(root)?.[1] ?? -1)] ?? [],
    );
    for (const step of named) {
      if (step.kind === 'approval' || step.kind === 'ask' || step.kind === 'flash' || node === undefined) continue;
      isSound = false;
      const message =
        `Expected \`different_from\` to name a step that people decide, got \`${segmentOf(step)}\`, a ` +
        `\`${step.kind}\` step.`;
      report({
        code: 'invalid-value',
        at: memberOf(node, 'different_from') ?? memberOf(memberOf(node, gate.kind) ?? node, 'different_from') ?? node,
        message,
        suggestion: 'name an `approval` or an `ask`, or `submitter`',
      });
    }
  }
  return isSound;
}
