import type { Json } from '../plan/json.js';
import { canonicalJson } from '../plan/json.js';
import type { Hash } from '../plan/value.js';
import { sha256 } from '../store/hash.js';

/** What a person sees of a gate and decides on. */
export interface Shown {
  message: string;
  /** The content itself, stored or not; null when the question is all there is. */
  content: Json;
  options?: Json[];
}

/** SHA-256 of the canonical JSON of what a gate shows: it names exactly this (decision 4). */
export function gateHashOf({ message, content, options }: Shown): Hash {
  return sha256(canonicalJson({ message, content, ...(options === undefined ? {} : { options }) }));
}
