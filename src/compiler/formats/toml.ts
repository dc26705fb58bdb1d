import type { TomlValue } from 'smol-toml';
import { parse, TomlDate, TomlError } from 'smol-toml';
import type { Json, JsonObject } from '../../plan/values/json.js';
import type { Member, Node } from '../text/node.js';
import { MAX_DEPTH, TOO_DEEP } from '../text/node.js';
import type { Place, ProblemCode, Report } from '../problems/problem.js';
import type { Source } from '../problems/source.js';
import { FORBIDDEN_KEYS } from '../text/yaml.js';

/** Where a key and its value are written. */
interface Written {
  key: { start: number; end: number };
  value: { start: number; end: number };
}

/** Parses TOML 1.0 into JSON values with positions of keys and texts. Null when there is a problem. */
export function parseToml(source: Source, report: Report): Node | null {
  if (source.text.replace(/#.*$/gm, '').trim() === '') {
    report({
      code: 'empty-file',
      at: { source, path: '', start: 0, end: 1 },
      message: 'Expected a definition, got nothing.',
    });
    return null;
  }
  try {
    const value = parse(source.text, { integersAsBigInt: 'asNeeded', maxDepth: MAX_DEPTH });
    return toNode(value, source, report);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const start = (source.lines[error.line - 1] ?? 0) + error.column - 1;
    const open = /control characters/i.test(error.message.split('\n')[0] ?? '')
      ? openQuote(source, error.line - 1, start)
      : null;
    if (open !== null) {
      report({
        code: 'invalid-toml',
        at: open,
        message: `Expected \`${source.text[open.start] ?? ''}\` at the end of this text.`,
        suggestion: 'a text over several lines stands between `"""`',
        fix: isAlone(source, open) ? { at: { ...open, start: open.end }, text: source.text[open.start] ?? '' } : null,
      });
      return null;
    }
    const message = (error.message.split('\n')[0] ?? '').replace(/^Invalid TOML document: /, '');
    if (/nested/.test(message))
      report({ code: 'too-deep', at: { source, path: '', start, end: start + 1 }, message: TOO_DEEP });
    else
      report({
        code: 'invalid-toml',
        at: { source, path: '', start, end: start + 1 },
        message: `${message.charAt(0).toUpperCase()}${message.slice(1)}.`,
      });
    return null;
  }
}

/** Tells whether a text in quotes is all that a key is given: behind one in a list its bracket may be missing too. */
function isAlone(source: Source, { start }: Place): boolean {
  return /(?:^|\n)[\w.-]+[ \t]*=[ \t]*$/.test(source.text.slice(0, start));
}

/** The text in quotes that ends with its line; null when another character is meant. */
function openQuote(source: Source, line: number, end: number): Place | null {
  if (!/[\r\n]/.test(source.text[end] ?? '')) return null;
  const from = source.lines[line] ?? 0;
  const closed = /^(?:[^"']|"(?:[^"\\]|\\.)*"|'[^']*')*/.exec(source.text.slice(from, end))?.[0] ?? '';
  const start = from + closed.length;
  return start >= end ? null : { source, path: '', start, end };
}

function toNode(root: TomlValue, source: Source, report: Report): Node | null {
  const written = locate(source.text);
  let broken = false;

  const fail = (code: ProblemCode, at: Place, message: string): null => {
    broken = true;
    report({ code, at, message });
    return null;
  };

  const place = (path: string, range: { start: number; end: number } | undefined, above: Place): Place =>
    range === undefined ? { ...above, path } : { source, path, ...range };

  const walk = (value: TomlValue, path: string, at: Place): Node => {
    const leaf = (plain: Json): Node => ({
      ...at,
      value: plain,
      members: null,
      items: null,
      style: typeof plain === 'string' ? 'plain' : null,
    });
    if (typeof value === 'string' || typeof value === 'boolean') return leaf(value);
    if (typeof value === 'number' && Number.isFinite(value)) return leaf(value);
    if (typeof value === 'number' || typeof value === 'bigint')
      return leaf(fail('unsafe-number', at, 'Expected a number that JSON carries exactly.'));
    if (value instanceof TomlDate) return leaf(value.toISOString());
    if (Array.isArray(value)) {
      const items = value.map((item, index) => walk(item, `${path}[${index}]`, { ...at, path: `${path}[${index}]` }));
      return { ...at, value: items.map((item) => item.value), members: null, items, style: null };
    }
    const members = new Map<string, Member>();
    for (const [name, inner] of Object.entries(value)) {
      const below = path === '' ? name : `${path}.${name}`;
      const found = written.get(below);
      const key = place(below, found?.key, at);
      if (FORBIDDEN_KEYS.has(name)) fail('forbidden-key', key, `The key \`${name}\` may not be used.`);
      members.set(name, { key, node: walk(inner, below, place(below, found?.value, key)) });
    }
    const object: JsonObject = Object.fromEntries([...members].map(([name, member]) => [name, member.node.value]));
    return { ...at, value: object, members, items: null, style: null };
  };

  const node = walk(root, '', { source, path: '', start: 0, end: source.text.length });
  return broken ? null : node;
}

const NAME = `(?:[A-Za-z0-9_-]+|"[^"\\n]*"|'[^'\\n]*')`;
const DOTTED = `${NAME}(?:[ \\t]*\\.[ \\t]*${NAME})*`;
const HEADER = new RegExp(`^[ \\t]*\\[\\[?[ \\t]*(${DOTTED})[ \\t]*\\]`);
const ASSIGNMENT = new RegExp(`^([ \\t]*)(${DOTTED})[ \\t]*=[ \\t]*`);

/** The places of keys by their path, as far as they stand at the start of lines; of lists of tables the first one's. */
function locate(text: string): Map<string, Written> {
  const written = new Map<string, Written>();
  let table = '';
  for (let at = 0; at < text.length;) {
    const lineEnd = endOfLine(text, at);
    const line = text.slice(at, lineEnd);
    const header = HEADER.exec(line);
    const assignment = header === null ? ASSIGNMENT.exec(line) : null;
    if (header !== null) {
      table = pathOf(header[1] ?? '');
      const start = at + line.indexOf(header[1] ?? '');
      const range = { start, end: start + (header[1] ?? '').length };
      for (const path of prefixesOf(table)) if (!written.has(path)) written.set(path, { key: range, value: range });
    }
    if (assignment === null) {
      at = lineEnd + 1;
      continue;
    }
    const [whole, indent = '', key = ''] = assignment;
    const path = [table, pathOf(key)].filter((part) => part !== '').join('.');
    const { start, end, next } = valueAt(text, at + whole.length, lineEnd);
    const from = at + indent.length;
    if (!written.has(path)) written.set(path, { key: { start: from, end: from + key.length }, value: { start, end } });
    at = next;
  }
  return written;
}

/** A value's own text, without its quotes, and where the line after it begins. */
function valueAt(text: string, start: number, lineEnd: number): { start: number; end: number; next: number } {
  const quotes = /^(?:"""|''')\r?\n?/.exec(text.slice(start, start + 5))?.[0];
  if (quotes !== undefined) {
    const from = start + quotes.length;
    const close = text.indexOf(quotes.slice(0, 3), from);
    const end = close === -1 ? text.length : close;
    return { start: from, end, next: endOfLine(text, end) + 1 };
  }
  const quote = text[start];
  if (quote === '"' || quote === "'") {
    const close = text.indexOf(quote, start + 1);
    return { start: start + 1, end: close === -1 || close > lineEnd ? lineEnd : close, next: lineEnd + 1 };
  }
  return { start, end: start + text.slice(start, lineEnd).trimEnd().length, next: lineEnd + 1 };
}

/** `a`, `a.b`, `a.b.c`: a table's header makes those above it too. */
function prefixesOf(path: string): string[] {
  const names = path.split('.');
  return names.map((_, index) => names.slice(0, index + 1).join('.'));
}

function endOfLine(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end === -1 ? text.length : end;
}

function pathOf(dotted: string): string {
  return [...dotted.matchAll(new RegExp(NAME, 'g'))].map(([part]) => part.replace(/^["']|["']$/g, '')).join('.');
}
