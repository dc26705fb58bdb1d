import type { Comments, Condition } from './ast.js';
import type { Cursor } from './cursor.js';
import { parenthesisEnd } from './cursor.js';
import type { Token } from './tokens.js';

/** Tells whether a condition starts here: `( … )` or `~>`, or one without its parentheses. */
export function seesCondition(cursor: Cursor): boolean {
  return cursor.sees('~>') || isBare(cursor) || (cursor.sees('(') && !holdsSteps(cursor));
}

/** Tells whether a condition without parentheses starts here: `if passed ~>`. */
function isBare({ peek, sees }: Cursor): boolean {
  if (peek().kind !== 'word' || !/^if$/i.test(peek().raw)) return false;
  let ahead = 1;
  while (!sees('~>', ahead) && (peek(ahead).kind === 'word' || peek(ahead).kind === 'string')) ahead++;
  return sees('~>', ahead);
}

/** Tokens that are looked at for the end of a parenthesis. */
const FARTHEST = 500;

/** Tells whether the parenthesis here stands around steps, as brackets do: there are arrows in it, and none behind. */
export function holdsSteps(cursor: Cursor): boolean {
  const { peek, sees } = cursor;
  if (!sees('(') || /^if$/i.test(peek(1).raw)) return false;
  const end = parenthesisEnd(cursor, FARTHEST);
  if (!sees(')', end) || sees('~>', end + 1) || sees(':', end + 1)) return false;
  for (let ahead = 1; ahead < end; ahead++) if (sees('->', ahead) || sees('||', ahead)) return true;
  return false;
}

/** `(if c)~>`, `(c):name ~>` or `~> (if c)`; null when there is none in it, which is reported. */
export function parseCondition(cursor: Cursor): Condition | null {
  const { problem, at, takes, sees, begin } = cursor;
  const comments = begin();
  const arrow = takes('~>');
  if (!sees('(')) return parseUnbracketed(cursor, arrow, comments);
  const open = cursor.take();
  const words = takeWords(cursor);
  const close = takes(')');
  if (close === null)
    problem({
      code: 'unbalanced-bracket',
      at: at(open),
      message: 'Expected `)` for this `(`.',
      suggestion: 'a condition is written `(if passed)~>`',
    });
  const said = foldWords(words);
  const isElse = /^(?:else|otherwise)$/i.test(said);
  const text = isElse ? 'else' : withoutIf(said);
  const place = at(open, close ?? words.at(-1) ?? open);
  if (text === '')
    problem({
      code: 'missing-condition',
      at: place,
      message: 'Expected a condition between `(` and `)`.',
      suggestion: 'write `(if passed)~>` or `(if name)~>`',
    });
  const capture =
    arrow === null && sees(':') && cursor.seesWord(1) && sees('~>', 2) ? (cursor.take(), cursor.name()) : null;
  if (arrow === null && takes('~>') === null) {
    const other = takes('->');
    problem({
      code: 'missing-operator',
      at: other === null ? place : at(open, other),
      message: `Expected \`~>\` beside the condition \`(${text})\`.`,
      suggestion: `write \`${writtenCondition({ text, isElse })}~>\``,
    });
  }
  return { at: place, comments, text: text === '' ? 'passed' : text, isElse, capture };
}

/** A condition as its canonical form has it. */
export function writtenCondition({ text, isElse }: Pick<Condition, 'text' | 'isElse'>): string {
  return isElse ? '(else)' : `(if ${text})`;
}

/** Reports an `(else)` that no condition stands before in its chain, and a condition behind one. */
export function checkElse({ problem }: Cursor, conditions: Condition[]): void {
  conditions.forEach(({ at, isElse }, index) => {
    if (isElse && (index === 0 || index < conditions.length - 1))
      problem({
        code: 'missing-condition',
        at,
        message:
          index === 0
            ? 'Expected a condition before `(else)`: it is what is done when none before it in its chain holds.'
            : 'Expected `(else)` behind all other conditions of its chain: what stands behind it is never done.',
        suggestion:
          index === 0 ? 'write `(if passed)~> … (else)~> …`; a variable of that name is `(if else)`' : 'put it last',
      });
  });
}

/** A condition without its parentheses, or an arrow without one: reported, and null where there is none. */
function parseUnbracketed(cursor: Cursor, arrow: Token | null, comments: Comments): Condition | null {
  const { problem, at, takes, previous } = cursor;
  if (arrow !== null) {
    problem({
      code: 'missing-condition',
      at: at(arrow),
      message: 'Expected a condition in parentheses beside `~>`.',
      suggestion: 'write `(if passed)~>`, `(if failed)~>` or `(if name)~>`',
    });
    return null;
  }
  const words = takeWords(cursor);
  const place = at(words[0] ?? previous(), words.at(-1));
  const said = withoutIf(foldWords(words));
  const text = said === '' ? 'passed' : said;
  takes('~>');
  problem({
    code: 'missing-condition',
    at: place,
    message: 'Expected the condition before `~>` in parentheses.',
    suggestion: `write \`(if ${text})~>\``,
  });
  return { at: place, comments, text, isElse: false, capture: null };
}

function withoutIf(text: string): string {
  return text.replace(/^(?:else\s+)?if(?![A-Za-z0-9_.-])\s*/i, '');
}

/** The tokens up to the closing parenthesis, or to where one is surely missing. */
function takeWords({ peek, sees, take, atEnd }: Cursor): Token[] {
  const words: Token[] = [];
  let depth = 0;
  while (!atEnd() && !sees('~>') && !sees('->') && peek().kind !== 'rule') {
    if (sees(')') && depth === 0) break;
    depth += sees('(') ? 1 : sees(')') ? -1 : 0;
    words.push(take());
  }
  return words;
}

function foldWords(words: Token[]): string {
  return words
    .map(({ kind, raw, spaced }, index) => `${spaced && index > 0 ? ' ' : ''}${kind === 'string' ? `"${raw}"` : raw}`)
    .join('')
    .trim();
}
