import { stepFailure } from '../../failures.js';
import type { Making, ToolContext } from '../handler/handler.js';

/** What a maker works with. Only agents have makers: who calls one without is a fault of ours. */
export function makingIn({ making }: ToolContext): Making {
  if (making === undefined) throw stepFailure('internal', 'A tool that makes others was called by no agent.');
  return making;
}
