import type { Expression, Root, Template } from '../../plan/values/expression.js';
import { OUTER } from '../../plan/values/expression.js';
import type { InputType } from '../../plan/values/input-type.js';
import type { Json, JsonObject } from '../../plan/values/json.js';
import { isObject } from '../../plan/values/json.js';
import { ownOf } from '../../plan/values/own.js';
import type { PlanBody } from '../../plan/plan.js';
import type { Block, Step } from '../../plan/step.js';
import { targetOf } from './references.js';

/** What is known of a value before it is there: as a JSON Schema says it, and null where nothing is. */
type Known = JsonObject | null;

/** Steps that see each other's names, and what `item` is among them. */
export interface KnownScope {
  steps: readonly (Step | null)[];
  item: Known;
}

/** Where an expression stands: the scopes that it sees, inner ones first, and what there is for all of them. */
export interface Surroundings {
  scopes: readonly KnownScope[];
  /** The types of inputs; null where nothing is known, as others give what is of no type. */
  inputTypes: (name: string) => InputType | null;
  nested: Readonly<Record<string, PlanBody>>;
}

const TEXT: JsonObject = { type: 'string' };
const NUMBER: JsonObject = { type: 'number' };
const BOOLEAN: JsonObject = { type: 'boolean' };

/** Fields of a result that are the same whatever its step is. */
const FIELDS: Record<string, Known> = {
  status: TEXT,
  error: TEXT,
  agent: TEXT,
  id: TEXT,
  decided_by: TEXT,
  comment: TEXT,
  duration_ms: NUMBER,
  step_index: NUMBER,
};
const REWORK: Record<string, Known> = { feedback: TEXT, by: TEXT, round: NUMBER };
const INPUTS: Record<InputType, Known> = {
  string: TEXT,
  number: NUMBER,
  integer: NUMBER,
  boolean: BOOLEAN,
  list: { type: 'array' },
  object: { type: 'object' },
  any: null,
};

/** What is known of the value of an expression. */
export function knownOf(expression: Expression, around: Surroundings): Known {
  switch (expression.kind) {
    case 'literal':
      return knownValue(expression.value);
    case 'reference':
      return walk(ofRoot(expression.root, around), expression.path);
    case 'coalesce':
      return null;
    case 'not':
    case 'binary':
      return BOOLEAN;
    case 'call':
      return expression.name === 'length' ? NUMBER : expression.name === 'lower' ? TEXT : BOOLEAN;
  }
}

/** What is known of the items of a list. */
export function itemsOf(items: Template, around: Surroundings): Known {
  if (items.kind === 'literal' && Array.isArray(items.value)) return { enum: items.value };
  return walk(ofTemplate(items, around), [0]);
}

function knownValue(value: Json): Known {
  return value === null ? null : { const: value };
}

function ofTemplate(template: Template, around: Surroundings): Known {
  switch (template.kind) {
    case 'literal':
      return knownValue(template.value);
    case 'text':
      return TEXT;
    case 'expression':
      return knownOf(template.expression, around);
    case 'list':
      return { type: 'array' };
    case 'map':
      return properties(template.entries, around);
  }
}

function properties(entries: Record<string, Template>, around: Surroundings): JsonObject {
  const known = Object.entries(entries).map(([key, value]): [string, Json] => [key, ofTemplate(value, around) ?? {}]);
  return { type: 'object', properties: Object.fromEntries(known) };
}

function ofRoot(root: Root, { scopes, ...rest }: Surroundings): Known {
  const outwards = root.lastIndexOf(OUTER) + 1;
  const name = root.slice(outwards);
  const around = { ...rest, scopes: scopes.slice(outwards) };
  if (name === 'index') return NUMBER;
  if (name === 'item') return around.scopes[0]?.item ?? null;
  return /^(?:run|rework):/.test(name) ? ofRun(name) : ofTarget(name, around);
}

/** What a run tells of itself, and who rejected something of that. */
function ofRun(name: string): Known {
  if (name.startsWith('run:')) return BOOLEAN;
  return name.startsWith('rework:') ? (ownOf(REWORK, name.slice('rework:'.length)) ?? null) : null;
}

function ofTarget(name: string, around: Surroundings): Known {
  const target = targetOf(name.replace(/^last:/, 'step:'));
  if (target.kind === 'input') return INPUTS[around.inputTypes(target.name) ?? 'any'];
  if (target.kind === 'group') return name.endsWith('.status') ? TEXT : null;
  if (target.kind !== 'step') return null;
  if (target.field !== 'output') return ownOf(FIELDS, target.field) ?? null;
  const step = around.scopes[0]?.steps[target.step];
  return step == null ? null : ofOutput(step, around);
}

/** What is known of the output of a step that stands in the first of these scopes. */
function ofOutput(step: Step, around: Surroundings): Known {
  switch (step.kind) {
    case 'agent':
    case 'command':
      return ofAnswer(step);
    case 'tool':
      return written(step.schema);
    case 'ask':
      return ofAsk(step);
    case 'approval':
      return oneOf(step.options);
    case 'set':
      return properties(step.values, around);
    case 'serial':
      return TEXT;
    case 'foreach':
    case 'loop':
    case 'workflow':
      return ofInner(step, around);
    case 'plan':
    case 'wait':
    case 'compile':
    case 'flash':
      return null;
  }
}

function ofAnswer(step: Extract<Step, { kind: 'agent' | 'command' }>): Known {
  if (step.output_as === 'number') return NUMBER;
  return written(step.schema) ?? ('tasks' in step ? null : TEXT);
}

function ofAsk({ choices, schema }: Extract<Step, { kind: 'ask' }>): Known {
  return oneOf(choices ?? undefined) ?? written(schema) ?? TEXT;
}

function oneOf(values: Json[] | undefined): Known {
  return values === undefined ? null : { enum: values };
}

function written(schema: Json | undefined): Known {
  return schema !== undefined && isObject(schema) ? schema : null;
}

function ofInner(step: Extract<Step, { kind: 'foreach' | 'loop' | 'workflow' }>, around: Surroundings): Known {
  if (step.kind === 'workflow') return ofNested(step.plan, around);
  if (step.kind === 'loop') return ofBlock(step.body, null, around);
  return { type: 'array', items: ofBlock(step.body, itemsOf(step.items, around), around) ?? {} };
}

function ofNested(hash: string, around: Surroundings): Known {
  const plan = ownOf(around.nested, hash);
  if (plan === undefined) return null;
  const inputTypes = (name: string): InputType | null => ownOf(plan.inputs, name)?.type ?? null;
  return ofBlock(plan, null, { ...around, scopes: [], inputTypes });
}

function ofBlock({ steps, output }: Pick<Block, 'steps' | 'output'>, item: Known, outer: Surroundings): Known {
  const around = { ...outer, scopes: [{ steps, item }, ...outer.scopes] };
  if (output !== null) return ofTemplate(output, around);
  const last = steps.at(-1);
  return last === undefined ? null : ofOutput(last, around);
}

function walk(known: Known, path: (string | number)[]): Known {
  return path.reduce<Known>((current, segment) => {
    if (current === null) return null;
    if (segment === 'length' && kindOf(current) === 'list') return NUMBER;
    const [all, one] = typeof segment === 'number' ? [current, 'items'] : [current['properties'], segment];
    const found = isObject(all) ? ownOf(all, one) : null;
    return isObject(found) ? found : null;
  }, known);
}

/** What a value is, as conditions tell values apart. */
export type Kind = 'text' | 'number' | 'boolean' | 'list' | 'object';

const KINDS: Record<string, Kind> = {
  string: 'text',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
  array: 'list',
  object: 'object',
};

/** What a value surely is, where it is not null; null where it may be several things. */
export function kindOf(known: Known): Kind | null {
  if (known === null) return null;
  const { type, const: only, enum: several } = known;
  const said = Array.isArray(type) ? type : type === undefined ? [] : [type];
  const values = Array.isArray(several) ? several : only === undefined ? [] : [only];
  const names = said.length > 0 ? said.map(String) : values.map(typeName);
  const kinds = new Set(names.filter((name) => name !== 'null').map((name) => ownOf(KINDS, name) ?? null));
  return kinds.size === 1 ? ([...kinds][0] ?? null) : null;
}

function typeName(value: Json): string {
  return value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
}
