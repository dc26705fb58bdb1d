import type { Report } from '../problems/problem.js';
import type { Node } from './node.js';
import { memberOf } from './node.js';

const ANCHORS = ['$anchor', '$dynamicAnchor'];

/** Reports a `$ref` that leads out of its schema, to nothing in it, or in a circle. `root` is the whole schema. */
export function checkReference(node: Node, root: Node, report: Report): void {
  if (typeof node.value !== 'string' || !node.value.startsWith('#')) {
    report({
      code: 'invalid-schema',
      at: node,
      message: 'Expected a reference into this schema (`#/…`), got another place.',
    });
    return;
  }
  const whole = knownOf(root);
  const target = targetOf(node.value, whole);
  if (target === null)
    report({ code: 'invalid-schema', at: node, message: `There is no \`${node.value}\` in this schema.` });
  else if (circles(target, whole))
    report({
      code: 'invalid-schema',
      at: node,
      message: `\`${node.value}\` leads back to itself, and says nothing.`,
    });
}

/** What is known of a whole schema, so that many references take no longer than it has parts. */
interface Known {
  root: Node;
  /** Its parts by their anchors. */
  anchors: Map<string, Node>;
  /** Parts from which no circle is left to be told. */
  told: Set<Node>;
}

const known = new WeakMap<Node, Known>();

function knownOf(root: Node): Known {
  const kept = known.get(root);
  if (kept !== undefined) return kept;
  const made = { root, anchors: new Map<string, Node>(), told: new Set<Node>() };
  addAnchors(root, made.anchors);
  known.set(root, made);
  return made;
}

/** What a reference means: the schema itself, one at a path in it, or one with that anchor. */
function targetOf(reference: string, { root, anchors }: Known): Node | null {
  const path = reference.slice(1);
  if (path === '') return root;
  if (!path.startsWith('/')) return anchors.get(decoded(path)) ?? null;
  let node: Node | null = root;
  for (const segment of path.slice(1).split('/')) {
    const name = decoded(segment).replaceAll('~1', '/').replaceAll('~0', '~');
    node = node.items === null ? memberOf(node, name) : (node.items[Number(name)] ?? null);
    if (node === null) return null;
  }
  return node.members === null && typeof node.value !== 'boolean' ? null : node;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function addAnchors(node: Node, anchors: Map<string, Node>): void {
  for (const key of ANCHORS) {
    const name = memberOf(node, key)?.value;
    if (typeof name === 'string' && !anchors.has(name)) anchors.set(name, node);
  }
  const below = [...(node.items ?? []), ...[...(node.members?.values() ?? [])].map((member) => member.node)];
  for (const one of below) addAnchors(one, anchors);
}

/** Keywords whose schemas hold for the same value: one, a list, or a map of schemas. */
const IN_PLACE = ['not', 'if', 'then', 'else', 'allOf', 'anyOf', 'oneOf', 'dependentSchemas'];

/**
 * Tells whether a schema leads back to itself, or to one that does, without coming to a part of the value. Each circle
 * is told once.
 */
function circles(from: Node, whole: Known): boolean {
  const open = new Set<Node>();
  const ahead: { node: Node; isDone?: true }[] = [{ node: from }];
  let found = false;
  for (let next = ahead.pop(); next !== undefined; next = ahead.pop()) {
    const { node, isDone } = next;
    if (isDone) {
      open.delete(node);
      whole.told.add(node);
    } else if (open.has(node)) found = true;
    else if (!whole.told.has(node)) {
      open.add(node);
      ahead.push({ node, isDone: true }, ...inPlace(node, whole).map((one) => ({ node: one })));
    }
  }
  return found;
}

/** The schemas that hold for the same value as this one does. */
function inPlace(schema: Node, whole: Known): Node[] {
  const parts = IN_PLACE.flatMap((key) => {
    const value = memberOf(schema, key);
    if (value === null) return [];
    if (key === 'dependentSchemas') return [...(value.members?.values() ?? [])].map((member) => member.node);
    return value.items ?? [value];
  });
  const reference = memberOf(schema, '$ref')?.value;
  const target = typeof reference === 'string' && reference.startsWith('#') ? targetOf(reference, whole) : null;
  return target === null ? parts : [...parts, target];
}
