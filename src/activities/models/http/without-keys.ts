import { withoutLogins } from '../../../plan/text/without-login.js';
import type { CallContext } from '../protocol/provider.js';

const KEYS = ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'OPENAI_API_KEY'] as const;

/**
 * What a provider, or what calls it, said, without a key that it repeated and without the password of an address (I13).
 * Who repeats a header has cut the white space at its ends.
 */
export function withoutKeys(text: string, credentials: CallContext['credentials']): string {
  return KEYS.reduce((told, name) => {
    const key = credentials[name]?.trim();
    return key ? told.replaceAll(key, '…') : told;
  }, withoutLogins(text));
}
