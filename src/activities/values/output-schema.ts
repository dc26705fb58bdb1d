import type { ErrorObject, ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Json, JsonObject } from '../../plan/values/json.js';
import { canonicalJson, isObject } from '../../plan/values/json.js';
import { cutTo } from '../../plan/text/cut-to.js';
import { jsonFault } from '../../plan/values/json-fault.js';
import { keyTwice } from '../../plan/values/key-twice.js';
import { withoutUnsaid } from '../../plan/tools/unsaid.js';
import { createLruCache } from '../../store/lru-cache.js';
import { stepFailure } from '../failures.js';
import { createSchemaPatterns } from './schema-patterns.js';
import type { SchemaPatterns } from './schema-patterns.js';
import { withinTime } from './timed-script.js';

/** Compiled schemas that a worker keeps; each with a validator of its own, since one shared would keep all for ever. */
const compiled = createLruCache<Compiled>(64);

interface Compiled {
  validate: ValidateFunction;
  patterns: SchemaPatterns;
}

/**
 * A schema is foreign text: whoever wrote it, an agent that made a tool or a server of tools, cannot hold up a worker
 * by it. In a second, a check that doubles with each level of the schema fills some 150 MB. Where the machine is busy
 * both take three times as long, and together less than a heartbeat may.
 */
const COMPILE_MS = 2_000;
const CHECK_MS = 1_000;

/** More would not help a model, and would not fit a failure. */
const TOLD_ERRORS = 10;
const ERROR_CHARACTERS = 500;

/** What a text is under a schema: the JSON it holds, or what is wrong with it, one line each. */
export type Checked = { value: Json } | { errors: string[] };

/**
 * Parses a text as JSON and checks it against a JSON Schema. Throws `request-refused` when the schema itself is none,
 * or none that can be used.
 */
export function checkOutput(text: string, schema: Json): Checked {
  let value: Json;
  try {
    value = JSON.parse(text) as Json; // JSON.parse gives JSON.
  } catch (error) {
    return { errors: [`The text is not JSON: ${error instanceof Error ? error.message : String(error)}`] };
  }
  const twice = keyTwice(text);
  return twice === null ? checkValue(value, schema) : { errors: [withoutFault(twice)] };
}

/** Checks a JSON value against a JSON Schema. Throws as `checkOutput` does. */
export function checkValue(value: Json, schema: Json): Checked {
  const faults = faultsOf(value, schema);
  if ('unusable' in faults)
    throw stepFailure('request-refused', `Expected the step's \`schema\` to be a JSON Schema: ${faults.unusable}.`);
  return faults.length === 0 ? { value } : { errors: told(faults) };
}

/**
 * Checks the arguments of a call likewise, but throws nothing: the schema is the tool's. One that is null where null
 * does not fit counts as not given, if it may be left out: the value is what the call is made with.
 */
export function checkArguments(args: JsonObject, schema: JsonObject): { value: JsonObject } | { errors: string[] } {
  const faults = faultsOf(args, schema);
  if ('unusable' in faults)
    return { errors: [cutTo(`the tool's schema cannot be used: ${faults.unusable}`, ERROR_CHARACTERS)] };
  const refused = new Set(faults.map(({ at }) => at));
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  const value = withoutUnsaid(args, (name) => refused.has(pointerTo(name)) && !required.includes(name));
  if (Object.keys(value).length === Object.keys(args).length)
    return faults.length === 0 ? { value } : { errors: told(faults) };
  const checked = checkValue(value, schema);
  return 'errors' in checked ? checked : { value };
}

/** What is wrong with a value: where, as a JSON pointer, and the line that tells it. */
interface Fault {
  at: string;
  tell: () => string;
}

/** Why a schema is none that a value can be held against. */
interface Unusable {
  unusable: string;
}

function withoutFault(fault: string): string {
  return cutTo(`Expected JSON without ${fault}.`, ERROR_CHARACTERS);
}

function told(faults: Fault[]): string[] {
  return faults.slice(0, TOLD_ERRORS).map(({ tell }) => cutTo(tell(), ERROR_CHARACTERS));
}

function faultsOf(value: Json, schema: Json): Fault[] | Unusable {
  const fault = jsonFault(value);
  if (fault !== null) return [{ at: '', tell: () => withoutFault(fault) }];
  const known = compileSchema(schema);
  if ('unusable' in known) return known;
  const { validate, patterns } = known;
  try {
    const ran = withinTime(CHECK_MS, () => validate(value));
    if (ran === 'slow') return [{ at: '', tell: () => tooSlow(patterns.endedIn()) }];
    if (ran.value) return [];
    return (validate.errors ?? []).map((error) => ({ at: error.instancePath, tell: () => describe(error) }));
  } catch (error) {
    if (error instanceof RangeError) return { unusable: 'it leads back to itself without end' };
    throw error;
  }
}

function tooSlow(pattern: string | null): string {
  return pattern === null
    ? 'The schema takes too long to hold this against it.'
    : `The pattern \`${pattern}\` of the schema takes too long.`;
}

function pointerTo(name: string): string {
  return `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

function compileSchema(schema: Json): Compiled | Unusable {
  const key = canonicalJson(schema);
  const kept = compiled.get(key);
  if (kept !== undefined) return kept;
  try {
    const ran = withinTime(COMPILE_MS, () => compile(schema));
    if (ran === 'slow') return { unusable: 'it takes too long to read' };
    compiled.set(key, ran.value, 1);
    return ran.value;
  } catch (error) {
    return { unusable: error instanceof Error ? error.message : String(error) };
  }
}

function compile(schema: Json): Compiled {
  const patterns = createSchemaPatterns();
  const ajv = new Ajv2020({
    strict: false,
    allErrors: true,
    validateFormats: false,
    // A part that is referred to often would be written out as often.
    inlineRefs: false,
    logger: false,
    code: { regExp: patterns.engine },
  });
  return { validate: ajv.compile(withoutDialect(schema)), patterns };
}

/**
 * The dialect is ours to choose: a schema of an older draft names one that is not loaded. An answer that is promised
 * would come after the check, and its refusal to nobody.
 */
function withoutDialect(schema: Json): JsonObject | boolean {
  if (!isObject(schema)) return schema !== false;
  const { $schema: _dialect, $id: _id, $async: _promised, ...rest } = schema;
  return rest;
}

function describe({ instancePath, message, params }: ErrorObject): string {
  const place = instancePath === '' ? 'The value' : `\`${instancePath}\``;
  const allowed: unknown = params['allowedValues'] ?? params['additionalProperty'];
  return `${place} ${message ?? 'is not valid'}${allowed === undefined ? '' : `: ${JSON.stringify(allowed)}`}`;
}
