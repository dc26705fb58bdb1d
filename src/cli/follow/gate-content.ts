import type { Gate } from '../../plan/gate.js';
import type { Json } from '../../plan/json.js';
import { canonicalJson, toText } from '../../plan/json.js';
import { isStored } from '../../plan/value.js';
import { sha256 } from '../../store/hash.js';
import type { Store } from '../../store/store.js';
import { refusal } from '../exit-codes.js';

/**
 * The exact content that a gate shows, as text; null when the question is all there is. What a person approves is
 * what its hash names: content that does not fit the hash is refused, never shown (decision 4).
 */
export async function readGateContent(gate: Gate, store: Store): Promise<string | null> {
  const { message, content } = gate;
  const json: Json = content === null ? null : isStored(content) ? await store.get(content.ref) : content.value;
  if (sha256(canonicalJson({ message, content: json })) !== gate.hash) {
    throw refusal(`What the gate \`${gate.path}\` shows does not fit its hash \`${gate.hash}\`: it is not shown, and cannot be approved here.`);
  }
  return content === null ? null : toText(json);
}
