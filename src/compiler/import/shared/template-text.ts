import { literalText } from '../../../plan/values/expression.js';

/** A piece of a text in the manner of Jinja: what stands as it is, a value, a statement, or a comment. */
export interface Piece {
  kind: 'text' | 'value' | 'statement' | 'comment';
  /** Without its brackets. */
  text: string;
  start: number;
  end: number;
}

const BRACKETS = /\{\{-?([^]*?)-?\}\}|\{%-?([^]*?)-?%\}|\{#([^]*?)#\}/g;

/** Cuts a text at its `{{…}}`, `{%…%}` and `{#…#}`. */
export function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  for (const found of text.matchAll(BRACKETS)) {
    const [whole, value, statement, comment] = found;
    if (found.index > from)
      pieces.push({ kind: 'text', text: text.slice(from, found.index), start: from, end: found.index });
    from = found.index + whole.length;
    const kind = value !== undefined ? 'value' : statement !== undefined ? 'statement' : 'comment';
    pieces.push({ kind, text: (value ?? statement ?? comment ?? '').trim(), start: found.index, end: from });
  }
  if (from < text.length) pieces.push({ kind: 'text', text: text.slice(from), start: from, end: text.length });
  return pieces;
}

/** A backslash before `${` would make a text of it. */
const BACKSLASH = "${'\\\\'}";

/** A text in our words; null when a value means nothing or a statement stands in it, which `refuse` has told. */
export function translated(
  text: string,
  valueOf: (piece: Piece) => string | null,
  refuse: (piece: Piece) => void,
): string | null {
  let written = '';
  let sound = true;
  for (const piece of piecesOf(text)) {
    if (piece.kind === 'text') written += literalText(piece.text);
    else if (piece.kind === 'statement') {
      refuse(piece);
      sound = false;
    } else if (piece.kind === 'value') {
      const value = valueOf(piece);
      if (value === null) sound = false;
      else written = `${written.replace(/\\$/, () => BACKSLASH)}\${${value}}`;
    }
  }
  return sound ? written : null;
}
