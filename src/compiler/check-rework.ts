import { segmentOf } from '../plan/plan.js';
import { redoneBy } from '../plan/rework.js';
import type { Step } from '../plan/step.js';
import { everyStep } from '../plan/step.js';
import type { Node } from './node.js';
import { memberOf } from './node.js';
import type { Report } from './problem.js';

/**
 * Reports gates that go back to what they do not come after, and those that would repeat an external effect (decision
 * 13); false when there are some.
 */
export function checkReworks(steps: (Step | null)[], nodes: Node[], report: Report): boolean {
  const sound = steps.filter((step) => step !== null);
  if (sound.length < steps.length) return true;
  const block = { steps: sound, groups: {}, output: null };
  let isSound = true;
  for (const gate of sound) {
    if (gate.kind !== 'approval' || gate.rework === undefined) continue;
    const flaw = flawOf(redoneBy(block, gate.index), gate, sound);
    const node = nodes[gate.index];
    if (flaw === null || node === undefined) continue;
    isSound = false;
    report({ code: 'invalid-value', at: memberOf(node, 'rework') ?? node, ...flaw });
  }
  return isSound;
}

function flawOf(redone: Set<number>, gate: Step, steps: Step[]): { message: string; suggestion: string } | null {
  if (!redone.has(gate.index))
    return {
      message: 'Expected `rework` to name a step that the gate comes after.',
      suggestion: 'refer to its output, or name it under `needs`',
    };
  const afterGate = new Set<number>([gate.index]);
  for (const { index, needs } of steps) if (needs.some(({ step }) => afterGate.has(step))) afterGate.add(index);
  const external = steps.find(
    (step) =>
      redone.has(step.index) &&
      !afterGate.has(step.index) &&
      [...everyStep({ steps: [step] })].some(({ effect }) => effect === 'external'),
  );
  if (external === undefined) return null;
  return {
    message: `A rejection would run \`${segmentOf(external)}\` again, whose effect is external.`,
    suggestion: 'put it after the gate',
  };
}
