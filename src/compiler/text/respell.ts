import type { z } from 'zod';
import { nearest, meansPerhaps } from '../problems/did-you-mean.js';
import type { Check, Issue } from './check.js';
import { issuesOf, knownKeys } from './check.js';
import type { Node } from './node.js';
import { keyOf, memberOf, nodeAt, withItems, withMembers } from './node.js';

/** More slips than this in one map or document are no slips. */
const MOST = 20;

/** A schema, and what else is known of the keys of a format. */
export type Spelling = { schema: z.ZodType } & Omit<Check, 'report'>;

/** A key that is nearly one of the language, which is not there beside it. */
interface Slip {
  path: readonly PropertyKey[];
  key: string;
  meant: string;
}

/**
 * A document whose misspelled keys have the names that were meant. Each is reported once, as an error; what follows
 * from it, a key that must be there say, is not. Where unknown keys are warnings, only those are meant that lack.
 */
export function respelled(schema: z.ZodType, node: Node, options: Check): Node {
  let current = node;
  for (let count = 0; count < MOST; count++) {
    const slip = firstSlip(schema, current, options);
    if (slip === null) return current;
    report(slip, current, options);
    current = renamed(current, slip.path, slip);
  }
  return current;
}

function report({ path, key, meant }: Slip, root: Node, options: Check): void {
  options.report({
    code: 'unknown-key',
    at: keyOf(nodeAt(root, path), key),
    message: `There is no key \`${key}\` here.`,
    suggestion: meansPerhaps(meant),
  });
}

function firstSlip(schema: z.ZodType, node: Node, options: Check): Slip | null {
  const result = schema.safeParse(node.value);
  if (result.success) return null;
  const issues = issuesOf(result.error);
  const lacks = (path: readonly PropertyKey[], key: string): boolean =>
    issues.some((issue) => samePath(issue.path, [...path, key]));
  for (const { path, key, parent } of unknownIn(issues, node)) {
    if (options.unsupported?.has(key) || Object.hasOwn(options.words ?? {}, key)) continue;
    const absent = knownKeys(schema, path).filter((known) => memberOf(parent, known) === null);
    const meant = nearest(key, absent);
    if (meant !== null && (options.unknownKeys !== 'warning' || options.wanted?.has(meant) || lacks(path, meant)))
      return { path, key, meant };
  }
  return null;
}

function* unknownIn(issues: Issue[], root: Node): Generator<{ path: PropertyKey[]; key: string; parent: Node }> {
  for (const issue of issues) {
    if (issue.code !== 'unrecognized_keys') continue;
    const parent = nodeAt(root, issue.path);
    for (const key of issue.keys) if (memberOf(parent, key) !== null) yield { path: issue.path, key, parent };
  }
}

function samePath(a: readonly PropertyKey[], b: readonly PropertyKey[]): boolean {
  return a.length === b.length && a.every((segment, index) => segment === b[index]);
}

/** A map with one of its keys, or one of those below a path, under the name that was meant. */
export function renamed(node: Node, path: readonly PropertyKey[], { key, meant }: Pick<Slip, 'key' | 'meant'>): Node {
  const [segment, ...rest] = path;
  if (typeof segment === 'number' && node.items !== null)
    return withItems(
      node,
      node.items.map((item, index) => (index === segment ? renamed(item, rest, { key, meant }) : item)),
    );
  const members = [...(node.members ?? [])].map(([name, member]) => {
    if (segment === undefined) return [name === key ? meant : name, member] as const;
    return [name, name === segment ? { ...member, node: renamed(member.node, rest, { key, meant }) } : member] as const;
  });
  return withMembers(node, members);
}
