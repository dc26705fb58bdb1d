import type { z } from 'zod';
import type { Json } from '../../plan/values/json.js';
import { isObject } from '../../plan/values/json.js';
import { didYouMean, meansPerhaps, nearest } from '../problems/did-you-mean.js';
import type { Node } from './node.js';
import { keyOf, memberOf, nodeAt, startOf, withoutPaths } from './node.js';
import type { ProblemCode, Report } from '../problems/problem.js';
import { ownOf } from '../../plan/values/own.js';

/** How a document is held against its schema. */
export interface Check {
  report: Report;
  /** Keys of the language that this version does not run. */
  unsupported?: ReadonlySet<string>;
  /** Words of other tools, and what they are called here. */
  words?: Readonly<Record<string, string>>;
  /** Keys whose values, and all below them, are secrets, and are in no message. */
  secrets?: ReadonlySet<string>;
  /** Files of other tools may have more keys than we read. */
  unknownKeys?: 'error' | 'warning';
  /** Of such files, keys that must be there and that the schema does not ask for. */
  wanted?: ReadonlySet<string>;
}

export type Issue = z.core.$ZodIssue;

/** The value as its schema types it; null when it has faults, all of which are reported where they are. */
export function check<T>(schema: z.ZodType<T>, node: Node, options: Check): T | null {
  const result = schema.safeParse(node.value);
  if (result.success) return result.data;
  const issues = issuesOf(result.error);
  const told = new Set(reportIssues(issues, { schema, root: node, options }).map(keyOfIssue));
  if (options.unknownKeys !== 'warning') return null;
  const root = withoutUnknown(node, issues);
  const known = schema.safeParse(root.value);
  if (known.success) return known.data;
  const left = issuesOf(known.error).filter((issue) => !told.has(keyOfIssue(issue)));
  reportIssues(left, { schema, root, options });
  return null;
}

function keyOfIssue({ code, path, message }: Issue): string {
  return JSON.stringify([code, path, message]);
}

/** A node without the keys, at any depth, that the schema does not know. */
function withoutUnknown(node: Node, issues: Issue[]): Node {
  const unknown = issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [...issue.path, key]) : [],
  );
  return withoutPaths(node, unknown);
}

interface Checked {
  schema: z.core.$ZodType;
  root: Node;
  options: Check;
}

/**
 * Reports what a schema finds wrong with a document, each fault where it is, and gives what it has told. What a key of
 * another name is the cause of is not told beside that.
 */
export function reportIssues(issues: Issue[], checked: Checked): Issue[] {
  const unknown = issues.flatMap((issue) => (issue.code === 'unrecognized_keys' ? [issue] : []));
  const told = issues.filter((issue) => !unknown.some(({ path, keys }) => follows(issue, { path, keys }, checked)));
  for (const issue of told) reportIssue(issue, checked);
  return told;
}

/** Tells whether a fault of a map follows from keys of it that have another name here. */
function follows(
  { code, path }: Issue,
  unknown: { path: PropertyKey[]; keys: string[] },
  { schema, root, options }: Checked,
): boolean {
  const isBelow = unknown.path.every((segment, index) => segment === path[index]);
  if (!isBelow || options.unknownKeys === 'warning') return false;
  if (path.length === unknown.path.length) return code === 'custom';
  const last = path.at(-1);
  if (path.length > unknown.path.length + 1 || typeof last !== 'string') return false;
  if (memberOf(nodeAt(root, unknown.path), last) !== null) return false;
  const known = knownKeys(schema, unknown.path);
  return unknown.keys.some((key) => meantBy(key, known, options.words) === last);
}

/** The key that is called otherwise by other tools, or is nearly this one; null for what has no name here. */
function meantBy(key: string, known: string[], words: Check['words']): string | null {
  const word = ownOf(words, key);
  return word === undefined || !known.includes(word) ? nearest(key, known) : word;
}

/** What a schema finds wrong with a value. Of alternatives, the faults of the one whose type the value has are told. */
export function issuesOf(error: z.ZodError): Issue[] {
  return error.issues.flatMap(insideUnion);
}

function insideUnion(issue: Issue): Issue[] {
  if (issue.code !== 'invalid_union') return [issue];
  const ofItsType = issue.errors.filter(
    (issues) =>
      !issues.some(({ code, path }) => path.length === 0 && (code === 'invalid_type' || code === 'invalid_value')),
  );
  const [only] = ofItsType;
  if (only === undefined || ofItsType.length > 1) return [issue];
  return only.flatMap((inner) => insideUnion({ ...inner, path: [...issue.path, ...inner.path] }));
}

function reportIssue(issue: Issue, { schema, root, options }: Checked): void {
  const { report } = options;
  const node = nodeAt(root, issue.path);
  switch (issue.code) {
    case 'unrecognized_keys':
      for (const key of issue.keys) reportUnknownKey(key, node, knownKeys(schema, issue.path), options);
      return;
    case 'invalid_key': {
      const key = String(issue.path.at(-1));
      const parent = nodeAt(root, issue.path.slice(0, -1));
      const expected = issue.issues[0]?.message ?? 'a name';
      report({ code: 'invalid-name', at: keyOf(parent, key), message: `Expected ${expected}; got \`${brief(key)}\`.` });
      return;
    }
    default:
  }
  const last = issue.path.at(-1);
  const parent = nodeAt(root, issue.path.slice(0, -1));
  if (typeof last === 'string' && parent.members !== null && memberOf(parent, last) === null) {
    report({ code: 'missing-key', at: startOf(parent), message: `Expected \`${last}\`: ${issue.message}.` });
    return;
  }
  const code: ProblemCode =
    issue.code === 'invalid_format' && /^an? (name|id):/.test(issue.message) ? 'invalid-name' : 'invalid-value';
  const found = issue.path.some((part) => options.secrets?.has(String(part))) ? 'another value' : describe(node.value);
  const { source, start, end } = node;
  const flag = flagMeant(issue, node.value);
  report({
    code,
    // A map ends where its line does.
    at: { ...node, end: start + source.text.slice(start, end).trimEnd().length },
    message: `Expected ${expectation(issue)}, got ${found}.`,
    suggestion: code === 'invalid-name' ? spelled(node.value) : (mend(issue, node.value) ?? asText(issue, node)),
    // Without the quotes: a text in them is no flag.
    ...(flag === null ? {} : { fix: { at: node, text: flag } }),
  });
}

function expectation(issue: Issue): string {
  const begin = 'Invalid input: expected ';
  if (!issue.message.startsWith(begin)) return issue.message;
  if (issue.code === 'invalid_type' && issue.expected === 'object') return 'a map';
  return `a ${issue.message.slice(begin.length).split(',')[0]}`;
}

/** A name with `-` where it has what names have not, if that is all that is wrong with it. */
function spelled(value: Json): string | null {
  if (typeof value !== 'string' || !/^[A-Za-z_][\w ./-]*$/.test(value)) return null;
  const name = value.trim().replace(/[^\w-]+/g, '-');
  return name.length <= 63 && name !== value ? `write \`${name}\`` : null;
}

/** Names of types in other languages, and what they are called here and in JSON Schema. */
export const OTHER_WORDS = [
  ['int', 'integer'],
  ['float', 'number'],
  ['bool', 'boolean'],
  ['str', 'string'],
  ['text', 'string'],
  ['map', 'object'],
  ['dict', 'object'],
] as const;
const MEANT = new Map<string, string>([...OTHER_WORDS, ['sequence', 'list']]);

function mend(issue: Issue, value: Json): string | null {
  if (issue.code === 'invalid_value' && typeof value === 'string')
    return didYouMean(MEANT.get(value) ?? value, issue.values.map(String));
  if (issue.message.startsWith('a duration')) return durationHint(value);
  const flag = flagMeant(issue, value);
  if (flag !== null) return meansPerhaps(flag);
  if (issue.message.startsWith('a map with attempts') && Number.isInteger(value) && Number(value) > 0)
    return `write \`{attempts: ${Number(value)}}\``;
  return null;
}

/** Words that mean true or false to people, and in older YAML. */
export const FLAGS: ReadonlyMap<string, string> = new Map([
  ['yes', 'true'],
  ['on', 'true'],
  ['no', 'false'],
  ['off', 'false'],
]);

/** What a text was meant for where true or false is expected. */
function flagMeant(issue: Issue, value: Json): string | null {
  if (issue.code !== 'invalid_type' || issue.expected !== 'boolean' || typeof value !== 'string') return null;
  const word = value.toLowerCase();
  return FLAGS.get(word) ?? nearest(word, ['true', 'false']);
}

/** A text that a colon has made a map of, as a text; of an entry of a list of tools, the tool. */
function asText(issue: Issue, { value, source, start, end }: Node): string | null {
  if (issue.code !== 'invalid_type' || issue.expected !== 'string') return null;
  const [key, ...others] = isObject(value) ? Object.keys(value) : [];
  const written = source.text.slice(start, end).trimEnd();
  if (key === undefined || others.length > 0 || /^\{|["\\`\n#]/.test(written)) return null;
  return issue.path.slice(0, -1).some((part) => part === 'tools' || part === 'disallowed_tools')
    ? `write \`${key}\``
    : `write \`"${written}"\``;
}

const LONG_UNIT = /^(?:milliseconds?|msecs?|s(?:ec(?:ond)?s?)|m(?:in(?:ute)?s?)|h(?:(?:ou)?rs?)|d(?:ays?))$/i;

/** So many minutes are the longest duration: a year. */
const MOST_MINUTES = 525_600;

/** `30` and `5 minutes` as durations are written here; null where that would be none. */
function durationHint(value: Json): string | null {
  if (typeof value !== 'number' && typeof value !== 'string') return null;
  const [, amount, unit = ''] = /^([0-9]{1,9}(?:\.[0-9]{1,3})?) *([a-z]*)$/i.exec(String(value).trim()) ?? [];
  if (amount === undefined || Number(amount) === 0) return null;
  if (typeof value === 'number') return value > MOST_MINUTES ? null : `write \`${value}s\` or \`${value}m\``;
  if (!LONG_UNIT.test(unit)) return null;
  return `write \`${amount}${/^(?:milli|ms)/i.test(unit) ? 'ms' : (unit[0]?.toLowerCase() ?? '')}\``;
}

function reportUnknownKey(
  key: string,
  node: Node,
  known: string[],
  { report, unsupported, words, unknownKeys }: Check,
): void {
  const at = keyOf(node, key);
  if (unsupported?.has(key)) {
    report({ code: 'unsupported-key', at, message: `This version does not run \`${key}\` yet.` });
    return;
  }
  const meant = meantBy(key, known, words);
  report({
    code: 'unknown-key',
    at,
    message: `There is no key \`${brief(key)}\` here.`,
    suggestion: meant === null ? keysThere(node, known) : insteadOf(node, meant, meant === ownOf(words, key)),
    severity: unknownKeys ?? 'error',
  });
}

/** Which keys there are, in the order of the alphabet, without those that stand there. */
function keysThere(parent: Node, known: string[]): string | null {
  const free = known.filter((key) => memberOf(parent, key) === null).sort();
  return free.length === 0 ? null : `there are \`${free.join('`, `')}\``;
}

/** What to do about a key that has another name here. A key that stands there already cannot be written once more. */
function insteadOf(parent: Node, meant: string, isWord: boolean): string {
  if (memberOf(parent, meant) !== null) return `\`${meant}\` is written already: take this out, or that`;
  return isWord ? `it is called \`${meant}\` here` : meansPerhaps(meant);
}

/** The keys that the schema has at a path; none where it takes any. */
export function knownKeys(schema: z.core.$ZodType, path: readonly PropertyKey[]): string[] {
  let current = unwrap(schema);
  for (const segment of path) current = unwrap(below(current, segment));
  if (current?._zod.def.type === 'union')
    current = (current as z.core.$ZodUnion)._zod.def.options.find((option) => option._zod.def.type === 'object');
  return current?._zod.def.type === 'object' ? Object.keys((current as z.core.$ZodObject)._zod.def.shape) : [];
}

function below(schema: z.core.$ZodType | undefined, segment: PropertyKey): z.core.$ZodType | undefined {
  switch (schema?._zod.def.type) {
    case 'object':
      return (schema as z.core.$ZodObject)._zod.def.shape[String(segment)];
    case 'array':
      return (schema as z.core.$ZodArray)._zod.def.element;
    case 'union':
      return below(
        (schema as z.core.$ZodUnion)._zod.def.options.find((option) => option._zod.def.type === 'object'),
        segment,
      );
    case 'record':
      return (schema as z.core.$ZodRecord)._zod.def.valueType;
    default:
      return undefined;
  }
}

function unwrap(schema: z.core.$ZodType | undefined): z.core.$ZodType | undefined {
  let current = schema;
  while (current !== undefined && (current._zod.def.type === 'optional' || current._zod.def.type === 'nullable')) {
    current = (current as z.core.$ZodOptional)._zod.def.innerType;
  }
  return current;
}

/** A value as messages show it: short, in backquotes, with its type where that is the point. */
export function describe(value: Json): string {
  if (value === null) return 'nothing';
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  if (typeof value === 'object') return 'a map';
  if (typeof value !== 'string') return `\`${value}\` (${typeof value})`;
  if (value === '') return 'an empty text';
  // In quotes it is none of what it looks like.
  return /^(?:-?[0-9]+(?:\.[0-9]+)?|true|false|null)$/.test(value)
    ? `the text \`${brief(value)}\``
    : `\`${brief(value)}\``;
}

function brief(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  return line.length > 40 ? `${line.slice(0, 39)}…` : line;
}
