import type { Expression } from '../../plan/values/expression.js';
import type { Node } from '../text/node.js';
import { placesIn } from '../text/node.js';
import type { Place } from '../problems/problem.js';
import type { Part } from '../expressions/template.js';

const REFERENCE = /\{\{\s*([A-Za-z_][A-Za-z0-9_]*)\s*\}\}/g;

/** What a chain's `{{name}}` stands for; null when it is unknown, which is reported. */
export type Lookup = (name: string, at: Place) => Expression | null;

/** Cuts a chain's text at its `{{name}}`, spaces allowed. Everything else is text, other braces too. */
export function parseChainText(node: Node, lookup: Lookup): Part[] {
  const text = String(node.value);
  const placeOf = placesIn(node);
  const parts: Part[] = [];
  let from = 0;
  for (const found of text.matchAll(REFERENCE)) {
    const [source, name = ''] = found;
    if (found.index > from) parts.push(text.slice(from, found.index));
    parts.push({ expression: lookup(name, placeOf(found.index, source.length)), source });
    from = found.index + source.length;
  }
  if (from < text.length || parts.length === 0) parts.push(text.slice(from));
  return parts;
}

/** Tells whether a text has any `{{name}}`. */
export function hasReference(text: string): boolean {
  return text.search(REFERENCE) !== -1;
}
