import { nearest } from './did-you-mean.js';
import type { Place } from './source.js';
import { positionAt } from './source.js';

/** What to put where, so that a problem is gone. */
export interface Fix {
  at: Place;
  text: string;
}

/** The same for editors and programs. Lines and columns count from 1, in UTF-16 units; the end is exclusive. */
export interface Edit {
  /** Relative to the folder the command ran in, with forward slashes. */
  file: string;
  line: number;
  column: number;
  end_line: number;
  end_column: number;
  text: string;
}

/** A fix by lines and columns. */
export function editOf({ at: { source, start, end }, text }: Fix): Edit {
  const first = positionAt(source, start);
  const last = positionAt(source, end);
  return {
    ...{ file: source.file, line: first.line, column: first.column },
    ...{ end_line: last.line, end_column: last.column },
    text,
  };
}

/** What a name is made of in some format; quotes, brackets and signs around it are not part of it. */
const NAMES = /[^\s"'`{}()[\],;|=<>!?]+/g;

/**
 * The edit that a suggestion stands for, where it can be followed literally: ``did you mean `x`?`` puts `x` in place of
 * the name that is nearly that, and ``write `x` `` in place of all that is underlined. Null where a person must think.
 */
export function fixOf(at: Place, suggestion: string | null): Fix | null {
  const [, meant] = /^did you mean `([^`]+)`\?$/.exec(suggestion ?? '') ?? [];
  if (meant !== undefined) return inPlaceOfName(at, meant);
  const [, written] = /^write `([^`]+)`$/.exec(suggestion ?? '') ?? [];
  return written === undefined || written.includes('…') ? null : { at, text: quotedAs(at, written) };
}

function inPlaceOfName(at: Place, meant: string): Fix | null {
  const { text } = at.source;
  const line = text.slice(at.start, at.end).split('\n', 1)[0] ?? '';
  const names = [...line.matchAll(NAMES)].flatMap((found) => [found[0], ...found[0].split(/[.:/@]/)]);
  const wrong = nearest(
    meant,
    names.filter((name) => name !== '' && name !== meant),
  );
  if (wrong === null) return null;
  const start = at.start + line.indexOf(wrong);
  return { at: { ...at, start, end: start + wrong.length }, text: meant };
}

/** In JSON, a text stays between its quotes. */
function quotedAs({ source, start }: Place, written: string): string {
  return source.file.endsWith('.json') && source.text[start] === '"' && !/^["{[]/.test(written)
    ? JSON.stringify(written)
    : written;
}
