import type { Json } from '../../plan/values/json.js';
import { describe, OTHER_WORDS } from './check.js';
import { didYouMean, meansPerhaps, nearest } from '../problems/did-you-mean.js';
import type { Node } from './node.js';
import { memberOf } from './node.js';
import type { Place, Report } from '../problems/problem.js';
import { checkLimits } from './schema-limits.js';
import { checkReference } from './schema-references.js';

const TYPES = ['string', 'number', 'integer', 'boolean', 'array', 'object', 'null'];
/** Keywords by the shape of their value. */
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
  text: {
    keys: ['title', 'description', '$comment', 'format', 'contentMediaType', 'contentEncoding'],
    expected: 'a text',
    is: (value) => typeof value === 'string',
  },
  anchor: {
    keys: ['$anchor', '$dynamicAnchor'],
    expected: 'a name',
    is: (value) => typeof value === 'string' && /^[A-Za-z_][-A-Za-z0-9._]*$/.test(value),
  },
  examples: { keys: ['examples'], expected: 'a list of values', is: (value) => Array.isArray(value) },
  flag: {
    keys: ['uniqueItems', 'readOnly', 'writeOnly', 'deprecated', 'nullable'],
    expected: 'true or false',
    is: (value) => typeof value === 'boolean',
  },
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
const ONE = [
  'items',
  'additionalProperties',
  'not',
  'if',
  'then',
  'else',
  'contains',
  'propertyNames',
  'unevaluatedItems',
  'unevaluatedProperties',
  'contentSchema',
];
const LISTS = ['allOf', 'anyOf', 'oneOf', 'prefixItems'];
const MAPS = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'];

/** Other keywords, those of OpenAPI too, and what stands in their place where somebody writes a shorter one. */
const OTHERS = ['$ref', '$id', '$schema', 'type', 'const', 'default', 'dependentRequired', 'example', 'discriminator'];
const WORDS = new Map([
  ['min', 'minimum'],
  ['max', 'maximum'],
]);
const KEYWORDS = [...Object.values(SHAPES).flatMap(({ keys }) => keys), ...ONE, ...LISTS, ...MAPS, ...OTHERS];
/** A key that is like one of these may be a note of somebody's own. */
const SHORT = new Set(['not', 'if', 'then', 'else']);
const MEANT_KEYWORDS = KEYWORDS.filter((key) => !SHORT.has(key));

/** Reports what would make a JSON Schema useless at run time; `root` is the whole of which it is a part. */
export function checkJsonSchema(node: Node, report: Report, root: Node = node): void {
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
  for (const [key, { key: at, node: value }] of node.members) {
    if (key === '$ref') checkReference(value, root, report);
    else if (key === 'type') checkType(value, report);
    else if (ONE.includes(key)) checkJsonSchema(value, report, root);
    else if (LISTS.includes(key)) checkList(key, value, root, report);
    else if (MAPS.includes(key)) checkMap(key, value, root, report);
    else if (key === 'nullable' && memberOf(node, 'type') === null) checkNullable(at, report);
    else if (key === 'dependentRequired') checkDependents(value, report);
    else if (KEYWORDS.includes(key)) checkShape(key, value, report);
    else checkOther(key, { node, at }, report);
  }
  checkLimits(node, report);
}

/** A key that no JSON Schema has may be a note; one that nearly is a keyword is a slip, and nothing is held to it. */
function checkOther(key: string, { node, at }: { node: Node; at: Place }, report: Report): void {
  if (key === 'id') {
    report({ code: 'invalid-schema', at, message: '`id` is a keyword of older drafts.', suggestion: 'take it out' });
    return;
  }
  const free = MEANT_KEYWORDS.filter((keyword) => memberOf(node, keyword) === null);
  const meant = WORDS.get(key) ?? nearest(key, free);
  if (meant === null || !free.includes(meant)) return;
  report({
    code: 'unknown-key',
    severity: 'warning',
    at,
    message: `JSON Schema has no \`${key}\`: nothing is held to it.`,
    suggestion: meansPerhaps(meant),
    // In its quotes a key stays a key.
    ...(at.source.text.slice(at.start, at.end) === key ? { fix: { at, text: meant } } : {}),
  });
}

function checkNullable(at: Place, report: Report): void {
  report({ code: 'invalid-schema', at, message: 'Expected `type` beside `nullable`.' });
}

function checkDependents(node: Node, report: Report): void {
  if (node.members === null)
    report({
      code: 'invalid-schema',
      at: node,
      message: `Expected \`dependentRequired\` to be a map from names to lists of names, got ${describe(node.value)}.`,
    });
  for (const { node: names } of node.members?.values() ?? []) checkShape('required', names, report);
}

function checkList(key: string, { items, ...place }: Node, root: Node, report: Report): void {
  if (items === null || items.length === 0)
    report({
      code: 'invalid-schema',
      at: place,
      message: `Expected \`${key}\` to be a list of JSON Schemas, got ${describe(place.value)}.`,
    });
  for (const item of items ?? []) checkJsonSchema(item, report, root);
}

function checkMap(key: string, { members, ...place }: Node, root: Node, report: Report): void {
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
    checkJsonSchema(node, report, root);
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
