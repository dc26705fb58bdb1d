import type { Json, JsonObject } from '../../plan/values/json.js';
import { isObject } from '../../plan/values/json.js';
import type { Plan } from '../../plan/plan.js';
import type { InputSpec } from '../../plan/step.js';
import type { InputType } from '../../plan/values/input-type.js';
import { INPUT_PHRASES, isOfInputType } from '../../plan/values/input-type.js';
import { didYouMean } from '../../compiler/problems/did-you-mean.js';
import { usageError } from '../exit-codes.js';
import { MOST_LEVELS } from '../../plan/values/json-fault.js';
import { keyTwice } from '../../plan/values/key-twice.js';
import { neededBy } from './needed-by.js';
import { ownOf } from '../../plan/values/own.js';

/** What a person gave to `run`, as it was typed. */
export interface GivenInput {
  /** `-i k=v`, in order; the last of one name counts. */
  pairs: string[];
  /** Content of `--inputs FILE`, parsed. */
  file: Json | null;
  /** The request argument, or what came on stdin. */
  request: string | null;
}

/** Names of inputs that the request argument stands for, in the order of preference. */
const REQUEST_NAMES = ['userRequest', 'request', 'instruction'];

/**
 * The run's input, checked against what the Plan says it takes, with defaults filled in. Throws a usage error for an
 * unknown name, a value of another type, and for all missing ones together.
 */
export function collectInput(plan: Plan, given: GivenInput): JsonObject {
  const values = givenInput(plan, given);
  const entries = Object.entries(plan.inputs).flatMap(([name, spec]): [string, Json][] => {
    const value = Object.hasOwn(values, name) ? values[name] : spec.default;
    return value === undefined ? [] : [[name, value]];
  });
  const input = Object.fromEntries(entries);
  const missing = Object.entries(plan.inputs).filter(([name, spec]) => spec.required && !Object.hasOwn(input, name));
  if (missing.length > 0)
    throw missingError(
      plan,
      missing.map(([name]) => name),
    );
  return input;
}

/** What was given alone, checked likewise; what is missing may be missing. */
export function givenInput(plan: Plan, { file, pairs, request }: GivenInput): JsonObject {
  const typed = fromPairs(plan, pairs);
  const asked = fromRequest(plan, request);
  for (const name of Object.keys(asked))
    if (Object.hasOwn(typed, name))
      throw usageError(
        `The input \`${name}\` is given twice: by \`-i ${name}=…\` and by the request argument, which stands for it.`,
        'Leave out one of them.',
      );
  return { ...fromFile(plan, file), ...typed, ...asked };
}

/** The names that are given, known or not; what is wrong with them `collectInput` says. */
export function namesGiven({ pairs, file }: Pick<GivenInput, 'pairs' | 'file'>): string[] {
  return [...Object.keys(isObject(file) ? file : {}), ...pairs.flatMap((pair) => /^[^=]+(?==)/.exec(pair) ?? [])];
}

function fromFile(plan: Plan, file: Json | null): JsonObject {
  if (file === null) return {};
  if (!isObject(file)) throw usageError('Expected the file of `--inputs` to hold a map of names to values.');
  for (const [name, value] of Object.entries(file)) {
    const { type } = specOf(plan, name);
    if (!isOfInputType(value, type))
      throw usageError(
        `Expected the input \`${name}\` to be ${PHRASES[type]}, got \`${JSON.stringify(value)}\` (${typeName(value)}).`,
      );
    checkCarried(name, value, null);
  }
  return file;
}

function fromPairs(plan: Plan, pairs: string[]): JsonObject {
  const entries = pairs.map((pair): [string, Json] => {
    const position = pair.indexOf('=');
    if (position < 1) throw usageError(`Expected \`-i name=value\`, got \`-i ${pair}\`.`);
    const name = pair.slice(0, position);
    return [name, parseValue(name, pair.slice(position + 1), specOf(plan, name))];
  });
  return Object.fromEntries(entries);
}

function fromRequest(plan: Plan, request: string | null): JsonObject {
  if (request === null) return {};
  const name = REQUEST_NAMES.find((candidate) => Object.hasOwn(plan.inputs, candidate));
  if (name === undefined) throw usageError(`The definition \`${plan.name}\` takes no request.`, takes(plan));
  return { [name]: request };
}

function specOf(plan: Plan, name: string): InputSpec {
  const spec = ownOf(plan.inputs, name);
  if (spec !== undefined) return spec;
  const suggestion = didYouMean(name, Object.keys(plan.inputs));
  throw usageError(
    `The definition \`${plan.name}\` has no input \`${name}\`.`,
    suggestion === null ? takes(plan) : `D${suggestion.slice(1)}`,
  );
}

function takes(plan: Plan): string {
  const names = Object.keys(plan.inputs).map((name) => `\`${name}\``);
  return names.length === 0 ? 'It takes no inputs.' : `It takes ${names.join(', ')}; give one with \`-i name=value\`.`;
}

/** A value as text on the command line, in the type that the definition declares. */
export function parseValue(name: string, text: string, { type }: Pick<InputSpec, 'type'>): Json {
  if (type === 'string' || type === 'any') return text;
  const value = type === 'number' || type === 'integer' ? toNumber(text) : parseJson(text);
  if (value === undefined || !isOfInputType(value, type))
    throw usageError(`Expected the input \`${name}\` to be ${PHRASES[type]}, got \`${text}\`.`);
  checkCarried(name, value, text);
  const twice = typeof value === 'object' && value !== null ? keyTwice(text) : null;
  if (twice !== null) throw usageError(`Expected the input \`${name}\` to be JSON without ${twice}.`);
  return value;
}

/** Refuses what JSON cannot carry as it was written: it would make null of a number, or another whole number. */
function checkCarried(name: string, value: Json, typed: string | null, levels = MOST_LEVELS): void {
  if (typeof value === 'object' && value !== null) {
    if (levels === 0) throw usageError(`Expected the input \`${name}\` to have at most ${MOST_LEVELS} levels.`);
    return Object.values(value).forEach((part) => checkCarried(name, part, typed, levels - 1));
  }
  if (typeof value !== 'number' || (Number.isInteger(value) ? Number.isSafeInteger(value) : Number.isFinite(value)))
    return;
  throw usageError(
    `Expected the numbers of the input \`${name}\` to be finite, and whole ones at most ` +
      `${Number.MAX_SAFE_INTEGER}; got \`${typed ?? value}\`.`,
  );
}

function toNumber(text: string): number | undefined {
  return /^\s*[-+]?(\d+(\.\d*)?|\.\d+)(e[-+]?\d+)?\s*$/i.test(text) ? Number(text) : undefined;
}

function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json; // JSON.parse gives nothing else
  } catch {
    return undefined;
  }
}

/** What was expected, for each type: a list and an object are written as JSON. */
const PHRASES: Record<InputType, string> = {
  ...INPUT_PHRASES,
  list: `${INPUT_PHRASES.list}, as JSON`,
  object: `${INPUT_PHRASES.object}, as JSON`,
};

function typeName(value: Json): InputType | 'null' {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'list';
  const name = typeof value;
  return name === 'string' || name === 'number' || name === 'boolean' ? name : 'object';
}

function missingError(plan: Plan, names: string[]): Error {
  const lines = names.map((name) => {
    const steps = neededBy(plan, name);
    if (steps.length === 0) return `\`${name}\``;
    return `\`${name}\`, which ${steps.join(', ')} ${steps.length === 1 ? 'needs' : 'need'}`;
  });
  const example = names.map((name) => `-i ${name}=…`).join(' ');
  return usageError(
    `The definition \`${plan.name}\` needs the input${names.length === 1 ? '' : 's'} ${lines.join('; ')}.`,
    `Give ${names.length === 1 ? 'it' : 'them'} with \`${example}\`.`,
  );
}
