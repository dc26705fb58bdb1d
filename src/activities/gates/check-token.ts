import type { Activities } from '../contract.js';
import type { Dependencies } from '../dependencies.js';
import { tokenRefusal } from './approval-token.js';
import { grantRefusal, openGrant } from './grant.js';

/**
 * Holds the grant of a decision, or else its token, against the gate as it is now: no key is in workflow code (I13). A
 * grant is a token as well.
 */
export function createCheckToken({ store }: Dependencies): Activities['checkToken'] {
  return async ({ decision, ...gate }) => {
    if (decision.grant === undefined) return { refusal: await tokenRefusal(gate, decision, store) };
    const grant = await openGrant(decision.grant, store);
    return { refusal: grantRefusal(grant, gate, decision, Date.now()), ...(grant && { nonce: grant.nonce }) };
  };
}
