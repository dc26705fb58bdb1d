import { ApplicationFailure } from '@temporalio/common';
import type { Step } from '../../plan/step.js';
import { canonicalJson } from '../../plan/values/json.js';
import { sha256 } from '../../store/hash.js';
import type { Store } from '../../store/store.js';
import type { StepCall } from '../contract.js';

const PREFIX = 'outside ';

/** Failures after which an external effect may have happened; by any other a step has failed by itself. */
const IN_DOUBT: ReadonlySet<string> = new Set(['timeout', 'worker-lost', 'cancelled', 'already-done']);

/**
 * Notes of each try of a step with an external effect that it begins, and then whether it has `failed` by itself: what
 * a later try came to says nothing of those before. Throws a `StoreFailure` where that cannot be written now.
 */
export async function noteOutside(store: Store, call: StepCall, step: Step, how: 'begun' | 'failed'): Promise<void> {
  const acts = step.kind === 'agent' || step.kind === 'command' || step.kind === 'tool';
  if (!acts || step.effect !== 'external') return;
  const { root, path, try: tried } = call;
  const key = `${PREFIX}${canonicalJson([path, root.first, tried])}`;
  const scope = root.first.split(' ', 1)[0] ?? root.first; // of the whole tree
  await store.writeJournal({ scope, key }, { request: sha256(key), response: how, at: new Date().toISOString() });
}

/** Tells whether a try has failed by itself, so that its effect has not happened. */
export function isByItself(failure: Error): boolean {
  return failure instanceof ApplicationFailure && failure.nonRetryable === true && !IN_DOUBT.has(failure.type ?? '');
}

/** Paths of the steps of a tree of runs whose external effect has happened, or may have, in any try. */
export async function outsideEffects(store: Pick<Store, 'listJournal'>, scope: string): Promise<string[]> {
  const entries = await store.listJournal(scope, PREFIX);
  const begun = entries.filter(([, { response }]) => response === 'begun').map(([key]) => key.slice(PREFIX.length));
  return [...new Set(begun.map((key) => (JSON.parse(key) as [path: string])[0]))]; // `noteOutside` made it
}
