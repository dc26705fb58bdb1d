import type { Gate } from '../../plan/gate.js';
import { toText } from '../../plan/json.js';
import { gateHashOf } from '../../activities/gate-hash.js';
import { loadValue } from '../../store/load-value.js';
import type { Store } from '../../store/store.js';
import { refusal } from '../exit-codes.js';

/** The exact content that a gate shows. */
export interface GateContent {
  text: string;
  /** It is a text itself; else `text` is its JSON. */
  isText: boolean;
}

/**
 * The exact content that a gate shows; null when the question is all there is. What a person approves is
 * what its hash names: content that does not fit the hash is refused, never shown (decision 4).
 */
export async function readGateContent({ path, message, content, options, hash }: Gate, store: Store): Promise<GateContent | null> {
  const json = await loadValue(content, store);
  if (gateHashOf({ message, content: json, ...(options === undefined ? {} : { options }) }) !== hash) {
    throw refusal(`What the gate \`${path}\` shows does not fit its hash \`${hash}\`: it is not shown, and cannot be approved here.`);
  }
  return content === null ? null : { text: toText(json), isText: typeof json === 'string' };
}
