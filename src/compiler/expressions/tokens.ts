/** One token inside `${…}`. `start` is its index in the whole text. */
export type Token = { start: number; length: number } & (
  | { kind: 'name'; name: string }
  | { kind: 'literal'; value: string | number }
  | { kind: 'mark'; mark: Mark }
  | { kind: 'end' }
);

const MARKS = ['??', '==', '!=', '<=', '>=', '&&', '||', '.', '[', ']', '(', ')', ',', '!', '<', '>', '}'] as const;
export type Mark = (typeof MARKS)[number];

/** A flaw in a template: where in the text, and what was expected. */
export interface Flaw {
  start: number;
  length: number;
  message: string;
  suggestion?: string | null;
}

/** Signs of other languages, and what is written here. */
const SIGNS: Readonly<Record<string, string>> = {
  '=': 'write `==`',
  '&': 'write `&&`',
  '|': 'there are no filters; `||` is or',
  '{': 'an input is written `${name}`',
  '?': 'a default is written `${name ?? "…"}`',
};
/** What one `${…}` may hold; a limit on its tokens bounds every recursion over the expression. */
const MAX_TOKENS = 500;

const SPACE = /[ \t\r\n]*/y;
const NAME = /[A-Za-z_][A-Za-z0-9_-]*/y;
const NUMBER = /-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
/** Operators of other languages, which begin as ours do. */
const TRIPLE = /[=!]==/y;
const ESCAPES: Record<string, string> = { n: '\n', t: '\t', r: '\r' };

/**
 * The tokens from an index up to the `}` that closes the expression, which is the last token; or the flaw that
 * stands in the way. Linear: every character is looked at a bounded number of times.
 */
export function scanExpression(text: string, from: number): Token[] | Flaw {
  const tokens: Token[] = [];
  let at = from;
  for (;;) {
    at = skip(SPACE, text, at);
    if (at >= text.length)
      return { start: from - 2, length: text.length - from + 2, message: 'Expected `}` at the end of `${…}`.' };
    const token = scanToken(text, at);
    if (!('kind' in token)) return token;
    tokens.push(token);
    at += token.length;
    if (token.kind === 'mark' && token.mark === '}') return tokens;
    if (tokens.length >= MAX_TOKENS)
      return {
        start: token.start,
        length: 1,
        message: `Expected at most ${MAX_TOKENS} words and signs in one \`\${…}\`.`,
      };
  }
}

function scanToken(text: string, start: number): Token | Flaw {
  const first = text[start] ?? '';
  if (first === '"' || first === "'") return scanString(text, start, first);
  const name = match(NAME, text, start);
  if (name !== null) return { kind: 'name', name, start, length: name.length };
  const number = match(NUMBER, text, start);
  if (number !== null) return numberToken(number, start);
  const foreign = match(TRIPLE, text, start);
  if (foreign !== null)
    return {
      start,
      length: foreign.length,
      message: `Expected a name, a value or an operator, got \`${foreign}\`.`,
      suggestion: `write \`${foreign.slice(0, 2)}\``,
    };
  const mark = MARKS.find((candidate) => text.startsWith(candidate, start));
  if (mark !== undefined) return { kind: 'mark', mark, start, length: mark.length };
  return {
    start,
    length: 1,
    message: `Expected a name, a value or an operator, got \`${String.fromCodePoint(text.codePointAt(start) ?? 0)}\`.`,
    suggestion: SIGNS[first] ?? null,
  };
}

function numberToken(number: string, start: number): Token | Flaw {
  const value = Number(number);
  const safe = Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));
  if (safe) return { kind: 'literal', value, start, length: number.length };
  return { start, length: number.length, message: `Expected a number that JSON carries exactly, got \`${number}\`.` };
}

function scanString(text: string, start: number, quote: string): Token | Flaw {
  let value = '';
  for (let at = start + 1; at < text.length; at++) {
    const unit = text[at] ?? '';
    if (unit === quote) return { kind: 'literal', value, start, length: at + 1 - start };
    if (unit !== '\\') value += unit;
    else {
      const escaped = text[++at] ?? '';
      value += ESCAPES[escaped] ?? escaped;
    }
  }
  return { start, length: text.length - start, message: `Expected \`${quote}\` at the end of the text.` };
}

function skip(pattern: RegExp, text: string, at: number): number {
  return at + (match(pattern, text, at)?.length ?? 0);
}

function match(pattern: RegExp, text: string, at: number): string | null {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? null;
}
