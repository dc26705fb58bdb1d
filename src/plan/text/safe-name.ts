import { escapeHidden, escapeOf, ofScripts, safeText, TAB_SHOWN } from './safe-text.js';

/** Letters of other alphabets that are drawn as Latin ones are. */
const LIKE_LATIN = new RegExp(
  `[${[
    'аԁеһіјӏкмноԛрѕтсуѵԝхѡьАВЕІЈКМНОРԚЅТСУԜХ', // Cyrillic
    'ΑΒΕΖΗΙΚΜΝΟΡΤΥΧαικνορτυωχϲϳ', // Greek
    'օոսցհյքզԼԱՕՍ', // Armenian
    'ᎪᎬᎠᏴᏟᎻᎫᏦᏞᎷᎾᏢᏒᏚᎢᏙᎳᏃ', // Cherokee
    'ⲟⲣⲥ', // Coptic
    'ꓐꓚꓓꓰꓖꓧꓲꓙꓗꓡꓟꓠꓳꓑꓣꓢꓔꓴꓦꓪꓫꓬꓜ', // Lisu
  ].join('')}]`,
  'u',
);
/** Alphabets that may stand beside Latin in one word: nothing in them is drawn as a Latin letter. */
const BESIDE_LATIN = ofScripts('Latin Han Hiragana Katakana Hangul Bopomofo Common Inherited');
/** Alphabets that look alike. */
const ALIKE = ['Cyrillic', 'Greek', 'Armenian'].map(ofScripts);
/** Letters and signs that are drawn as ones of ASCII. */
const LIKE_ASCII = new RegExp(
  `[${[
    '\u0251\u0261\u01c0-\u01c3', // ɑ ɡ, and clicks: ǀ ǁ ǂ ǃ
    '\u1d00-\u1d2b\u0262\u026a\u0274\u0280\u028f\u0299\u029c\u029f\ua730\ua731', // Small capitals: ᴄ ᴏ ᴠ ɪ ɴ
    '\u2044\u2215\u29f8\u29f5\ua789\u2236\u02d0\u0589\u05c3\u201a', // ⁄ ∕ ⧸ ⧵ ꞉ ∶ ː ։ ׃ ‚
    '\u02d7\u2010\u2011\u2212', // ˗ ‐ ‑ −
  ].join('')}]`,
  'u',
);

/**
 * A name of a file, an agent, a step, a tool or a person, on one line, in which nothing passes for another name: line
 * breaks, tabs, spaces at an end, letters of another alphabet in a Latin word, words that only look Latin, and forms of
 * ASCII characters are escapes as well.
 */
export function safeName(name: string): string {
  const shown = safeText(name)
    .replaceAll(TAB_SHOWN, escapeOf('\t'))
    .replace(/\n|^ +| +$/g, (blanks) => [...blanks].map(escapeOf).join(''));
  // eslint-disable-next-line no-control-regex -- all of ASCII
  if (/^[\x00-\x7f]*$/.test(shown)) return shown;
  const words = shown.match(/[\p{L}\p{M}]+/gu) ?? [];
  const isForeign = words.some((word) => !isLatinLike(word));
  const escaped = shown
    .replace(/[\p{L}\p{M}]+/gu, (word) => escapeLookAlikes(word, isForeign))
    .replace(/[^\p{ASCII}]/gu, (character) =>
      LIKE_ASCII.test(character) || isFormOfAscii(character) ? escapeOf(character) : character,
    );
  // A joiner belongs between letters: beside an escape it is hidden.
  return escapeHidden(escaped);
}

/** A text as `safeText` or `safeLine` shows it, which says these names, with each as `safeName` shows it. */
export function withSafeNames(shown: string, names: string[] = []): string {
  return names.reduce((text, name) => text.replaceAll(safeText(name), safeName(name)), shown);
}

/** Words that are not Latin stay where the name has others that could not pass for Latin: it is of that language. */
function escapeLookAlikes(word: string, isForeign: boolean): string {
  const letters = [...word];
  const others = letters.filter((letter) => !BESIDE_LATIN.test(letter));
  const hasLatin = letters.some((letter) => /\p{Script=Latin}/u.test(letter));
  const isMixed = others.length > 0 && (hasLatin || new Set(others.map(alphabetOf)).size > 1);
  if (!isMixed && (isForeign || !letters.some((letter) => LIKE_LATIN.test(letter)))) return word;
  return letters.map((letter) => (BESIDE_LATIN.test(letter) ? letter : escapeOf(letter))).join('');
}

/** Tells whether a word could be read as a Latin one. */
function isLatinLike(word: string): boolean {
  return [...word].every((letter) => BESIDE_LATIN.test(letter) || LIKE_LATIN.test(letter));
}

/** Which of the alphabets that look alike a letter is of; -1 for all others. */
function alphabetOf(letter: string): number {
  return ALIKE.findIndex((alphabet) => alphabet.test(letter));
}

/** `ａ`, `𝐚`, `ﬁ`, `／`. */
function isFormOfAscii(character: string): boolean {
  return /^\p{ASCII}+$/u.test(character.normalize('NFKC'));
}
