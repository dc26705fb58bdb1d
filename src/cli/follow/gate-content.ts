import type { Gate } from '../../plan/gate.js';
import { toText } from '../../plan/json.js';
import type { Json } from '../../plan/json.js';
import { gateHashOf } from '../../activities/gate-hash.js';
import { loadValue } from '../../store/load-value.js';
import type { Store } from '../../store/store.js';
import { refusal } from '../exit-codes.js';

/** The exact content that a gate shows. */
export interface GateContent {
  text: string;
  /** The same as people read it: texts of several lines inside of JSON, a workflow that an agent made say, stand there as lines. */
  shown: string;
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
  return content === null ? null : { text: toText(json), shown: await readable(json), isText: typeof json === 'string' };
}

/** YAML indents the lines of a text, so that none can pass for something beside it. */
export async function readable(json: Json): Promise<string> {
  if (!hasLines(json)) return toText(json);
  const { stringify } = await import('yaml');
  return stringify(json, { lineWidth: 0, blockQuote: 'literal' }).trimEnd();
}

function hasLines(json: Json): boolean {
  if (typeof json === 'string') return false;
  return typeof json === 'object' && json !== null && Object.values(json).some((value) => (typeof value === 'string' ? value.trimEnd().includes('\n') : hasLines(value)));
}
