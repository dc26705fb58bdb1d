import type { Fix } from '../problems/fix.js';
import type { Json, JsonObject } from '../../plan/values/json.js';
import type { Member, Node } from './node.js';
import { MAX_DEPTH, TOO_DEEP } from './node.js';
import { nearest, meansPerhaps } from '../problems/did-you-mean.js';
import type { Place, ProblemCode, Report } from '../problems/problem.js';
import type { Source } from '../problems/source.js';
import { FORBIDDEN_KEYS } from './yaml.js';
import { ownOf } from '../../plan/values/own.js';

const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const WORD = /[A-Za-z0-9_$+.-]+/y;
const SPACE = /[ \t\n\r]*/y;
/** Characters of a text up to what needs a look: its end, an escape, or what may not stand there. */
// eslint-disable-next-line no-control-regex -- control characters are what JSON does not allow
const PLAIN = /[^"\\\u0000-\u001f]+/y;
const ESCAPES: Record<string, string> = { '"': '"', '\\': '\\', '/': '/', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

/** The one syntax error that ends the reading: what stands behind it means nothing reliable. */
class JsonFault extends Error {
  readonly at: Place;
  readonly code: ProblemCode;
  readonly suggestion: string | null;
  readonly fix: Fix | null;

  constructor(
    at: Place,
    message: string,
    {
      code = 'invalid-json',
      suggestion = null,
      fix = null,
    }: Partial<Pick<JsonFault, 'code' | 'suggestion' | 'fix'>> = {},
  ) {
    super(message);
    this.at = at;
    this.code = code;
    this.suggestion = suggestion;
    this.fix = fix;
  }
}

/**
 * Parses JSON (RFC 8259) into values with positions, with the hardening of `yaml.ts`: keys written twice, keys that
 * mean something else, depth, numbers that would change. Null when there is a problem.
 */
export function parseJson(source: Source, report: Report): Node | null {
  if (source.text.trim() === '') {
    report({
      code: 'empty-file',
      at: { source, path: '', start: 0, end: 1 },
      message: 'Expected a definition, got nothing.',
    });
    return null;
  }
  const reader = new JsonReader(source, report);
  // Stack traces cost more than the reading (see `yaml.ts`).
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return reader.read();
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
    const { code, at, message, suggestion, fix } = error;
    report({ code, at, message, suggestion, fix });
    return null;
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** One pass over a text; a class because every method moves the same position. */
class JsonReader {
  private at = 0;
  private broken = false;
  private readonly source: Source;
  private readonly report: Report;

  constructor(source: Source, report: Report) {
    this.source = source;
    this.report = report;
  }

  read(): Node | null {
    this.skipSpace();
    const node = this.value('', 0);
    this.skipSpace();
    if (this.at < this.source.text.length)
      throw this.fault('Expected the end of the file', 'a file holds one definition');
    return this.broken ? null : node;
  }

  private value(path: string, depth: number): Node {
    const start = this.at;
    if (depth > MAX_DEPTH) throw new JsonFault(this.place(path, start, start + 1), TOO_DEEP, { code: 'too-deep' });
    switch (this.source.text[start]) {
      case '{':
        return this.map(path, depth);
      case '[':
        return this.list(path, depth);
      case '"':
        return this.node(path, start, { value: this.text(path), style: 'double' });
      default:
        return this.node(path, start, { value: this.scalar(path) });
    }
  }

  private map(path: string, depth: number): Node {
    const start = this.at++;
    const members = new Map<string, Member>();
    const value: JsonObject = {};
    this.skipSpace();
    while (!this.take('}')) {
      const { name, member } = this.member(path, depth);
      if (members.has(name)) this.fail('duplicate-key', member.key, `The key \`${name}\` is written twice in one map.`);
      else members.set(name, member);
      if (!FORBIDDEN_KEYS.has(name)) value[name] = member.node.value;
      this.separator('}', path);
    }
    return this.node(path, start, { value, members });
  }

  private member(path: string, depth: number): { name: string; member: Member } {
    const start = this.at;
    if (this.source.text[start] !== '"') throw this.fault('Expected a key in double quotes');
    const name = this.text(path);
    const inner = path === '' ? name : `${path}.${name}`;
    const key = this.place(inner, start, this.at);
    if (FORBIDDEN_KEYS.has(name)) this.fail('forbidden-key', key, `The key \`${name}\` may not be used.`);
    this.skipSpace();
    if (!this.take(':')) throw this.fault('Expected `:` after the key');
    this.skipSpace();
    return { name, member: { key, node: this.value(inner, depth + 1) } };
  }

  private list(path: string, depth: number): Node {
    const start = this.at++;
    const items: Node[] = [];
    this.skipSpace();
    while (!this.take(']')) {
      items.push(this.value(`${path}[${items.length}]`, depth + 1));
      this.separator(']', path);
    }
    return this.node(path, start, { value: items.map(({ value }) => value), items });
  }

  /** What stands between two members, or before the end. */
  private separator(end: '}' | ']', path: string): void {
    this.skipSpace();
    const comma = this.at;
    if (this.source.text[comma] === end) return;
    if (!this.take(',')) throw this.fault(`Expected \`,\` or \`${end}\``);
    this.skipSpace();
    if (this.source.text[this.at] === end)
      throw new JsonFault(this.place(path, comma, comma + 1), `Expected another value after \`,\`, got \`${end}\`.`, {
        suggestion: 'remove the comma',
        fix: { at: this.place(path, comma, comma + 1), text: '' },
      });
  }

  private scalar(path: string): Json {
    const start = this.at;
    const word = this.match(WORD) ?? '';
    if (word === 'true') return true;
    if (word === 'false') return false;
    if (word === 'null') return null;
    this.at = start;
    const written = this.match(NUMBER);
    if (written === null || written !== word) {
      this.at = start;
      throw this.fault(
        'Expected a value',
        this.source.text[start] === "'" ? 'texts stand in double quotes' : wordHint(word),
      );
    }
    const value = Number(written);
    if (Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value))) return value;
    this.broken = true;
    const at = this.place(path, start, this.at);
    this.report({
      code: 'unsafe-number',
      at,
      message: 'Expected a number that JSON carries exactly.',
      suggestion: 'put it in quotes to keep it as text',
      fix: { at, text: `"${written}"` },
    });
    return null;
  }

  private text(path: string): string {
    const start = this.at++;
    let text = '';
    for (;;) {
      text += this.match(PLAIN) ?? '';
      const next = this.source.text[this.at];
      if (this.take('"')) return text;
      if (next === undefined)
        throw new JsonFault(
          this.place(path, start, start + 1),
          'Expected `"` at the end of the text, got the end of the file.',
        );
      if (next === '\\') text += this.escape(path);
      else
        throw this.fault(
          'Expected `"` at the end of the text',
          next === '\n' || next === '\r' ? 'write a new line as `\\n`' : 'write it as an escape',
        );
    }
  }

  private escape(path: string): string {
    const start = this.at;
    const letter = this.source.text[start + 1] ?? '';
    const digits =
      letter === 'u' ? /^[0-9a-fA-F]{4}/.exec(this.source.text.slice(start + 2, start + 6))?.[0] : undefined;
    const meant = digits === undefined ? ownOf(ESCAPES, letter) : String.fromCharCode(Number.parseInt(digits, 16));
    if (meant === undefined)
      throw new JsonFault(this.place(path, start, start + 2), `Expected an escape of JSON, got \`\\${letter}\`.`, {
        suggestion: 'write a backslash as `\\\\`',
      });
    this.at += digits === undefined ? 2 : 6;
    return meant;
  }

  /** What has just been read. Written out, not spread: that takes a tenth of the time (measured). */
  private node(
    path: string,
    start: number,
    { value, members = null, items = null, style = null }: Pick<Node, 'value'> & Partial<Node>,
  ): Node {
    return { source: this.source, path, start, end: this.at, value, members, items, style };
  }

  private place(path: string, start: number, end: number): Place {
    return { source: this.source, path, start, end };
  }

  private skipSpace(): void {
    this.match(SPACE);
  }

  private match(pattern: RegExp): string | null {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.source.text)?.[0] ?? null;
    this.at += found?.length ?? 0;
    return found;
  }

  private take(character: string): boolean {
    if (this.source.text[this.at] !== character) return false;
    this.at++;
    return true;
  }

  private fail(code: ProblemCode, at: Place, message: string, suggestion: string | null = null): void {
    this.broken = true;
    this.report({ code, at, message, suggestion });
  }

  /** What was expected here, and what stands here. */
  private fault(expected: string, suggestion: string | null = null): JsonFault {
    const { text } = this.source;
    const rest = text.slice(this.at, this.at + 40);
    if (rest.startsWith('//') || rest.startsWith('/*') || rest.startsWith('#')) {
      return new JsonFault(this.place('', this.at, this.at + 2), `${expected}, got a comment.`, {
        suggestion: 'JSON has no comments: remove it, or write the definition in YAML',
      });
    }
    // eslint-disable-next-line no-control-regex -- a control character is not shown
    const found = /^(?:"(?:[^"\\\n]|\\.){0,30}"?|[A-Za-z0-9_$+.-]+|[^\u0000-\u001f])/u.exec(rest)?.[0] ?? '';
    if (this.at >= text.length)
      return new JsonFault(
        this.place('', Math.max(0, text.trimEnd().length - 1), text.length),
        `${expected}, got the end of the file.`,
        { suggestion },
      );
    return new JsonFault(
      this.place('', this.at, this.at + Math.max(1, found.length)),
      `${expected}, got ${found === '' ? controlName(rest) : `\`${found}\``}.`,
      { suggestion },
    );
  }
}

function controlName(rest: string): string {
  return rest.startsWith('\n') || rest.startsWith('\r') ? 'the end of the line' : 'a control character';
}

function wordHint(word: string): string | null {
  if (/^(True|False|None|nil|undefined)$/.test(word))
    return `write \`${{ True: 'true', False: 'false' }[word] ?? 'null'}\``;
  const near = nearest(word, ['true', 'false', 'null']);
  if (near !== null) return meansPerhaps(near);
  return /^[A-Za-z_]/.test(word) ? `put the text in double quotes: \`"${word}"\`` : null;
}
