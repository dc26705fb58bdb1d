import { didYouMean } from './nearest.js';
import type { Node } from './node.js';
import type { Report } from './problem.js';

const TYPES = ['string', 'number', 'integer', 'boolean', 'array', 'object', 'null'];
/** Keywords whose value is one schema, a list of schemas, or a map of schemas. */
const ONE = ['items', 'additionalProperties', 'not', 'if', 'then', 'else', 'contains', 'propertyNames'];
const LISTS = ['allOf', 'anyOf', 'oneOf', 'prefixItems'];
const MAPS = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'];

/** Reports what would make a JSON Schema useless at run time: unknown types, and references out of the file (S51). */
export function checkJsonSchema(node: Node, report: Report): void {
  if (typeof node.value === 'boolean') return;
  if (node.members === null) {
    report({ code: 'invalid-schema', at: node, message: 'Expected a JSON Schema: a map, true or false.' });
    return;
  }
  for (const [key, { node: value }] of node.members) {
    if (key === '$ref') checkReference(value, report);
    else if (key === 'type') checkType(value, report);
    else if (ONE.includes(key)) checkJsonSchema(value, report);
    else if (LISTS.includes(key)) for (const item of value.items ?? []) checkJsonSchema(item, report);
    else if (MAPS.includes(key)) for (const { node: member } of value.members?.values() ?? []) checkJsonSchema(member, report);
  }
}

function checkReference(node: Node, report: Report): void {
  if (typeof node.value === 'string' && node.value.startsWith('#')) return;
  report({ code: 'invalid-schema', at: node, message: 'Expected a reference into this schema (`#/…`), got another place.' });
}

function checkType(node: Node, report: Report): void {
  for (const item of node.items ?? [node]) {
    if (TYPES.includes(String(item.value))) continue;
    report({ code: 'invalid-schema', at: item, message: `Expected one of ${TYPES.join(', ')}, got \`${String(item.value)}\`.`, suggestion: didYouMean(String(item.value), TYPES) });
  }
}
