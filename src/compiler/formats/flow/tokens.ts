/** A piece of a flow. `raw` is what is written; of a `string` it is what stands between the quotes. */
export interface Token {
  kind: 'word' | 'string' | 'mark' | 'rule' | 'other' | 'end';
  raw: string;
  /** Offsets in the flow's text, the quotes included. */
  start: number;
  end: number;
  /** Whether anything stands between this token and the one before, and whether a new line does. */
  spaced: boolean;
  fresh: boolean;
  /** Comments on lines of their own before this token, and the one behind it on its line; without their `#`. */
  before: string[];
  after: string | null;
}

/** A string whose closing quote is missing. */
export interface OpenString {
  start: number;
  end: number;
}

const SPACE = /[ \t\r\n\f\v\u00a0\ufeff]+/y;
const COMMENT = /#[^\n]*/y;
/** Letters of all alphabets, so that a name which is none is one piece of text; `cursor.ts` refuses it. */
const WORD = /[\p{L}\p{M}\p{N}_]+(?:-+[\p{L}\p{M}\p{N}_]+)*/uy;
const MARK = /:=|->|\|\||~>|>=|<=|==|!=|&&|[[\](){}:,@$!.<>]/y;
const RULE = /---[ \t]*(?=\r?\n|$)/y;
const OTHER = /[^]/uy;
/** Of a text in quotes, what is neither its end nor an escape. */
const INSIDE = /[^"\\]+/y;
/** Steps are joined at the end of a line, or below brackets. */
const JOINT = /(?:->|\|\||~>)[ \t]*\r?\n|\n[ \t]*[\])]/;
const HASH = 0x23;
/** After so many strings without an end there is no sense in looking for more. */
const MAX_OPEN = 20;

/**
 * Cuts a flow into tokens, an `end` last. Linear but for the strings without an end, of which at most 20 are looked
 * for: each of those ends with its first line.
 */
export function scanFlow(text: string): { tokens: Token[]; open: OpenString[] } {
  const tokens: Token[] = [];
  const open: OpenString[] = [];
  let at = 0;
  for (;;) {
    const gap = scanGap(text, at, tokens.at(-1));
    at = gap.end;
    const token: Token = {
      kind: 'end',
      raw: '',
      start: at,
      end: at,
      spaced: gap.spaced,
      fresh: gap.fresh || tokens.length === 0,
      before: gap.before,
      after: null,
    };
    if (at >= text.length) {
      tokens.push(token);
      return { tokens, open };
    }
    if (text[at] !== '"') {
      scanPlain(text, token);
    } else if (!scanString(text, token)) {
      // The quotes do not pair up: the one that is not closed is most likely where a text ends in `name:`.
      const culprit = tokens.findIndex((candidate, index) => index >= lastOpen(tokens, open) && looksOpen(candidate));
      Object.assign(token, tokens[culprit] ?? {}, { kind: 'string' });
      if (culprit !== -1) tokens.length = culprit;
      token.end = open.length < MAX_OPEN ? endOfOpen(text, token.start) : text.length;
      token.raw = text.slice(token.start + 1, token.end);
      open.push({ start: token.start, end: token.end });
    }
    tokens.push(token);
    at = token.end;
  }
}

/** The token from which on an open string is looked for: one after the last that was found. */
function lastOpen(tokens: Token[], open: OpenString[]): number {
  const last = open.at(-1);
  return last === undefined ? 0 : tokens.findIndex(({ start }) => start > last.start);
}

/** A string over several lines that ends where another one should begin, or holds what joins steps. */
function looksOpen({ kind, raw }: Token): boolean {
  return (
    kind === 'string' && raw.includes('\n') && (/[A-Za-z0-9_-][ \t]*:\s*$/.test(raw.slice(-80)) || JOINT.test(raw))
  );
}

/** Up to the end of its line, without the operator there. */
function endOfOpen(text: string, start: number): number {
  const newline = text.indexOf('\n', start);
  const line = text.slice(start, newline === -1 ? text.length : newline);
  return (
    start +
    Math.max(
      1,
      line
        .trimEnd()
        .replace(/(?:->|\|\||~>|[\]})])$/, '')
        .trimEnd().length,
    )
  );
}

interface Gap {
  end: number;
  before: string[];
  spaced: boolean;
  fresh: boolean;
}

/** White space and comments. A comment on the line of the token before belongs to that one. */
function scanGap(text: string, from: number, previous: Token | undefined): Gap {
  const gap: Gap = { end: from, before: [], spaced: false, fresh: false };
  for (;;) {
    const code = text.charCodeAt(gap.end);
    if (code > 0x23 && code !== 0xa0 && code !== 0xfeff) break;
    if (code === HASH) {
      const comment = match(COMMENT, text, gap.end);
      const said = comment.slice(1).trim();
      if (!gap.fresh && previous !== undefined) previous.after = said;
      else gap.before.push(said);
      gap.end += comment.length;
    } else {
      const space = match(SPACE, text, gap.end);
      if (space === '') break;
      gap.fresh ||= space.includes('\n');
      gap.end += space.length;
    }
  }
  gap.spaced = gap.end > from;
  return gap;
}

/** Fills in what is no text in quotes: a word, a mark, a line `---`, or a character that means nothing here. */
function scanPlain(text: string, token: Token): void {
  const { start } = token;
  const fill = (kind: Token['kind'], raw: string): boolean => {
    token.kind = kind;
    token.raw = raw;
    token.end = start + raw.length;
    return raw !== '';
  };
  if (token.fresh && match(RULE, text, start) !== '') fill('rule', '---');
  else if (!fill('word', match(WORD, text, start)) && !fill('mark', match(MARK, text, start)))
    fill('other', match(OTHER, text, start));
}

/** Fills in a text in quotes; false when nothing closes it. */
function scanString(text: string, token: Token): boolean {
  for (let at = token.start + 1; ; at++) {
    at = match(INSIDE, text, at).length + at;
    if (at >= text.length) return false;
    if (text[at] === '"') {
      token.kind = 'string';
      token.raw = text.slice(token.start + 1, at);
      token.end = at + 1;
      return true;
    }
    at++;
  }
}

function match(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.test(text) ? text.slice(at, pattern.lastIndex) : '';
}
