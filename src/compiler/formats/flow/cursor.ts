import type { Place, Report } from '../../problems/problem.js';
import type { Comments, Name, Quoted } from './ast.js';
import type { Token } from './tokens.js';

/** Where a stretch of the flow's text stands in its file: the text may be a value of its front matter. */
export type PlaceOf = (start: number, end: number) => Place;

const MAX_PROBLEMS = 100;

/** Where the parser stands among the tokens, and the comments it has met and not yet given to a piece. */
export type Cursor = ReturnType<typeof createCursor>;

/** A cursor at the first token. Problems beyond the first hundred of a flow are not reported: they say nothing new. */
export function createCursor(tokens: Token[], placeOf: PlaceOf, report: Report) {
  let next = 0;
  let problems = 0;
  let last: Comments | null = null;
  const pending: string[] = [];
  const end = tokens[tokens.length - 1] as Token; // the scanner ends every list with one

  const peek = (ahead = 0): Token => tokens[next + ahead] ?? end;
  const sees = (mark: string, ahead = 0): boolean => {
    const { kind, raw } = peek(ahead);
    return kind === 'mark' && raw === mark;
  };
  const seesWord = (ahead = 0): boolean => peek(ahead).kind === 'word';
  const atEnd = (): boolean => peek().kind === 'end';

  /** Takes a token; what is said behind it belongs to the last piece that is complete. */
  const take = (): Token => {
    const token = peek();
    pending.push(...token.before);
    if (token.after !== null) {
      if (last === null) pending.push(token.after);
      else last.after = last.after === null ? token.after : `${last.after} # ${token.after}`;
      token.after = null;
    }
    if (next < tokens.length - 1) next++;
    return token;
  };
  const takes = (mark: string): Token | null => (sees(mark) ? take() : null);

  /** A new piece starts here: it gets the comments before it, and, from now on, those behind its tokens. */
  const begin = (): Comments => {
    const comments: Comments = { before: [...pending.splice(0), ...peek().before], after: null };
    // They are given away: taking the token does not meet them again.
    peek().before.length = 0;
    last = comments;
    return comments;
  };

  /** What follows belongs to an outer piece again: what is said behind its bracket is said of it. */
  const resume = (comments: Comments): void => {
    last = comments;
  };

  /** Comments that nothing followed. */
  const rest = (): string[] => [...pending.splice(0), ...end.before.splice(0)];

  const at = (token: Token, to: Token = token): Place => placeOf(token.start, Math.max(to.end, token.start + 1));

  const problem: Report = (finding) => {
    if (++problems <= MAX_PROBLEMS) report(finding);
  };

  /** Goes to the end: from here on nothing can be told apart, and what is said of it says nothing new. */
  const giveUp = (): void => {
    problems = MAX_PROBLEMS;
    while (!atEnd()) take();
  };

  /** Goes to the end; what is said on the way is left out. */
  const skipRest = (): void => {
    next = tokens.length - 1;
    end.before.length = 0;
  };

  const name = (): Name => {
    const token = take();
    if (token.kind === 'word' && !/^[\w-]+$/.test(token.raw)) {
      problem({
        code: 'invalid-name',
        at: at(token),
        message: `Expected a name of letters from A to Z, digits, \`_\` or \`-\`, got \`${token.raw}\`.`,
      });
    }
    return { text: token.raw, at: at(token) };
  };
  const quoted = (): Quoted => quotedAt(take(), placeOf);
  const previous = (): Token => tokens[Math.max(0, next - 1)] ?? end;

  return {
    peek,
    sees,
    seesWord,
    atEnd,
    take,
    takes,
    begin,
    resume,
    rest,
    at,
    problem,
    giveUp,
    skipRest,
    name,
    quoted,
    previous,
  };
}

function quotedAt(token: Token, placeOf: PlaceOf): Quoted {
  const base = token.start + 1;
  return {
    raw: token.raw,
    at: placeOf(token.start, Math.max(token.end, token.start + 1)),
    placeOf: (start, length) => placeOf(base + start, base + start + Math.max(1, length)),
  };
}

/** How far ahead the parenthesis here ends: at its closing one or, where none is found, at the last token looked at. */
export function parenthesisEnd({ peek, sees }: Cursor, most: number): number {
  let ahead = 1;
  for (let depth = 0; ahead < most && peek(ahead).kind !== 'end' && (depth > 0 || !sees(')', ahead)); ahead++)
    depth += sees('(', ahead) ? 1 : sees(')', ahead) ? -1 : 0;
  return ahead;
}
