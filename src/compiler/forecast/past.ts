import { isObject } from '../../plan/values/json.js';
import type { Json } from '../../plan/values/json.js';
import type { Step } from '../../plan/step.js';
import type { Hash } from '../../plan/values/value.js';
import { hashOf } from '../hash.js';

/** One execution of a step in a run that has closed. */
export interface PastStep {
  /** US dollars; null where a price was not known. */
  usd: number | null;
  tokens: number;
  ms: number;
  /** Of a foreach or a loop: its items or rounds. */
  rounds?: number;
  /** Of a gate: it was rejected, or nobody decided in time. */
  refused?: true;
}

/** What a closed run tells of each step of its Plan: its executions, none where it was not reached. */
export interface PastRun {
  steps: ReadonlyMap<Hash, PastStep[]>;
  /** Milliseconds beside its steps: between them, and around. */
  extra_ms: number;
}

/** Where a step stands among others, and what it is called, says nothing of what it takes. */
const PLACE = new Set(['index', 'id', 'needs', 'parallel_group', 'root']);

/** Hash of what a step does, wherever it stands: agents and nested workflows are in it by their own hashes. */
export function stepKey(step: Step): Hash {
  return hashOf(withoutPlace(step as unknown as Json)); // steps are JSON
}

function withoutPlace(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutPlace);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, member]) => (PLACE.has(key) ? [] : [[key, withoutPlace(member)]])),
  );
}
