import type { Json, JsonObject } from '../../../plan/values/json.js';
import type { Translation } from './translation.js';
import { ownOf } from '../../../plan/values/own.js';

/** Words of ours, and inputs that an import makes itself. */
const NOT_FREE = new Set([
  ...['steps', 'parallel_group', 'item', 'index', 'rework', 'true', 'false', 'null'],
  ...['request', 'context', 'base_branch', 'docs_dir', 'artifacts', 'artifacts_dir', 'state_dir', 'workflow_id'],
]);

/** The name here of an input of Archon's, which is declared from now on. */
export function freeInput(name: string, { inputs, said }: Pick<Translation, 'inputs' | 'said'>): string {
  const own = ownName(name);
  if (!inputs.has(own)) inputs.set(own, declared(ownOf(said.inputs, name) ?? null));
  return own;
}

/** What an input of Archon's is called here. */
export function ownName(name: string): string {
  return NOT_FREE.has(name) ? `${name}_` : name;
}

interface InputSpec {
  required?: boolean | undefined;
  default?: Json | undefined;
  description?: string | undefined;
}

function declared(spec: InputSpec | null): JsonObject {
  const otherwise = spec?.default;
  const type = otherwise === undefined || typeof otherwise === 'string' ? 'string' : 'any';
  return {
    type,
    ...(otherwise === undefined ? {} : { default: otherwise }),
    ...(spec?.description === undefined ? {} : { description: spec.description }),
  };
}
