import type { OpenGate, RunView, StepView } from '../observe/view.js';
import { gateHash } from '../render/format.js';
import { stepRow } from '../render/rows.js';
import { safeLine } from '../render/safe-text.js';

/** Where there is no terminal each change of a tree is one plain line. Feed it one view after the other. */
export function createPlainLines(): (view: RunView, now: number) => string[] {
  const told = new Map<string, string>();
  return (view, now) => changes(view, told, now);
}

function changes(view: RunView, told: Map<string, string>, now: number): string[] {
  return view.steps.flatMap((step) => {
    const own = isNews(step, told) ? [plainLine(step, now)] : [];
    if (step.nested === null) return own;
    const below = changes(step.nested, told, now);
    // A nested run begins after its step and ends before it.
    return step.status === 'running' ? [...own, ...below] : [...below, ...own];
  });
}

/** Whether a step's state differs from what was told last. A gate is told by `gateLines`. */
function isNews(step: StepView, told: Map<string, string>): boolean {
  if (step.status === 'pending' || step.status === 'waiting') return false;
  const state = step.status === 'running' ? `running ${step.attempt}` : step.status;
  if (told.get(step.path) === state) return false;
  told.set(step.path, state);
  return !(step.step.kind === 'approval' && step.status === 'running');
}

function plainLine(step: StepView, now: number): string {
  const { mark, kind, detail, time, cost } = stepRow(step, { now, depth: 0 });
  const took = step.status === 'running' ? '' : time;
  return [`${mark ?? '▸'} ${safeLine(step.path)}`, kind, detail, took, cost].filter((part) => part !== '').join('  ');
}

/** A gate where nobody can be asked: what waits, and how to answer it. */
export function gateLines(open: OpenGate): string[] {
  const { gate } = open;
  const address = safeLine(open.address);
  return [
    `◆ ${address} waits for approval: ${safeLine(gate.message)}  ${gateHash(gate.hash)}`,
    `  perdure approve ${address}`,
    `  perdure reject ${address} --comment "why"`,
  ];
}
