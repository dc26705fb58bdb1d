import type { Root } from '../values/expression.js';
import type { Json, JsonObject } from '../values/json.js';
import type { StepResult } from '../result.js';
import type { StoredValue, Value } from '../values/value.js';
import { bare, isStored } from '../values/value.js';

/** A step's result as a reference sees it: every field inline but the output, which may be stored. */
export interface ResultView {
  status: string;
  error: string | null;
  duration_ms: number;
  agent: string;
  step_index: number;
  id: string | null;
  output: Value | null;
  decided_by?: string[];
  comment?: string;
}

/**
 * What one root stands for. `missing` is an input that was not given, or the output of a step that did not succeed;
 * `item` is the item at that place of a stored list.
 */
export type Binding =
  Value | { missing: true } | { result: ResultView } | { results: ResultView[] } | { item: StoredValue; at: number };

/**
 * What the references of one step may see, and nothing else. It travels to the activity, which renders there (I6):
 * a big value crosses history once, as its result, however many steps use it.
 */
export type Environment = Record<Root, Binding>;

/** What `${steps.…}` shows of a result: its output as a bare value, without pages and spend. */
export function viewOf(result: StepResult): ResultView {
  const { status, error, duration_ms, agent, step_index, id, output, decided_by, comment } = result;
  return {
    status,
    error,
    duration_ms,
    agent,
    step_index,
    id,
    output: output === null ? null : bare(output),
    ...(decided_by === undefined ? {} : { decided_by }),
    ...(comment === undefined ? {} : { comment }),
  };
}

/** Every stored value that an environment names. */
export function storedIn(environment: Environment): StoredValue[] {
  return Object.values(environment).flatMap((binding) => valuesOf(binding).filter(isStored));
}

function valuesOf(binding: Binding): Value[] {
  if ('missing' in binding) return [];
  if ('result' in binding) return outputs([binding.result]);
  if ('results' in binding) return outputs(binding.results);
  if ('item' in binding) return [binding.item];
  return [binding];
}

function outputs(results: ResultView[]): Value[] {
  return results.flatMap(({ output }) => (output === null ? [] : [output]));
}

/** Gives the JSON behind a stored value. Throws where it cannot. */
export type Load = (stored: StoredValue) => Json;

/** What a root stands for, as JSON; undefined when it is missing. */
export function bindingToJson(binding: Binding | undefined, load: Load): Json | undefined {
  if (binding === undefined || 'missing' in binding) return undefined;
  if ('result' in binding) return viewToJson(binding.result, load);
  if ('results' in binding) return binding.results.map((view) => viewToJson(view, load));
  if ('item' in binding) return itemOf(load(binding.item), binding.at);
  return isStored(binding) ? load(binding) : binding.value;
}

function itemOf(list: Json, at: number): Json | undefined {
  return Array.isArray(list) ? list[at] : undefined;
}

function viewToJson(view: ResultView, load: Load): JsonObject {
  const { output, ...rest } = view;
  return { ...rest, output: bindingToJson(output ?? { missing: true }, load) ?? null };
}
