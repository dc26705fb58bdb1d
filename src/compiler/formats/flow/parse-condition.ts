import type { Condition } from './ast.js';
import type { Cursor } from './cursor.js';
import type { Token } from './tokens.js';

/** Tells whether a condition starts here: `( … )` or `~>`. */
export function seesCondition(cursor: Cursor): boolean {
  return cursor.sees('(') || cursor.sees('~>');
}

/** `(if c)~>`, `(c):name ~>` or `~> (if c)`; null when there is none in it, which is reported. */
export function parseCondition(cursor: Cursor): Condition | null {
  const { problem, at, takes, sees, peek, begin } = cursor;
  const comments = begin();
  const arrow = takes('~>');
  if (!sees('(')) {
    const suggestion = 'write `(if passed)~>`, `(if failed)~>` or `(if name)~>`';
    problem({
      code: 'missing-condition',
      at: at(arrow ?? peek()),
      message: 'Expected a condition in parentheses beside `~>`.',
      suggestion,
    });
    return null;
  }
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
  const text = foldWords(words).replace(/^if(?![A-Za-z0-9_.-])\s*/i, '');
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
      suggestion: `write \`(if ${text})~>\``,
    });
  }
  return { at: place, comments, text: text === '' ? 'passed' : text, capture };
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
