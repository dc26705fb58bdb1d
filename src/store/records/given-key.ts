import { StoreFailure } from '../store-failure.js';
import type { ApprovalKey } from './approval-key.js';
import { KEY_BYTES, signingBy } from './approval-key.js';

/** Holds the key that signs decisions, where the store's own is not to: 32 bytes in base 64 for URLs. */
export const APPROVAL_KEY = 'PERDURE_APPROVAL_KEY';

/**
 * The same store, which signs by the key that `env` holds once it holds one. Signing throws a `StoreFailure` where that
 * is no key.
 */
export function withGivenKey<S extends ApprovalKey>(store: S, env: () => Record<string, string | undefined>): S {
  const given = signingBy(async () => seedIn(env()[APPROVAL_KEY] ?? ''));
  const isGiven = (): boolean => (env()[APPROVAL_KEY] ?? '') !== '';
  return {
    ...store,
    sign: (text) => (isGiven() ? given : store).sign(text),
    isSigned: (text, signature) => (isGiven() ? given : store).isSigned(text, signature),
    publicKey: () => (isGiven() ? given : store).publicKey(),
  };
}

function seedIn(text: string): Buffer {
  const seed = Buffer.from(text.trim(), 'base64url');
  if (seed.length === KEY_BYTES) return seed;
  throw new StoreFailure('internal', `Expected \`${APPROVAL_KEY}\` to hold ${KEY_BYTES} bytes in base 64.`);
}
