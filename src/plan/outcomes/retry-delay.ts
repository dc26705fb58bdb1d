import type { Failure } from '../failure.js';
import { FAILURES } from '../failure.js';
import type { Step } from '../step.js';

const LONGEST_BACKOFF_MS = 5 * 60_000;

/**
 * How long to wait before another try of a step, in milliseconds; null when there is none (decision 13). A wrong key or
 * a refused request is never tried again; a command's exit code, or what a tool failed at, only where the author asked
 * for tries, and so is an agent's limit of turns, after which the next try begins anew. An agent's answer that did not
 * fit was asked for again within its try: the model was told what is wrong, and tries do not multiply that.
 */
export function nextTryDelay(step: Step, failure: Failure, tries: number): number | null {
  if (tries >= step.retry.attempts || !mayPass(step, failure)) return null;
  return Math.min(step.retry.backoff_ms * 2 ** (tries - 1), LONGEST_BACKOFF_MS);
}

/** `retry:` is the author's word that a failed command, tool or nested run is worth another try. */
function mayPass({ kind, retry }: Step, { type }: Failure): boolean {
  if (kind === 'agent' && type === 'answer-invalid') return false;
  if (type === 'turns-exceeded') return retry.anew === true;
  return FAILURES[type].transient || type === 'command-failed' || type === 'tool-failed' || type === 'nested-failed';
}
