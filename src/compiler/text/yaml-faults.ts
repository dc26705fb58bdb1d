import type { Document, ParsedNode, Scalar } from 'yaml';
import { isCollection, visit } from 'yaml';
import { TOO_DEEP } from './node.js';
import type { ProblemCode } from '../problems/problem.js';

/** What is wrong with a text that is no YAML. Offsets count from the start of the text. */
export interface YamlFault {
  code: ProblemCode;
  start: number;
  end: number;
  message: string;
  suggestion: string | null;
  /** What to write where, if that mends it. */
  fix?: Stretch | null;
}

interface Stretch {
  start: number;
  end: number;
  text: string;
}

/** A text that is no YAML at all yields a fault for each line; the first few say it all. */
const MAX_FAULTS = 20;

type Fault = Document.Parsed['errors'][number] | Document.Parsed['warnings'][number];

/**
 * What is wrong with a parsed text, in words for people who write definitions, where they would look for it: a quote or
 * a bracket without its partner at the one that opens. One for each line, and none after what is not closed: the
 * parser's others follow from it.
 */
export function yamlFaults(document: Document.Parsed<ParsedNode>, text: string): YamlFault[] {
  const all = [...document.errors, ...document.warnings];
  const deep = all.find(({ code }) => code === 'RESOURCE_EXHAUSTION');
  // The parser's own words are those of a stack that has overflowed.
  if (deep !== undefined)
    return [{ code: 'too-deep', start: deep.pos[0], end: deep.pos[1], message: TOO_DEEP, suggestion: null }];
  const faults: YamlFault[] = [];
  let line = -1;
  // Where the line of the last fault told ends: a line may have as many faults as characters.
  let toldUntil = -1;
  let tabs = 0;
  for (const fault of all) {
    if (fault.code === 'TAB_AS_INDENT' && tabs++ > 0) continue;
    const open = unclosed(fault, document, text);
    if (open === null && fault.pos[0] <= toldUntil) continue;
    const current = lineStart(text, open?.start ?? fault.pos[0]);
    if (current <= line && (open === null || current === line)) continue;
    line = current;
    toldUntil = lineEnd(text, current);
    faults.push(open ?? told(fault, text));
    if (open !== null || faults.length === MAX_FAULTS) break;
  }
  return faults;
}

/** The quote or bracket that nothing closes, when that is what is wrong. */
function unclosed(
  { code, message, pos }: Fault,
  document: Document.Parsed<ParsedNode>,
  text: string,
): YamlFault | null {
  if (code !== 'MISSING_CHAR' && code !== 'BAD_INDENT') return null;
  const quote = /^Missing closing (["'])quote/.exec(message)?.[1];
  const bracket = /end with a ([\]}])/.exec(message)?.[1];
  if (quote === undefined && bracket === undefined) return null;
  const start = quote === undefined ? openBracket(document, pos[0], text) : openQuote(document, pos[0]);
  if (start === null) return null;
  if (quote !== undefined)
    return {
      code: 'invalid-yaml',
      start,
      end: lineEnd(text, start),
      message: `Expected \`${quote}\` at the end of this text.`,
      suggestion: quote === '"' ? 'a `"` inside a text is written `\\"`' : "a `'` inside a text is written `''`",
      fix: closed(quote, text, start),
    };
  return {
    code: 'invalid-yaml',
    start,
    end: start + 1,
    message: `Expected \`${bracket ?? ''}\` for this \`${text[start] ?? ''}\`.`,
    suggestion: quotingHint(text, start),
  };
}

/** The quote at the end of the line, of a text that is all that a key or an item of a line of its own has. */
function closed(quote: string, text: string, start: number): Stretch | null {
  const end = lineEnd(text, start);
  const before = text.slice(lineStart(text, start), start);
  const isAlone = /^[ \t]*(?:- +)*(?:[\w-]+:[ \t]+)?$/.test(before);
  return isAlone && !/["'#\\]/.test(text.slice(start + 1, end)) ? { start: end, end, text: quote } : null;
}

/** Where the text in quotes begins that ends at an offset. */
function openQuote(document: Document.Parsed<ParsedNode>, offset: number): number | null {
  let found: number | null = null;
  visit(document, {
    Scalar: (_, scalar: Scalar) => {
      const [start, end] = scalar.range ?? [0, 0];
      if ((scalar.type === 'QUOTE_DOUBLE' || scalar.type === 'QUOTE_SINGLE') && start < offset && end >= offset - 1)
        found = start;
    },
  });
  return found;
}

/**
 * Where the innermost list or map in brackets begins that holds an offset or ends there, and that its own bracket does
 * not close.
 */
function openBracket(document: Document.Parsed<ParsedNode>, offset: number, text: string): number | null {
  let found: number | null = null;
  visit(document, {
    Collection: (_, collection) => {
      const [start, end] = collection.range ?? [0, 0];
      const close = text[start] === '{' ? '}' : ']';
      if (
        isCollection(collection) &&
        collection.flow === true &&
        start < offset &&
        end >= offset - 1 &&
        text[end - 1] !== close
      )
        found = start;
    },
  });
  return found;
}

function told(fault: Fault, text: string): YamlFault {
  const [start, end] = afterIndent(text, fault.pos);
  const say = (
    message: string,
    suggestion: string | null = quotingHint(text, start),
    at: [number, number] = [start, end],
  ): YamlFault => ({
    code: fault.code === 'MULTIPLE_DOCS' ? 'multiple-documents' : 'invalid-yaml',
    start: at[0],
    end: at[1],
    message,
    suggestion,
    fix: suggestion !== null && suggestion === quotingHint(text, start) ? quoted(text, start) : null,
  });
  const written = brief(text.slice(start, lineEnd(text, start)));
  switch (fault.code) {
    case 'MULTIPLE_DOCS':
      return say('Expected one definition in the file, got a second document.', null);
    case 'NON_STRING_KEY':
      return say(
        'Expected a text as key, got a list, a map or a tagged value.',
        text[start - 1] === '{' ? 'put the text with `{{…}}` in quotes: "{{…}}"' : null,
      );
    case 'TAB_AS_INDENT':
      return say('Tabs are not allowed as indentation.', 'indent with spaces');
    case 'TAG_RESOLVE_FAILED':
      return say(
        `Tags mean nothing here, and \`${brief(text.slice(start, end))}\` is one.`,
        'write the value itself, or put the text in quotes',
      );
    case 'BAD_SCALAR_START':
      return say(`A text that begins with \`${text[start] ?? ''}\` stands in quotes.`, 'put it in quotes');
    case 'BAD_DQ_ESCAPE':
      return say(
        `\`${text.slice(start, start + 2)}\` is no escape in double quotes.`,
        `write \`\\${text.slice(start, start + 2)}\`, or put the text in single quotes`,
      );
    case 'BLOCK_AS_IMPLICIT_KEY':
      return say(...mapInside(written, text, start));
    case 'BAD_INDENT':
      return say(
        'Expected this line to begin where those beside it begin.',
        quotingHint(text, start) ?? 'indent it as they are',
      );
    case 'MULTILINE_IMPLICIT_KEY':
    case 'MISSING_CHAR':
      return missing(fault, written, { text, start, say });
    case 'UNEXPECTED_TOKEN':
      return unexpected(fault, written, { text, start, say });
    default:
      return say(`${withoutQuote(fault.message)}.`);
  }
}

/** A text with a key in it, or lines below a text that look like its keys. */
function mapInside(written: string, text: string, start: number): [string, string, [number, number]] {
  if (/:(?:\s|$)|^\?/.test(written))
    return [
      'This text holds `: `, which starts a map inside it.',
      quotingHint(text, start) ?? 'put the text in quotes',
      [start, lineEnd(text, start)],
    ];
  return [
    'This line is indented as if it belonged to the value above, which is complete.',
    'indent it as its key above',
    nextLine(text, start),
  ];
}

interface Telling {
  text: string;
  start: number;
  say: (message: string, suggestion?: string | null) => YamlFault;
}

function missing({ message }: Fault, written: string, { text, start, say }: Telling): YamlFault {
  if (message.startsWith('Sequence item'))
    return say(
      'Expected this line to begin where those beside it begin.',
      'indent it as they are, or begin it with `- `',
    );
  if (!message.startsWith('Implicit')) return say(`${withoutQuote(message)}.`);
  if (/[|>][-+0-9]*[ \t]*\r?\n[ \t]*$/.test(text.slice(0, start)))
    return say('Expected the text to be indented below its key.', 'indent it by two more spaces than the key');
  const glued = /^[\w-]+:\S/.test(written) ? 'write a space after `:`' : null;
  return say(`Expected a key and \`:\`, got \`${written}\`.`, glued ?? quotingHint(text, start));
}

function unexpected({ message }: Fault, written: string, { text, start, say }: Telling): YamlFault {
  const before = text.slice(lineStart(text, start), start).trimEnd().at(-1);
  if (text[start - 1] === '$') return say('YAML reads this brace as a map of its own.');
  if (message.includes('on same line with key'))
    return say('Expected a list to begin on the line below its key.', 'put the text in quotes if no list is meant');
  if (text[start - 1] === "'")
    return say(
      `Expected the end of the line after a text in quotes, got \`${written}\`.`,
      "a `'` inside a text in single quotes is written `''`",
    );
  if (before === '"' || before === "'")
    return say(
      `Expected the end of the line after a text in quotes, got \`${written}\`.`,
      'put the whole text in quotes',
    );
  if (before === ']' || before === '}')
    return say(
      `Expected the end of the line after \`${before}\`, got \`${written}\`.`,
      quotingHint(text, start) ?? 'put the text in quotes if it is one',
    );
  return say(`${withoutQuote(message)}.`);
}

/** What YAML would read otherwise stands in quotes. */
function quotingHint(text: string, offset: number): string | null {
  const line = text.slice(lineStart(text, offset), lineEnd(text, offset));
  if (line.includes('${')) return 'put the text with `${…}` in quotes: "${…}"';
  return /(?::|-|^)\s*\*\S/.test(line) ? 'put a text that begins with `*` in quotes' : null;
}

/**
 * The text of a line in quotes that is not in quotes and has `${…}` in it: one in brackets up to the comma or bracket
 * behind it, else all that its key has. Null where it may go on below.
 */
function quoted(text: string, offset: number): Stretch | null {
  const from = lineStart(text, offset);
  const line = text.slice(from, lineEnd(text, offset));
  const [inside = '', ...others] = line.match(/\$\{[^{}]*\}/g) ?? [];
  if (inside === '' || others.length > 0 || /["'#]/.test(line)) return null;
  const at = line.indexOf(inside);
  const open = Math.max(...[...'[{,'].map((sign) => line.lastIndexOf(sign, at - 1)));
  const key = Math.max(line.lastIndexOf(': ', at) + 1, line.lastIndexOf('- ', at) + 1);
  if (open === -1) return null;
  const start = from + Math.max(open + 1, key);
  const rest = /^[^,[\]{}]*/.exec(line.slice(at + inside.length))?.[0] ?? '';
  const end = from + at + inside.length + rest.length;
  const written = text.slice(start, end);
  const space = written.length - written.trimStart().length;
  return { start: start + space, end: end - (written.length - written.trimEnd().length), text: `"${written.trim()}"` };
}

/** The text of the first line below that is not empty. */
function nextLine(text: string, start: number): [number, number] {
  const below = lineEnd(text, start);
  const at = below + (/^\s*/.exec(text.slice(below))?.[0].length ?? 0);
  return [at, lineEnd(text, at)];
}

/** A fault of a line is where its text begins; one of tabs stays in the indentation. */
function afterIndent(text: string, [start, end]: [number, number]): [number, number] {
  if (text.slice(lineStart(text, start), start).trim() !== '') return [start, end];
  const indent = /^ *(?=[^ \t\r\n])/.exec(text.slice(start, lineEnd(text, start)))?.[0].length ?? 0;
  return [start + indent, Math.max(end, start + indent + 1)];
}

function lineStart(text: string, offset: number): number {
  return offset === 0 ? 0 : text.lastIndexOf('\n', offset - 1) + 1;
}

function lineEnd(text: string, offset: number): number {
  const newline = text.indexOf('\n', offset);
  const end = newline === -1 ? text.length : newline;
  return text[end - 1] === '\r' && end > offset ? end - 1 : end;
}

/** The library's message without the text that it repeats. */
function withoutQuote(message: string): string {
  return message.replace(/: +"[^]*$/, '');
}

function brief(text: string): string {
  const line = text.trim();
  return line.length > 40 ? `${line.slice(0, 39)}…` : line;
}
