import type { Environment } from '../../plan/references/environment.js';
import { storedIn } from '../../plan/references/environment.js';
import { render } from '../../plan/references/evaluate.js';
import type { Scope } from '../../plan/references/evaluate.js';
import type { Template } from '../../plan/values/expression.js';
import type { Json } from '../../plan/values/json.js';
import { toText } from '../../plan/values/json.js';
import type { Hash } from '../../plan/values/value.js';
import type { Store } from '../../store/store.js';
import type { StepCall } from '../contract.js';
import { stepFailure } from '../failures.js';

/**
 * Reads everything that rendering these templates may need, so that `render` of `plan/` can stay synchronous and
 * pure (I6). Throws a `StoreFailure` when a value is missing or corrupt.
 */
export async function createScope(store: Store, environment: Environment, templates: Template[]): Promise<Scope> {
  const refs = new Set<Hash>([...storedIn(environment).map(({ ref }) => ref), ...templates.flatMap(textsIn)]);
  const loaded = new Map<Hash, Json>(
    await Promise.all([...refs].map(async (ref) => [ref, await store.get(ref)] as const)),
  );

  function load(ref: Hash): Json {
    const value = loaded.get(ref);
    if (value === undefined)
      throw stepFailure('reference-missing', `The stored value \`${ref}\` was not read before rendering.`);
    return value;
  }

  return {
    environment,
    load: (stored) => load(stored.ref),
    text: (text) => (typeof text === 'string' ? text : toText(load(text.text))),
  };
}

/** Names of the stored texts inside a template. */
function textsIn(template: Template): Hash[] {
  switch (template.kind) {
    case 'literal':
    case 'expression':
      return [];
    case 'text':
      return template.parts.flatMap((part) => (typeof part === 'object' && 'text' in part ? [part.text] : []));
    case 'list':
      return template.items.flatMap(textsIn);
    case 'map':
      return Object.values(template.entries).flatMap(textsIn);
  }
}

/** Renders templates of a step; texts where `as` is `text`. */
export async function renderAll(store: Store, { environment }: StepCall, templates: Template[]): Promise<Json[]> {
  const scope = await createScope(store, environment, templates);
  return templates.map((template) => render(template, scope));
}

/** Renders a template to a text; null where there is none. */
export async function renderText(store: Store, call: StepCall, template: Template | null): Promise<string | null> {
  if (template === null) return null;
  const [value] = await renderAll(store, call, [template]);
  return toText(value ?? '');
}
