import { escapeHidden } from '../../plan/text/safe-text.js';
import type { Report } from '../problems/problem.js';
import type { Source } from '../problems/source.js';

/** What a text holds that its reader does not see. */
interface Hidden {
  count: number;
  /** Where the first one is, in UTF-16 units. */
  at: number;
  /** `U+202E`. */
  name: string;
}

/** Blanks, ends of lines of other systems, and the mark that some editors put before a file: they hide nothing. */
const HARMLESS = /^(?:\p{Zs}|\r)$/u;

/** Finds characters of a file that are not drawn; null where all that it says is seen. */
export function hiddenIn(text: string): Hidden | null {
  const bare = text.replace(/^\ufeff/, ' ');
  let count = 0;
  const escaped = escapeHidden(bare, (character) => {
    if (HARMLESS.test(character)) return character;
    count += 1;
    return '';
  });
  if (count === 0) return null;
  let at = 0;
  while (bare[at] === escaped[at]) at += 1;
  return { count, at, name: codeOf(bare.codePointAt(at) ?? 0) };
}

/** A text in double quotes with an escape of YAML in place of each character that is not drawn. */
export function escapeUndrawn(text: string): string {
  return escapeHidden(text, (character) => (HARMLESS.test(character) ? character : yamlEscape(character)));
}

function yamlEscape(character: string): string {
  const digits = (character.codePointAt(0) ?? 0).toString(16);
  return digits.length > 4 ? `\\U${digits.padStart(8, '0')}` : `\\u${digits.padStart(4, '0')}`;
}

/** Says how many characters are hidden, as the rest of a sentence. */
export function hiddenWords({ count, name }: Hidden): string {
  return count === 1
    ? `a character that is not drawn, ${name}`
    : `${count} characters that are not drawn, first ${name}`;
}

/** Warns of a file that says more than its readers see. */
export function warnOfHidden(source: Source, report: Report): void {
  const hidden = hiddenIn(source.text);
  if (hidden === null) return;
  report({
    code: 'hidden-character',
    severity: 'warning',
    at: { source, path: '', start: hidden.at, end: hidden.at + 1 },
    message: `This file has ${hiddenWords(hidden)}: it says more than is seen, or something else.`,
    suggestion: 'take it out, or, where it is meant, write it as an escape such as `"\\u202e"`',
  });
}

function codeOf(point: number): string {
  return `U+${point.toString(16).toUpperCase().padStart(4, '0')}`;
}
