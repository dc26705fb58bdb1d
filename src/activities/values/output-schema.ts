import type { ErrorObject, ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Json, JsonObject } from '../../plan/values/json.js';
import { canonicalJson, isObject } from '../../plan/values/json.js';
import { jsonFault } from '../../plan/values/json-fault.js';
import { withoutUnsaid } from '../../plan/tools/unsaid.js';
import { createLruCache } from '../../store/lru-cache.js';
import { stepFailure } from '../failures.js';
import { createSchemaPatterns, SlowPattern } from './schema-patterns.js';
import type { SchemaPatterns } from './schema-patterns.js';

/** Compiled schemas that a worker keeps; each with a validator of its own, since one shared would keep all for ever. */
const compiled = createLruCache<Compiled>(64);

interface Compiled {
  validate: ValidateFunction;
  patterns: SchemaPatterns;
}

/** More would not help a model, and would not fit a failure. */
const TOLD_ERRORS = 10;

/** What a text is under a schema: the JSON it holds, or what is wrong with it, one line each. */
export type Checked = { value: Json } | { errors: string[] };

/**
 * Parses a text as JSON and checks it against a JSON Schema. Throws `request-refused` when the schema itself is none.
 */
export function checkOutput(text: string, schema: Json): Checked {
  let value: Json;
  try {
    value = JSON.parse(text) as Json; // JSON.parse gives JSON.
  } catch (error) {
    return { errors: [`The text is not JSON: ${error instanceof Error ? error.message : String(error)}`] };
  }
  return checkValue(value, schema);
}

/** Checks a JSON value against a JSON Schema. Throws `request-refused` when the schema itself is none. */
export function checkValue(value: Json, schema: Json): Checked {
  const faults = faultsOf(value, schema);
  return faults.length === 0 ? { value } : { errors: faults.slice(0, TOLD_ERRORS).map(({ told }) => told) };
}

/**
 * Checks the arguments of a call likewise. One that is null where null does not fit counts as not given, if it may be
 * left out: the value is what the call is made with.
 */
export function checkArguments(args: JsonObject, schema: JsonObject): { value: JsonObject } | { errors: string[] } {
  const refused = new Set(Object.values(args).includes(null) ? faultsOf(args, schema).map(({ at }) => at) : []);
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  const value = withoutUnsaid(args, (name) => refused.has(pointerTo(name)) && !required.includes(name));
  const checked = checkValue(value, schema);
  return 'errors' in checked ? checked : { value };
}

/** What is wrong with a value: where, as a JSON pointer, and the line that tells it. */
interface Fault {
  at: string;
  told: string;
}

function faultsOf(value: Json, schema: Json): Fault[] {
  const fault = jsonFault(value);
  if (fault !== null) return [{ at: '', told: `Expected JSON without ${fault}.` }];
  const { validate, patterns } = compileSchema(schema);
  patterns.begin();
  try {
    if (validate(value)) return [];
    return (validate.errors ?? []).map((error) => ({ at: error.instancePath, told: describe(error) }));
  } catch (error) {
    if (error instanceof SlowPattern) return [{ at: '', told: error.message }];
    throw error;
  }
}

function pointerTo(name: string): string {
  return `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

function compileSchema(schema: Json): Compiled {
  const key = canonicalJson(schema);
  const kept = compiled.get(key);
  if (kept !== undefined) return kept;
  try {
    const patterns = createSchemaPatterns();
    const ajv = new Ajv2020({
      strict: false,
      allErrors: true,
      validateFormats: false,
      logger: false,
      code: { regExp: patterns.engine },
    });
    const made = { validate: ajv.compile(withoutDialect(schema)), patterns };
    compiled.set(key, made, 1);
    return made;
  } catch (error) {
    throw stepFailure(
      'request-refused',
      `Expected the step's \`schema\` to be a JSON Schema: ${error instanceof Error ? error.message : String(error)}.`,
    );
  }
}

/** The dialect is ours to choose: a schema of an older draft names one that is not loaded. */
function withoutDialect(schema: Json): JsonObject | boolean {
  if (!isObject(schema)) return schema !== false;
  const { $schema: _dialect, $id: _id, ...rest } = schema;
  return rest;
}

function describe({ instancePath, message, params }: ErrorObject): string {
  const place = instancePath === '' ? 'The value' : `\`${instancePath}\``;
  const allowed: unknown = params['allowedValues'] ?? params['additionalProperty'];
  return `${place} ${message ?? 'is not valid'}${allowed === undefined ? '' : `: ${JSON.stringify(allowed)}`}`;
}
