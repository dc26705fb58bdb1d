import { MESSAGE_CHARACTERS } from '../../plan/gates/gate.js';
import type { Json } from '../../plan/values/json.js';
import { canonicalJson } from '../../plan/values/json.js';
import type { Hash } from '../../plan/values/value.js';
import { sha256 } from '../../store/hash.js';

/** What a person sees of a gate and decides on. */
export interface Shown {
  message: string;
  /** The content itself, stored or not; null when the question is all there is. */
  content: Json;
  options?: Json[];
}

/** What is shown for a second approval, where a person had allowed something else or seen it in another form. */
export function shownAgain<S extends Shown>(shown: S): S {
  return {
    ...shown,
    message: `Asked again: this is not what was allowed, or not as it was shown. ${shown.message}`.slice(
      0,
      MESSAGE_CHARACTERS,
    ),
  };
}

/** SHA-256 of the canonical JSON of what a gate shows: it names exactly this (decision 4). */
export function gateHashOf({ message, content, options }: Shown): Hash {
  return sha256(canonicalJson({ message, content, ...(options === undefined ? {} : { options }) }));
}
