import type { Node as YamlNode, ParsedNode, Scalar } from 'yaml';
import { isAlias, isMap, isScalar, isSeq, parseDocument } from 'yaml';
import type { Json, JsonObject } from '../plan/json.js';
import type { Member, Node } from './node.js';
import type { Place, ProblemCode, Report } from './problem.js';
import type { ScalarStyle } from './scalar-offsets.js';
import type { Source } from './source.js';
import { lineOf, positionAt } from './source.js';

const MAX_DEPTH = 64;
/** A text that is no YAML at all yields an error for each character; the first few say it all. */
const MAX_SYNTAX_PROBLEMS = 20;
export const FORBIDDEN_KEYS = new Set(['<<', '__proto__', 'constructor', 'prototype']);

/** A stretch of a source that is YAML: the whole file, or a front matter. */
export interface YamlText {
  source: Source;
  start: number;
  end: number;
}

/**
 * Parses YAML of the core schema into JSON values with positions. Null when there is a problem: what stands in a
 * broken document means nothing reliable.
 */
export function parseYaml({ source, start, end }: YamlText, report: Report): Node | null {
  const document = parse(source.text.slice(start, end));
  const faults = [...document.errors, ...document.warnings];
  const deep = faults.find(({ code }) => code === 'RESOURCE_EXHAUSTION');
  for (const { code, pos, message } of deep ? [deep] : faults.slice(0, MAX_SYNTAX_PROBLEMS)) {
    const at: Place = { source, path: '', start: start + pos[0], end: start + pos[1] };
    report({ code: faultCode(code), at, message: faultMessage(code, message), suggestion: hint(at) });
  }
  if (faults.length > 0) return null;
  const whole: Place = { source, path: '', start, end };
  if (document.contents === null || (isScalar(document.contents) && document.contents.value === null)) {
    report({ code: 'empty-file', at: { ...whole, end: start + 1 }, message: 'Expected a definition, got nothing.' });
    return null;
  }
  return createWalk(source, start, report)(document.contents);
}

function parse(text: string): ReturnType<typeof parseDocument<ParsedNode>> {
  // Stack traces of syntax errors are most of the time that a hostile text takes (measured: 3.6 s of 4.0 s).
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    // `uniqueKeys` compares every key with every other; the walk below finds duplicates in linear time.
    return parseDocument(text, { schema: 'core', stringKeys: true, uniqueKeys: false, prettyErrors: false, strict: true, logLevel: 'error' });
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

function faultCode(code: string): ProblemCode {
  if (code === 'MULTIPLE_DOCS') return 'multiple-documents';
  return code === 'RESOURCE_EXHAUSTION' ? 'too-deep' : 'invalid-yaml';
}

function faultMessage(code: string, message: string): string {
  switch (code) {
    case 'MULTIPLE_DOCS':
      return 'Expected one definition in the file, got a second document.';
    case 'NON_STRING_KEY':
      return 'Expected a text as key, got a list, a map or a tagged value.';
    case 'BLOCK_AS_IMPLICIT_KEY':
      return 'This text holds `: `, which starts a map inside it.';
    default:
      return `${message.replace(/: +"[^]*$/, '')}.`;
  }
}

/** YAML reads the brace of `${…}` as a map of its own where the text is not quoted. */
function hint(at: Place): string | null {
  const line = lineOf(at.source.text, at.source.lines, positionAt(at.source, at.start).line);
  return line.includes('${') ? 'put the text with `${…}` in quotes: "${…}"' : null;
}

/** Turns YAML nodes into ours, top down, and checks what makes a value unfit for JSON. */
function createWalk(source: Source, base: number, report: Report): (yaml: YamlNode) => Node | null {
  let broken = false;

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
    const leaf = (value: Json, style: ScalarStyle | null = null): Node => ({ ...at, value, members: null, items: null, style });
    if (depth > MAX_DEPTH) {
      fail('too-deep', at, `Expected at most ${MAX_DEPTH} levels, got more.`);
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
        if (members.has(member.name)) fail('duplicate-key', member.key, `The key \`${member.name}\` is written twice in one map.`);
        else members.set(member.name, member);
      }
      const value: JsonObject = Object.fromEntries([...members].map(([name, { node }]) => [name, node.value]));
      return { ...at, value, members, items: null, style: null };
    }
    if (isAlias(yaml)) fail('yaml-alias', at, 'Aliases are not expanded.', 'write the value out');
    return leaf(null);
  };

  const walkPair = (key: Scalar<string>, value: YamlNode | null, path: string, depth: number): Member & { name: string } => {
    const name = String(key.value);
    const inner = path === '' ? name : `${path}.${name}`;
    const at = place(key, inner);
    if (FORBIDDEN_KEYS.has(name)) fail('forbidden-key', at, `The key \`${name}\` may not be used.`);
    return { name, key: at, node: walk(value, inner, depth + 1, at) };
  };

  return (yaml) => {
    const node = walk(yaml, '', 0, place(yaml, ''));
    return broken ? null : node;
  };
}

function toJson(yaml: Scalar, at: Place, fail: (code: ProblemCode, at: Place, message: string, suggestion?: string) => void): Json {
  const { value } = yaml;
  if (typeof value === 'number') {
    const safe = Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));
    if (!safe) fail('unsafe-number', at, 'Expected a number that JSON carries exactly.', 'put it in quotes to keep it as text');
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
