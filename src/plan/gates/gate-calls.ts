import type { Decision, Gate, GateEnd } from './gate.js';

/**
 * A decision that has a grant or must have a token, and the gate that is open: its run's workflow id, the id of the
 * first Temporal run under that, path, and when it opened.
 */
export interface TokenCall {
  run: string;
  first: string;
  gate: string;
  since: string;
  decision: Decision;
}

/** How a gate ended, of a tree of runs: its root's workflow id, and the scope of its journal. */
export interface ReceiptCall {
  run: string;
  scope: string;
  /** As it was asked. */
  gate: Pick<Gate, 'path' | 'message' | 'hash' | 'since'>;
  end: GateEnd;
}

/** A decision that a run did not take, and why. */
export interface RefusedCall {
  run: string;
  decision: Decision;
  reason: string;
}
