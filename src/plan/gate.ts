import type { Hash, Value } from './value.js';

/** A place where a run waits for a person, as its memo shows it. */
export interface Gate {
  /** `<run that owns it>/<path in that run>` is its address; this is the path from the root run. */
  path: string;
  /** `lost`: an external effect may have happened, and its worker is gone; approving does it again (decision 13). */
  kind: 'approval' | 'lost';
  /** The question. */
  message: string;
  /** What is approved; null when the question is all there is. */
  content: Value | null;
  /** SHA-256 of the canonical JSON of `{message, content}`, as shown. A decision names it. */
  hash: Hash;
  fallback: 'approve' | 'skip' | 'abort';
  /** ISO 8601, UTC. */
  since: string;
}

/** What a person says to a gate, by signal or update. */
export interface Decision {
  /** The gate's path from the root run. */
  gate: string;
  decision: 'approve' | 'reject';
  /** Hash of what the person saw. */
  hash: Hash;
  /** Who says so: a name, not a proof. */
  by: string;
  comment?: string | null;
}

/** What the update answers, and `--json` of `approve` prints. */
export interface DecisionReceipt {
  gate: string;
  decision: Decision['decision'];
  by: string;
}

/**
 * Why a decision does not count, or null when it does. The same check for updates, signals and viewers.
 * `gate` is the open gate at the decision's path; `decided` tells who decided it before.
 */
export function refusalOf(decision: Decision, gate: Gate | undefined, decided: Decision | undefined): string | null {
  if (decided !== undefined) return `Gate \`${decision.gate}\` is already decided: ${decided.decision} by ${decided.by}.`;
  if (gate === undefined) return `No gate \`${decision.gate}\` is open in this run.`;
  if (decision.hash !== gate.hash) return `Gate \`${decision.gate}\` shows other content (${gate.hash}) than was decided on (${decision.hash}). Look again and decide on what it shows now.`;
  return null;
}

/** Whether something received from outside has the form of a decision (S46: signals come from anyone). */
export function isDecision(value: unknown): value is Decision {
  if (typeof value !== 'object' || value === null) return false;
  const { gate, decision, hash, by, comment } = value as Record<string, unknown>;
  return (
    isShortText(gate) && (decision === 'approve' || decision === 'reject') && isShortText(hash) && isShortText(by) &&
    (comment === undefined || comment === null || (typeof comment === 'string' && comment.length <= 16_384))
  );
}

function isShortText(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= 1_024;
}
