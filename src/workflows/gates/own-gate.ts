import type { GateCall } from '../../activities/contract.js';
import type { Gate } from '../../plan/gates/gate.js';
import { quick } from '../activities.js';

/** Renders a gate of a step, or one by which the interpreter itself asks: there is always something to show. */
export function renderOwnGate(call: Omit<GateCall, 'tool'>): Promise<Gate> {
  return quick.renderGate(call).then((rendered) => {
    if ('refusal' in rendered) throw new Error(`The gate at ${call.path} was refused: ${rendered.refusal}`);
    return rendered;
  });
}
