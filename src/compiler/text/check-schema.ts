import type { Json } from '../../plan/values/json.js';
import { describe, OTHER_WORDS } from './check.js';
import { didYouMean } from '../problems/did-you-mean.js';
import type { Node } from './node.js';
import type { Report } from '../problems/problem.js';

const TYPES = ['string', 'number', 'integer', 'boolean', 'array', 'object', 'null'];
/**
 * Keywords by the shape of their value: text, number, whole number from 0, true or false, list of texts, any list,
 * regular expression.
 */
const SHAPES: Record<string, { keys: string[]; expected: string; is: (value: Json) => boolean }> = {
  number: {
    keys: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'],
    expected: 'a number',
    is: (value) => typeof value === 'number',
  },
  factor: { keys: ['multipleOf'], expected: 'a number above 0', is: (value) => typeof value === 'number' && value > 0 },
  count: {
    keys: [
      'minLength',
      'maxLength',
      'minItems',
      'maxItems',
      'minProperties',
      'maxProperties',
      'minContains',
      'maxContains',
    ],
    expected: 'a whole number of at least 0',
    is: (value) => Number.isInteger(value) && Number(value) >= 0,
  },
  flag: { keys: ['uniqueItems'], expected: 'true or false', is: (value) => typeof value === 'boolean' },
  names: {
    keys: ['required'],
    expected: 'a list of names',
    is: (value) => Array.isArray(value) && value.every((name) => typeof name === 'string'),
  },
  values: {
    keys: ['enum'],
    expected: 'a list of at least one value',
    is: (value) => Array.isArray(value) && value.length > 0,
  },
  pattern: {
    keys: ['pattern'],
    expected: 'a regular expression',
    is: (value) => typeof value === 'string' && isPattern(value),
  },
};
/** Keywords whose value is one schema, a list of schemas, or a map of schemas. */
const ONE = ['items', 'additionalProperties', 'not', 'if', 'then', 'else', 'contains', 'propertyNames'];
const LISTS = ['allOf', 'anyOf', 'oneOf', 'prefixItems'];
const MAPS = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'];

/** Reports what would make a JSON Schema useless at run time: unknown types, and references out of the file. */
export function checkJsonSchema(node: Node, report: Report): void {
  if (typeof node.value === 'boolean') return;
  if (node.members === null) {
    report({
      code: 'invalid-schema',
      at: node,
      message: 'Expected a JSON Schema: a map, true or false.',
      suggestion: typeof node.value === 'string' ? didYouMean(node.value, ['true', 'false']) : null,
    });
    return;
  }
  for (const [key, { node: value }] of node.members) {
    if (key === '$ref') checkReference(value, report);
    else if (key === 'type') checkType(value, report);
    else if (ONE.includes(key)) checkJsonSchema(value, report);
    else if (LISTS.includes(key)) checkList(key, value, report);
    else if (MAPS.includes(key)) checkMap(key, value, report);
    else checkShape(key, value, report);
  }
}

function checkList(key: string, { items, ...place }: Node, report: Report): void {
  if (items === null || items.length === 0)
    report({
      code: 'invalid-schema',
      at: place,
      message: `Expected \`${key}\` to be a list of JSON Schemas, got ${describe(place.value)}.`,
    });
  for (const item of items ?? []) checkJsonSchema(item, report);
}

function checkMap(key: string, { members, ...place }: Node, report: Report): void {
  if (members === null)
    report({
      code: 'invalid-schema',
      at: place,
      message: `Expected \`${key}\` to be a map from names to JSON Schemas, got ${describe(place.value)}.`,
    });
  for (const [name, { key: at, node }] of members ?? []) {
    if (key === 'patternProperties' && !isPattern(name))
      report({
        code: 'invalid-schema',
        at,
        message: `Expected the names in \`${key}\` to be regular expressions, got ${describe(name)}.`,
      });
    checkJsonSchema(node, report);
  }
}

function checkShape(key: string, node: Node, report: Report): void {
  const shape = Object.values(SHAPES).find(({ keys }) => keys.includes(key));
  if (key === 'required') checkTwins(key, node.items ?? [], report);
  if (shape === undefined || shape.is(node.value)) return;
  report({
    code: 'invalid-schema',
    at: node,
    message: `Expected \`${key}\` to be ${shape.expected}, got ${describe(node.value)}.`,
    suggestion: key === 'required' && typeof node.value === 'string' ? `write [${node.value}]` : null,
  });
}

/** Tells whether a text is a regular expression as JSON Schema has them, and as they run: of ECMA-262, by Unicode. */
function isPattern(text: string): boolean {
  try {
    new RegExp(text, 'u');
    return true;
  } catch {
    return false;
  }
}

/** Reports each item that stands in a list a second time. */
function checkTwins(key: string, items: Node[], report: Report): void {
  const seen = new Set<Json>();
  for (const item of items) {
    if (seen.has(item.value))
      report({
        code: 'invalid-schema',
        at: item,
        message: `Expected each name in \`${key}\` once, got ${describe(item.value)} again.`,
      });
    seen.add(item.value);
  }
}

function checkReference(node: Node, report: Report): void {
  if (typeof node.value === 'string' && node.value.startsWith('#')) return;
  report({
    code: 'invalid-schema',
    at: node,
    message: 'Expected a reference into this schema (`#/…`), got another place.',
  });
}

const MEANT = new Map<string, string>([...OTHER_WORDS, ['list', 'array']]);

function typeHint(word: string): string | null {
  const other = MEANT.get(word);
  return other === undefined ? didYouMean(word, TYPES) : `write \`${other}\``;
}

function checkType(node: Node, report: Report): void {
  if (node.items?.length === 0)
    report({
      code: 'invalid-schema',
      at: node,
      message: `Expected one of ${TYPES.join(', ')}, got a list without any.`,
    });
  checkTwins('type', node.items ?? [], report);
  for (const item of node.items ?? [node]) {
    if (typeof item.value === 'string' && TYPES.includes(item.value)) continue;
    report({
      code: 'invalid-schema',
      at: item,
      message: `Expected one of ${TYPES.join(', ')}, got ${item.value === null ? '`null`' : describe(item.value)}.`,
      suggestion: item.value === null ? 'write `"null"`' : typeof item.value === 'string' ? typeHint(item.value) : null,
    });
  }
}
