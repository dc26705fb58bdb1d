import type { Activities } from './contract.js';
import { tokenRefusal } from './approval-token.js';
import type { Dependencies } from './dependencies.js';

/** Holds the token of a decision against the gate as it is now: no key is in workflow code (I13). */
export function createCheckToken({ store }: Dependencies): Activities['checkToken'] {
  return async ({ decision, ...gate }) => ({ refusal: await tokenRefusal(gate, decision, store) });
}
