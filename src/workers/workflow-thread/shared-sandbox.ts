import type { Context } from 'node:vm';

/** What stands for one run in calls into the sandbox. */
type Holder = object;

/** A run's state, which the SDK keeps in the sandbox while it calls into it. */
interface Activator {
  sinkCalls: readonly unknown[];
}

/**
 * Where all runs' workflow code runs, with what the SDK leaves there before it calls into it: SDK 1.24,
 * `workflow/reusable-vm.js`.
 */
export interface Sandbox extends Context {
  __temporal_args?: [holder: Holder, name: string, args: unknown[]];
  /** Of the run that was called last. */
  __TEMPORAL_BAG_HOLDER__?: Holder;
  __TEMPORAL_ACTIVATOR__?: Activator | undefined;
}

const activators = new WeakMap<Holder, Activator>();

/**
 * Gives the sandbox to the run that is about to be called. The SDK would look at each global of the sandbox, keep what
 * the last run left there and put this run's in its place, some 70 of them: workflow code of ours sets none (lint sees
 * to it), so only the SDK's own changes hands.
 */
export function switchRun(sandbox: Sandbox): void {
  const { __temporal_args: call, __TEMPORAL_BAG_HOLDER__: last, __TEMPORAL_ACTIVATOR__: activator } = sandbox;
  if (call === undefined || call[0] === last) return;
  if (last !== undefined && activator !== undefined) activators.set(last, activator);
  sandbox.__TEMPORAL_ACTIVATOR__ = activators.get(call[0]);
  sandbox.__TEMPORAL_BAG_HOLDER__ = call[0];
}

/** Tells whether the next call collects a task's commands, its last. */
export function concludes({ __temporal_args: call }: Sandbox): boolean {
  return call?.[1] === 'concludeActivation';
}
