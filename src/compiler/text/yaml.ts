import type { Node as YamlNode, Scalar } from 'yaml';
import { isAlias, isMap, isScalar, isSeq } from 'yaml';
import type { Json, JsonObject } from '../../plan/values/json.js';
import { foreignDocument } from './foreign-formats.js';
import type { Member, Node } from './node.js';
import { MAX_DEPTH, TOO_DEEP, startOf } from './node.js';
import type { Place, ProblemCode, Report } from '../problems/problem.js';
import type { ScalarStyle } from './scalar-offsets.js';
import type { Source } from '../problems/source.js';
import { yamlFaults } from './yaml-faults.js';
import { lexYaml, parseLexemes } from './yaml-lexemes.js';

export const FORBIDDEN_KEYS = new Set(['<<', '__proto__', 'constructor', 'prototype']);

/** A stretch of a source that is YAML: the whole file, or a front matter. */
export interface YamlText {
  source: Source;
  start: number;
  end: number;
}

/**
 * Parses YAML of the core schema into JSON values with positions. Null when what stands in the document means nothing
 * reliable. Keys that are written twice or may not be used are reported, and left out.
 */
export function parseYaml({ source, start, end }: YamlText, report: Report): Node | null {
  const text = source.text.slice(start, end);
  const { lexemes, deepAt } = lexYaml(text);
  if (deepAt !== null) {
    report({
      code: 'too-deep',
      at: { source, path: '', start: start + deepAt, end: start + deepAt + 1 },
      message: TOO_DEEP,
    });
    return null;
  }
  const document = parse({ lexemes, text });
  const faults = yamlFaults(document, text);
  const foreign = faults[0]?.code === 'multiple-documents' ? foreignFirst(document, source, start) : null;
  if (foreign !== null) {
    report({
      code: 'foreign-file',
      at: foreign.at,
      message: `This seems to be ${foreign.name}, which Perdure does not run.`,
    });
    return null;
  }
  for (const fault of faults)
    report({ ...fault, at: { source, path: '', start: start + fault.start, end: start + fault.end } });
  if (faults.length > 0) return null;
  const whole: Place = { source, path: '', start, end };
  if (document.contents === null || (isScalar(document.contents) && document.contents.value === null)) {
    report({ code: 'empty-file', at: { ...whole, end: start + 1 }, message: 'Expected a definition, got nothing.' });
    return null;
  }
  return createWalk(source, start, report)(document.contents);
}

function parse(pieces: Parameters<typeof parseLexemes>[0]): ReturnType<typeof parseLexemes> {
  // Stack traces of syntax errors are most of the time that a hostile text takes (measured: 3.6 s of 4.0 s).
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    // `uniqueKeys` compares every key with every other; the walk below finds duplicates in linear time.
    return parseLexemes(pieces, {
      schema: 'core',
      stringKeys: true,
      uniqueKeys: false,
      strict: true,
      logLevel: 'error',
    });
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** What the first of several documents seems to be, and where it begins; null where nothing says so. */
function foreignFirst(
  document: ReturnType<typeof parse>,
  source: Source,
  start: number,
): { name: string; at: Place } | null {
  const node = document.contents === null ? null : createWalk(source, start, () => undefined)(document.contents);
  const name = node === null ? null : foreignDocument(node.value);
  return node === null || name === null ? null : { name, at: startOf(node) };
}

/** Turns YAML nodes into ours, top down, and checks what makes a value unfit for JSON. */
function createWalk(source: Source, base: number, report: Report): (yaml: YamlNode) => Node | null {
  let broken = false;

  /** A fault that leaves the document its shape, so that all else in it can be looked at. */
  const tell = (code: ProblemCode, at: Place, message: string): void => report({ code, at, message });
  const fail = (code: ProblemCode, at: Place, message: string, suggestion?: string): void => {
    broken = true;
    report({ code, at, message, suggestion: suggestion ?? null });
  };

  const place = (yaml: YamlNode, path: string): Place => {
    const [start, end] = yaml.range ?? [0, 0];
    return { source, path, start: base + start, end: base + end };
  };

  const walk = (yaml: YamlNode | null, path: string, depth: number, empty: Place): Node => {
    const at = yaml === null ? empty : place(yaml, path);
    const leaf = (value: Json, style: ScalarStyle | null = null): Node => ({
      ...at,
      value,
      members: null,
      items: null,
      style,
    });
    if (depth > MAX_DEPTH) {
      fail('too-deep', at, TOO_DEEP);
      return leaf(null);
    }
    if (isScalar(yaml)) return leaf(toJson(yaml, at, fail), styleOf(yaml));
    if (isSeq(yaml)) {
      const items = yaml.items.map((item, index) => walk(item as YamlNode, `${path}[${index}]`, depth + 1, at));
      return { ...at, value: items.map(({ value }) => value), members: null, items, style: null };
    }
    if (isMap(yaml)) {
      const members = new Map<string, Member>();
      for (const pair of yaml.items) {
        const member = walkPair(pair.key as Scalar<string>, pair.value as YamlNode | null, path, depth);
        if (FORBIDDEN_KEYS.has(member.name))
          tell('forbidden-key', member.key, `The key \`${member.name}\` may not be used.`);
        else if (members.has(member.name))
          tell('duplicate-key', member.key, `The key \`${member.name}\` is written twice in one map.`);
        else members.set(member.name, member);
      }
      const value: JsonObject = Object.fromEntries([...members].map(([name, { node }]) => [name, node.value]));
      return { ...at, value, members, items: null, style: null };
    }
    if (isAlias(yaml))
      fail(
        'yaml-alias',
        at,
        'Aliases are not expanded.',
        'write the value out; a text that begins with `*` stands in quotes',
      );
    return leaf(null);
  };

  const walkPair = (
    key: Scalar<string>,
    value: YamlNode | null,
    path: string,
    depth: number,
  ): Member & { name: string } => {
    const name = String(key.value);
    const inner = path === '' ? name : `${path}.${name}`;
    const at = place(key, inner);
    return { name, key: at, node: walk(value, inner, depth + 1, at) };
  };

  return (yaml) => {
    const node = walk(yaml, '', 0, place(yaml, ''));
    return broken ? null : node;
  };
}

function toJson(
  yaml: Scalar,
  at: Place,
  fail: (code: ProblemCode, at: Place, message: string, suggestion?: string) => void,
): Json {
  const { value } = yaml;
  if (typeof value === 'number') {
    const safe = Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));
    if (!safe)
      fail('unsafe-number', at, 'Expected a number that JSON carries exactly.', 'put it in quotes to keep it as text');
    return safe ? value : null;
  }
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value;
  fail('invalid-yaml', at, 'Expected a text, a number, true, false or null.');
  return null;
}

function styleOf(yaml: Scalar): ScalarStyle | null {
  if (typeof yaml.value !== 'string') return null;
  switch (yaml.type) {
    case 'QUOTE_DOUBLE':
      return 'double';
    case 'QUOTE_SINGLE':
      return 'single';
    case 'BLOCK_LITERAL':
    case 'BLOCK_FOLDED':
      return 'block';
    default:
      return 'plain';
  }
}
