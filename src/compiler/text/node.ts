import type { Json } from '../../plan/values/json.js';
import type { Place } from '../problems/problem.js';
import type { ScalarStyle } from './scalar-offsets.js';
import { createOffsets } from './scalar-offsets.js';

/** Levels of a document, in every format. */
export const MAX_DEPTH = 64;
export const TOO_DEEP = `Expected at most ${MAX_DEPTH} levels, got more.`;

/** A value of a document, with the place where it is written. */
export interface Node extends Place {
  value: Json;
  members: Map<string, Member> | null;
  items: Node[] | null;
  /** How a text is written; null for everything else. */
  style: ScalarStyle | null;
}

/** A key of a map and its value. */
export interface Member {
  key: Place;
  node: Node;
}

/** Where the value of a key is, if the key is written. */
export function memberOf(node: Node, key: string): Node | null {
  return node.members?.get(key)?.node ?? null;
}

/** A map with these members in place of its own: its value is theirs. */
export function withMembers(node: Node, entries: Iterable<readonly [string, Member]>): Node {
  const members = new Map(entries);
  return { ...node, members, value: Object.fromEntries([...members].map(([key, member]) => [key, member.node.value])) };
}

/** A list with these items in place of its own: its value is theirs. */
export function withItems(node: Node, items: Node[]): Node {
  return { ...node, items, value: items.map(({ value }) => value) };
}

/** A map without one of its keys. */
export function without(node: Node, omitted: string | null): Node {
  if (omitted === null || memberOf(node, omitted) === null) return node;
  return withoutPaths(node, [[omitted]]);
}

/** A map or a list without what stands at some paths. */
export function withoutPaths(node: Node, paths: (readonly PropertyKey[])[]): Node {
  const below = new Map<PropertyKey | undefined, (readonly PropertyKey[])[]>();
  for (const [first, ...rest] of paths) {
    const known = below.get(first);
    if (known === undefined) below.set(first, [rest]);
    else known.push(rest);
  }
  const keep = (child: Node, segment: PropertyKey): Node[] => {
    const inside = below.get(segment) ?? [];
    if (inside.some((path) => path.length === 0)) return [];
    return [inside.length === 0 ? child : withoutPaths(child, inside)];
  };
  if (node.items !== null) return withItems(node, node.items.flatMap(keep));
  const kept = [...(node.members ?? [])].flatMap(([key, member]) =>
    keep(member.node, key).map((child) => [key, { ...member, node: child }] as const),
  );
  return withMembers(node, kept);
}

/** Where a key itself is written; the whole map when it is not. */
export function keyOf(node: Node, key: string): Place {
  return node.members?.get(key)?.key ?? startOf(node);
}

/** The first line of a map or list: what a caret under a whole block would look like otherwise. */
export function startOf(node: Node): Place {
  const first = node.members?.values().next().value?.key ?? node.items?.[0];
  if (first === undefined) return node;
  return { source: first.source, path: node.path, start: first.start, end: first.end };
}

/** The node at a path, or the nearest one above it that exists. */
export function nodeAt(root: Node, path: readonly PropertyKey[]): Node {
  let node = root;
  for (const segment of path) {
    const next = typeof segment === 'number' ? node.items?.[segment] : memberOf(node, String(segment));
    if (!next) return node;
    node = next;
  }
  return node;
}

/**
 * Finds where characters of a text stand in its source, which differs from the text in quotes, escapes, folds and
 * indentation. The alignment is made once, when the first problem asks for it.
 */
export function placesIn(node: Node): (start: number, length: number) => Place {
  let offsets: ((index: number) => number) | null = null;
  return (start, length) => {
    offsets ??= createOffsets(String(node.value), node.source.text.slice(node.start, node.end), node.style ?? 'plain');
    const first = node.start + offsets(start);
    const last = node.start + offsets(start + Math.max(length, 1) - 1);
    return { source: node.source, path: node.path, start: first, end: Math.max(first, last) + 1 };
  };
}
