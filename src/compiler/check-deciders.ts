import { rootsOf } from '../plan/expression.js';
import { segmentOf } from '../plan/plan.js';
import type { Step } from '../plan/step.js';
import type { Node } from './node.js';
import { memberOf } from './node.js';
import type { Report } from './problem.js';

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
