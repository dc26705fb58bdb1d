import type { z } from 'zod';
import type { Json } from '../plan/json.js';
import { didYouMean } from './nearest.js';
import type { Node } from './node.js';
import { keyOf, memberOf, nodeAt, startOf } from './node.js';
import type { ProblemCode, Report } from './problem.js';

/** How a document is held against its schema. */
export interface Check {
  report: Report;
  /** Keys of the language that this version does not run. */
  unsupported?: ReadonlySet<string>;
  /** Words of other tools, and what they are called here. */
  words?: Readonly<Record<string, string>>;
  /** Keys whose values are secrets, and are in no message. */
  secrets?: ReadonlySet<string>;
  /** Files of other tools may have more keys than we read. */
  unknownKeys?: 'error' | 'warning';
}

type Issue = z.core.$ZodIssue;

/** The value as its schema types it; null when it has faults, all of which are reported where they are. */
export function check<T>(schema: z.ZodType<T>, node: Node, options: Check): T | null {
  const result = schema.safeParse(node.value);
  if (result.success) return result.data;
  for (const issue of result.error.issues) reportIssue(issue, { schema, root: node, options });
  if (options.unknownKeys !== 'warning') return null;
  return check(schema, withoutUnknown(node, result.error.issues), { ...options, unknownKeys: 'error' });
}

/** The same node without the keys of it that the schema does not know. */
function withoutUnknown(node: Node, issues: Issue[]): Node {
  const unknown = new Set(issues.flatMap((issue) => (issue.code === 'unrecognized_keys' && issue.path.length === 0 ? issue.keys : [])));
  const members = new Map([...(node.members ?? [])].filter(([key]) => !unknown.has(key)));
  return { ...node, members, value: Object.fromEntries([...members].map(([key, member]) => [key, member.node.value])) };
}

interface Checked {
  schema: z.core.$ZodType;
  root: Node;
  options: Check;
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
  const code: ProblemCode = issue.code === 'invalid_format' && /^an? (name|id):/.test(issue.message) ? 'invalid-name' : 'invalid-value';
  const found = options.secrets?.has(String(last)) ? 'another value' : describe(node.value);
  report({ code, at: node, message: `Expected ${expectation(issue)}, got ${found}.`, suggestion: mend(issue, node.value) });
}

function expectation(issue: Issue): string {
  return issue.message.startsWith('Invalid input: expected ') ? `a ${issue.message.slice('Invalid input: expected '.length).split(',')[0]}` : issue.message;
}

function mend(issue: Issue, value: Json): string | null {
  if (issue.code === 'invalid_value') return didYouMean(String(value), issue.values.map(String));
  if (typeof value === 'number' && issue.message.startsWith('a duration')) return `write \`${value}s\` or \`${value}m\``;
  return null;
}

function reportUnknownKey(key: string, node: Node, known: string[], { report, unsupported, words, unknownKeys }: Check): void {
  const at = keyOf(node, key);
  if (unsupported?.has(key)) {
    report({ code: 'unsupported-key', at, message: `This version does not run \`${key}\` yet.` });
    return;
  }
  const word = words !== undefined && Object.hasOwn(words, key) ? words[key] : undefined;
  const suggestion = word === undefined ? didYouMean(key, known) : `it is called \`${word}\` here`;
  report({ code: 'unknown-key', at, message: `There is no key \`${brief(key)}\` here.`, suggestion, severity: unknownKeys ?? 'error' });
}

/** The keys that the schema has at a path; none where it takes any. */
function knownKeys(schema: z.core.$ZodType, path: readonly PropertyKey[]): string[] {
  let current = unwrap(schema);
  for (const segment of path) current = unwrap(below(current, segment));
  return current?._zod.def.type === 'object' ? Object.keys((current as z.core.$ZodObject)._zod.def.shape) : [];
}

function below(schema: z.core.$ZodType | undefined, segment: PropertyKey): z.core.$ZodType | undefined {
  switch (schema?._zod.def.type) {
    case 'object':
      return (schema as z.core.$ZodObject)._zod.def.shape[String(segment)];
    case 'array':
      return (schema as z.core.$ZodArray)._zod.def.element;
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
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'a map';
  return typeof value === 'string' ? `\`${brief(value)}\`` : `\`${value}\` (${typeof value})`;
}

function brief(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  return line.length > 40 ? `${line.slice(0, 39)}…` : line;
}
