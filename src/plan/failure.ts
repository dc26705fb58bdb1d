/**
 * Why a step did not succeed. Closed: one word for each case in which somebody has to do something different.
 * `author` mends the definition, `operator` mends the machine or the account, `nobody`: it may pass by itself.
 */
export const FAILURES = {
  'command-failed': { acts: 'author', transient: false },
  'command-not-found': { acts: 'operator', transient: false },
  'command-refused': { acts: 'author', transient: false },
  'tool-failed': { acts: 'author', transient: false },
  'tool-refused': { acts: 'author', transient: false },
  // What a person allowed is not what would be done: the step asks again.
  'leave-changed': { acts: 'operator', transient: false },
  timeout: { acts: 'author', transient: true },
  cancelled: { acts: 'nobody', transient: false },
  'worker-lost': { acts: 'operator', transient: true },
  'provider-missing': { acts: 'operator', transient: false },
  'provider-unreachable': { acts: 'operator', transient: true },
  'provider-error': { acts: 'nobody', transient: true },
  'rate-limited': { acts: 'nobody', transient: true },
  'sandbox-missing': { acts: 'operator', transient: false },
  'program-missing': { acts: 'operator', transient: false },
  // The program is there, and has no key and no login.
  'signed-out': { acts: 'operator', transient: false },
  'program-failed': { acts: 'operator', transient: true },
  'key-refused': { acts: 'operator', transient: false },
  'request-refused': { acts: 'author', transient: false },
  'model-missing': { acts: 'operator', transient: false },
  'answer-refused': { acts: 'author', transient: false },
  'turns-exceeded': { acts: 'author', transient: false },
  'answer-truncated': { acts: 'author', transient: false },
  'answer-invalid': { acts: 'author', transient: true },
  'output-invalid': { acts: 'author', transient: false },
  'journal-mismatch': { acts: 'operator', transient: false },
  'store-missing': { acts: 'operator', transient: false },
  'store-full': { acts: 'operator', transient: true },
  'reference-missing': { acts: 'author', transient: false },
  'value-invalid': { acts: 'author', transient: false },
  // Others have changed the same lines: both sides stand in the step's work tree, for its next try.
  'commit-conflict': { acts: 'author', transient: true },
  'commit-failed': { acts: 'author', transient: false },
  'worktree-missing': { acts: 'operator', transient: false },
  'already-done': { acts: 'operator', transient: false },
  'compile-failed': { acts: 'author', transient: false },
  'image-invalid': { acts: 'author', transient: false },
  'device-missing': { acts: 'operator', transient: false },
  'device-refused': { acts: 'operator', transient: false },
  'device-wrong': { acts: 'operator', transient: false },
  'device-busy': { acts: 'nobody', transient: true },
  'device-mute': { acts: 'operator', transient: true },
  'device-mismatch': { acts: 'operator', transient: true },
  'flash-failed': { acts: 'operator', transient: true },
  'device-doubt': { acts: 'operator', transient: false },
  'not-written': { acts: 'nobody', transient: true },
  'not-expected': { acts: 'author', transient: false },
  'definition-invalid': { acts: 'author', transient: false },
  rejected: { acts: 'author', transient: false },
  expired: { acts: 'operator', transient: false },
  'nested-failed': { acts: 'author', transient: false },
  // Somebody wanted it to end: no further try.
  'nested-ended': { acts: 'nobody', transient: false },
  'budget-short': { acts: 'nobody', transient: true },
  // All runs of the day together: the run waits for the next one.
  'quota-used': { acts: 'operator', transient: true },
  'limit-reached': { acts: 'operator', transient: false },
  internal: { acts: 'operator', transient: false },
} as const satisfies Record<string, { acts: 'author' | 'operator' | 'nobody'; transient: boolean }>;

export type FailureType = keyof typeof FAILURES;

/** Tells whether a call was refused before anything was asked: it is asked again, as the same try. */
export function isUnasked(type: string | null | undefined): boolean {
  return type === 'budget-short' || type === 'quota-used';
}

/** One shape for failures everywhere: in step results, in `--json`, in logs. */
export interface Failure {
  type: FailureType;
  message: string;
}

export function isFailureType(type: unknown): type is FailureType {
  return typeof type === 'string' && Object.hasOwn(FAILURES, type);
}
