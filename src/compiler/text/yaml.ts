import type { Node as YamlNode, Scalar } from 'yaml';
import { isAlias, isMap, isScalar, isSeq } from 'yaml';
import type { Json, JsonObject } from '../../plan/values/json.js';
import { foreignDocument, foreignFile } from './foreign-formats.js';
import type { Member, Node } from './node.js';
import { MAX_DEPTH, TOO_DEEP, startOf } from './node.js';
import type { Finding, Place, ProblemCode, Report } from '../problems/problem.js';
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
 * reliable. Keys that are written twice or may not be used are reported, and left out. Of a file of another tool only
 * that is said, unless it is not to be `named`.
 */
export function parseYaml({ source, start, end }: YamlText, report: Report, named = true): Node | null {
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
  const placeOf = (first: number, last: number): Place => ({
    ...{ source, path: '' },
    start: start + first,
    end: start + last,
  });
  const findings: Finding[] = yamlFaults(document, text).map(({ fix = null, ...fault }) => ({
    ...fault,
    at: placeOf(fault.start, fault.end),
    fix: fix && { at: placeOf(fix.start, fix.end), text: fix.text },
  }));
  const { contents } = document;
  if (contents !== null && !(isScalar(contents) && contents.value === null))
    return readContents(contents, { source, start, findings, named }, report);
  const at = { source, path: '', start, end: start + 1 };
  if (findings.length === 0) report({ code: 'empty-file', at, message: 'Expected a definition, got nothing.' });
  findings.forEach(report);
  return null;
}

/** What stands in a document with these faults; of another tool's file only that is said. */
function readContents(
  contents: YamlNode,
  { source, start, findings, named }: { source: Source; start: number; findings: Finding[]; named: boolean },
  report: Report,
): Node | null {
  const faults = findings.length;
  const walk = createWalk({
    place: (from, end, path) => ({ source, path, start: start + from, end: start + end }),
    report: (finding) => findings.push(finding),
  });
  const node = walk.read(contents);
  const [first] = findings;
  if (first === undefined) return node;
  // What another tool's file may have, and ours may not, is no fault of it.
  const name = named && SHAPED.has(first.code) ? foreignDocument(node.value) : null;
  if (name !== null) report(foreignFile(name, startOf(node)));
  else (faults > 0 ? findings.slice(0, faults) : findings).forEach(report);
  return name !== null || faults > 0 || walk.isBroken() ? null : node;
}

/** Faults of a document whose shape can be seen all the same. */
const SHAPED: ReadonlySet<string> = new Set([
  'multiple-documents',
  'yaml-alias',
  'forbidden-key',
  'duplicate-key',
  'unsafe-number',
]);

/** The library's document of a text in its pieces. */
export function parse(pieces: Parameters<typeof parseLexemes>[0]): ReturnType<typeof parseLexemes> {
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

/** The place of a stretch of a parsed text, from its offsets in that text, and what it is in the document. */
export type PlaceIn = (start: number, end: number, path: string) => Place;

/** Where a walk begins, and where it tells what it finds. */
export interface Walk {
  place: PlaceIn;
  report: Report;
  /** What the node is in the document, and how deep it stands in it. */
  path?: string;
  depth?: number;
}

/** A YAML node as ours; null where something in it is unfit for JSON. */
export function walkYaml(yaml: YamlNode, options: Walk): Node | null {
  const walk = createWalk(options);
  const node = walk.read(yaml);
  return walk.isBroken() ? null : node;
}

/** Tells a fault that leaves no value; `text` is what to write in its place. */
type Fail = (code: ProblemCode, at: Place, message: string, mend?: { suggestion: string; text: string | null }) => void;

/** An anchor and what stands behind it on its line. */
const ANCHOR = /(?:^|[:,[{-])[ \t]*&([^\s,[\]{}]+)(?![^\s,[\]{}])[ \t]*([^\r\n]*)/gm;
/** Aliases of a document for which their anchors are looked up: each time all above is read. */
const MOST_LOOKED_UP = 100;

/**
 * What an alias stands for, as it is written at the one line of its anchor, the last one above it; a name without an
 * anchor is a text that lacks its quotes. Null where that takes more lines.
 */
function writtenOut({ source: { text }, start, end }: Place): string | null {
  const name = text.slice(start + 1, end);
  const above = [...text.slice(0, start).matchAll(ANCHOR)].filter(([, anchor]) => anchor === name);
  const value = above.at(-1)?.[2];
  if (value === undefined) return `"*${name}"`;
  return /^(?:\[[^[\]{}]*\]|[\w./-]+|"[^"\\]*"|'[^']*')[ \t]*$/.test(value) ? value.trimEnd() : null;
}

/** Turns YAML nodes into ours, top down, and checks what makes a value unfit for JSON. */
function createWalk({ place: placeIn, report, path: begin = '', depth: top = 0 }: Walk): {
  read: (yaml: YamlNode) => Node;
  isBroken: () => boolean;
} {
  let broken = false;
  let aliases = 0;

  /** A fault that leaves the document its shape, so that all else in it can be looked at. */
  const tell = (code: ProblemCode, at: Place, message: string): void => report({ code, at, message });
  const fail: Fail = (code, at, message, mend): void => {
    broken = true;
    const text = mend?.text ?? null;
    report({ code, at, message, suggestion: mend?.suggestion ?? null, fix: text === null ? null : { at, text } });
  };

  const place = (yaml: YamlNode, path: string): Place => {
    const [start, end] = yaml.range ?? [0, 0];
    return placeIn(start, end, path);
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
      fail('yaml-alias', at, 'Aliases are not expanded.', {
        suggestion: 'write the value out; a text that begins with `*` stands in quotes',
        text: ++aliases > MOST_LOOKED_UP ? null : writtenOut(at),
      });
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

  return { read: (yaml) => walk(yaml, begin, top, place(yaml, begin)), isBroken: () => broken };
}

function toJson(yaml: Scalar, at: Place, fail: Fail): Json {
  const { value } = yaml;
  if (typeof value === 'number') {
    const safe = Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));
    if (!Number.isFinite(value))
      fail('unsafe-number', at, 'Expected a number that JSON has.', {
        suggestion: 'a limit that there is not is left out',
        text: null,
      });
    else if (!safe)
      fail('unsafe-number', at, 'Expected a number that JSON carries exactly.', {
        suggestion: 'put it in quotes to keep it as text',
        text: `"${at.source.text.slice(at.start, at.end)}"`,
      });
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
