import { splitByEmoji } from './emoji.js';

/** Controls, formats, tags, variation selectors, fillers, unassigned, private and half characters. */
const NOT_DRAWN = '\\u{16fe4}\\p{Cc}\\p{Cf}\\p{DI}\\p{Cn}\\p{Co}\\p{Cs}\\p{Zl}\\p{Zp}';
/** Blanks that Unicode has no property for. */
const BLANK =
  '\\u{a0}\\u{1680}\\u{2000}-\\u{200a}\\u{202f}\\u{205f}\\u{2800}\\u{3000}\\u{fffc}\\u{13441}\\u{13442}\\u{1d159}';
/** Marks on one base are drawn over each other: more are a way to hide what is below. */
const HIDDEN = new RegExp(
  [
    `(?![\\n\\t])[${NOT_DRAWN}${BLANK}]`,
    // Marks without a base of their own, and those after the fourth.
    '(?<=^|\\s)\\p{M}+',
    '(?<=\\p{M}{4})\\p{M}+',
  ].join('|'),
  'gu',
);
/** Without one of these nothing is hidden: most texts are looked at no further, which megabytes notice. */
const NOT_PLAIN = /[^\n\t\x20-\x7e]/;
/** Without one of these an emoji has nothing hidden in it. */
const OF_EMOJI = /\u200d|\ufe0f|[\u{e0020}-\u{e007f}]/u;

/** A backslash that would pass for the beginning of an escape. */
const LIKE_ESCAPE = /\\(?=u\{[0-9a-f]{1,6}\})/g;
/** How a tab is shown; the character itself, which would pass for one, is an escape. */
const TAB = '\u21e5';
export const TAB_SHOWN = `${TAB}   `;

/**
 * Text of models, files and commands as people are shown it, in a terminal and elsewhere: each character that is
 * not drawn, or on which a terminal acts, is an escape such as `\u{200b}`. Lines stay lines; a tab is `⇥` and three
 * spaces. What is shown determines the text: `shownText` gives it back. A text is shown once: shown again, the escapes
 * in it are its own.
 */
export function safeText(text: string): string {
  return escapeHidden(text.replace(LIKE_ESCAPE, escapeOf).replaceAll(TAB, escapeOf)).replaceAll('\t', TAB_SHOWN);
}

/** Makes a foreign text safe to show, on one line: line breaks, tabs and spaces in a row become one space. */
export function safeLine(text: string): string {
  return safeText(text.replace(/[ \t\r\n]+/g, ' ').replace(/^ | $/g, ''));
}

/** The text that `safeText` has shown. */
export function shownText(shown: string): string {
  return shown
    .replaceAll(TAB_SHOWN, '\t')
    .replace(/\\u\{([0-9a-f]{1,6})\}/g, (_, digits: string) => String.fromCodePoint(parseInt(digits, 16)));
}

/**
 * Replaces each character that is not drawn by what `escape` makes of it; backslashes and tabs stay. Applied again it
 * changes nothing.
 */
export function escapeHidden(text: string, escape = escapeOf): string {
  if (!NOT_PLAIN.test(text) || text.search(HIDDEN) === -1) return text;
  if (!OF_EMOJI.test(text)) return escapeBetween(text, escape);
  return splitByEmoji(text)
    .map((part, index) => (index % 2 === 1 ? part : escapeBetween(part, escape)))
    .join('');
}

function escapeBetween(text: string, escape: (character: string) => string): string {
  return text.replace(HIDDEN, (part: string, at: number) =>
    MAY_BE_USUAL.has(part) && isUsual(part, text.slice(Math.max(0, at - 2), at), text.slice(at + 1, at + 3))
      ? part
      : [...part].map(escape).join(''),
  );
}

/** `\u{200b}` of a character. */
export function escapeOf(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}

const MAY_BE_USUAL = new Set(['\u200c', '\u200d', '\u00a0', '\u202f', '\u3000']);

/**
 * Tells whether a hidden character belongs between these: joiners in scripts whose letters need them, spaces of French
 * and of numbers, those of East Asia.
 */
function isUsual(character: string, before: string, after: string): boolean {
  switch (character) {
    case '\u200c':
    case '\u200d':
      return isJoining(lastOf(before)) && isJoining(firstOf(after));
    case '\u00a0':
    case '\u202f':
      return before.endsWith('«') || /^[!?;:»%€]/.test(after) || (/\d$/.test(before) && /^\d/.test(after));
    case '\u3000':
      return isEastAsian(lastOf(before)) || isEastAsian(firstOf(after));
    default:
      return false;
  }
}

const JOINING = ofScripts(
  'Arabic Syriac Nko Mongolian Devanagari Bengali Gurmukhi Gujarati Oriya Tamil Telugu Kannada Malayalam Sinhala ' +
    'Tibetan Myanmar Khmer',
);

function isJoining(letter: string): boolean {
  return /[\p{L}\p{M}]/u.test(letter) && JOINING.test(letter);
}

/** Matches a character of one of these scripts, which are parted by blanks. */
export function ofScripts(names: string): RegExp {
  const classes = names.split(' ').map((name) => `\\p{scx=${name}}`);
  return new RegExp(`[${classes.join('')}]`, 'u');
}

function isEastAsian(character: string): boolean {
  return /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{scx=Bopomofo}]/u.test(character);
}

function firstOf(text: string): string {
  return [...text][0] ?? '';
}

function lastOf(text: string): string {
  return [...text].at(-1) ?? '';
}
