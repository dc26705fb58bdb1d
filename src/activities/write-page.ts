import type { Json } from '../plan/json.js';
import type { Activities } from './contract.js';
import type { Dependencies } from './dependencies.js';

/** Stores a page of StepResults as one list (I12). The same page has the same name, so a repeat changes nothing. */
export function createWritePage({ store }: Dependencies): Activities['writePage'] {
  // StepResult is JSON-safe, but an interface has no index signature.
  return (results) => store.putAlways(results as unknown as Json);
}
