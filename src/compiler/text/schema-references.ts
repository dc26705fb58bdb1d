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
  const target = targetOf(node.value, root);
  if (target === null)
    report({ code: 'invalid-schema', at: node, message: `There is no \`${node.value}\` in this schema.` });
  else if (comesBack(target, node, root))
    report({
      code: 'invalid-schema',
      at: node,
      message: `\`${node.value}\` leads back to itself, and says nothing.`,
    });
}

/** What a reference means: the schema itself, one at a path in it, or one with that anchor. */
function targetOf(reference: string, root: Node): Node | null {
  const path = reference.slice(1);
  if (path === '') return root;
  if (!path.startsWith('/')) return anchored(decoded(path), root);
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

function anchored(name: string, node: Node): Node | null {
  if (ANCHORS.some((key) => memberOf(node, key)?.value === name)) return node;
  const below = [...(node.items ?? []), ...[...(node.members?.values() ?? [])].map((member) => member.node)];
  for (const one of below) {
    const found = anchored(name, one);
    if (found !== null) return found;
  }
  return null;
}

/** Tells whether references alone lead from a schema back to this reference. */
function comesBack(from: Node, reference: Node, root: Node): boolean {
  const seen = new Set<Node>();
  for (let node: Node | null = from; node !== null && !seen.has(node);) {
    seen.add(node);
    const next: Node | null = memberOf(node, '$ref');
    if (next === reference) return true;
    node = typeof next?.value === 'string' && next.value.startsWith('#') ? targetOf(next.value, root) : null;
  }
  return false;
}
