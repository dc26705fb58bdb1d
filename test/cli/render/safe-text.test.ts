import fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import {
  formatAge,
  formatCount,
  formatDuration,
  formatMinutes,
  formatUsd,
  gateHash,
} from '../../../src/cli/text/format.js';
import { safeJson, safeLine, safeName, safeText } from '../../../src/cli/text/safe-text.js';
import { clip, displayWidth, fit, wrap, wrapLines } from '../../../src/cli/text/width.js';
import { escapeHidden, shownText } from '../../../src/plan/text/safe-text.js';

describe('text on its way to people', () => {
  it.each([
    ['a colour', '\u001b[31mred\u001b[0m', '\\u{1b}[31mred\\u{1b}[0m'],
    ['a clipboard write', 'a\u001b]52;c;aGVsbG8=\u0007b', 'a\\u{1b}]52;c;aGVsbG8=\\u{7}b'],
    ['an 8-bit control sequence', 'a\u009b2Jb', 'a\\u{9b}2Jb'],
    ['an overwriting return', 'good\rbad\r\nnext', 'good\\u{d}bad\\u{d}\nnext'],
    ['backspaces, bells and NUL', 'a\b\u0007\0b', 'a\\u{8}\\u{7}\\u{0}b'],
    ['bidirectional overrides', 'a\u202eb\u2066c', 'a\\u{202e}b\\u{2066}c'],
    ['spaces without width', 'a\u200bb\u2060c\ufeffd\u00ade', 'a\\u{200b}b\\u{2060}c\\u{feff}d\\u{ad}e'],
    ['tags', 'a\u{e0041}\u{e0001}\u{e007f}b', 'a\\u{e0041}\\u{e0001}\\u{e007f}b'],
    [
      'variation selectors that hide data',
      'a\ufe0f\ufe00葛\u{e0100}🚀\ufe0f',
      'a\\u{fe0f}\\u{fe00}葛\\u{e0100}🚀\\u{fe0f}',
    ],
    [
      'fillers and blanks',
      '\u3164\u115f\u2800\u17b4\u034f\u180e',
      '\\u{3164}\\u{115f}\\u{2800}\\u{17b4}\\u{34f}\\u{180e}',
    ],
    ['spaces that are none', 'rm\u00a0-rf\u2003x\u3000y', 'rm\\u{a0}-rf\\u{2003}x\\u{3000}y'],
    ['line separators of Unicode', 'a\u2028b\u2029c\u0085d', 'a\\u{2028}b\\u{2029}c\\u{85}d'],
    [
      'unassigned, private and half characters',
      '\u0378\ue000\ud800a\udc00\uffff\u{f0000}',
      '\\u{378}\\u{e000}\\u{d800}a\\u{dc00}\\u{ffff}\\u{f0000}',
    ],
    ['more than four marks on one base', `e${'\u0301'.repeat(6)}x`, `e${'\u0301'.repeat(4)}\\u{301}\\u{301}x`],
    ['marks without a base of their own', '\u0301a\n\u0302b \u0303', '\\u{301}a\n\\u{302}b \\u{303}'],
    ['joiners where none belong', 'a\u200db\u200c 👨\u200d', 'a\\u{200d}b\\u{200c} 👨\\u{200d}'],
    ['what would pass for an escape', String.raw`\u{200b} \u{zz} \n`, String.raw`\u{5c}u{200b} \u{zz} \n`],
    ['a tab, and what would pass for one', 'a\tb⇥', 'a⇥   b\\u{21e5}'],
  ])('shows %s, and loses nothing', (_, text, shown) => {
    expect(safeText(text)).toBe(shown);
    expect(shownText(shown)).toBe(text);
    expect(escapeHidden(shown)).toBe(shown);
  });

  it.each([
    ['words of many languages', 'line\nwörld 界 Ελληνικά русский עברית ไทย'],
    ['emoji with all that belongs to them', '🚀 ❤️ 👨‍👩‍👧‍👦 🏳️‍🌈 👍🏽 1️⃣ 🇩🇪 🏴󠁧󠁢󠁥󠁮󠁧󠁿'],
    ['joiners between letters that need them', 'می‌خواهم क्‍ष শ্‌ক'],
    ['accents that are marks', 'e\u0301a\u0323\u0302'],
    ['spaces where they are usual', '«\u00a0oui\u202f» 10\u202f000\u00a0€ quoi\u202f? 日本\u3000語'],
  ])('leaves %s as they are', (_, text) => {
    expect(safeText(text)).toBe(text);
  });

  it('gives back every text from what was shown of it', () => {
    const characters = fc.constantFrom(
      'a',
      ' ',
      '\n',
      '\t',
      '\\',
      'u',
      '{',
      '}',
      '2',
      '0',
      'b',
      '⇥',
      '\u200b',
      '\u200d',
      '\ufe0f',
      '\u0301',
      '👨',
      '👩',
      '❤',
      '\ud83d',
      '\udc68',
      '\u{e0041}',
      'ی',
      'خ',
      '\u00a0',
      '日',
      '\u3000',
      '\u001b',
    );
    fc.assert(
      fc.property(
        fc.string({ unit: fc.oneof(characters, fc.string({ unit: 'binary', maxLength: 1 })), maxLength: 40 }),
        (text) => {
          expect(shownText(safeText(text))).toBe(text);
        },
      ),
      { numRuns: 3_000 },
    );
  });

  it('writes in JSON what is not drawn as escapes, and loses nothing', () => {
    const text = 'a\u001b[31m\u009b2J\u202e\u007f\u200b\u{e0041}é👨‍👩‍👧';
    expect(safeJson({ text })).toBe(String.raw`{"text":"a\u001b[31m\u009b2J\u202e\u007f\u200b\udb40\udc41é👨‍👩‍👧"}`);
    expect(JSON.parse(safeJson({ text }))).toEqual({ text });
  });

  it('puts a line on one line', () => {
    expect(safeLine(' a\r\n\tb  c \u2028')).toBe('a b c \\u{2028}');
  });
});

describe('names', () => {
  it.each([
    ['a letter of another alphabet in a Latin word', 'аdmin/payp\u0430l', '\\u{430}dmin/payp\\u{430}l'],
    ['a word that only looks Latin', 'сосо.ts', '\\u{441}\\u{43e}\\u{441}\\u{43e}.ts'],
    ['alphabets that are mixed', 'рαс', '\\u{440}\\u{3b1}\\u{441}'],
    ['forms of ASCII', 'ａdmin ﬁle 𝐱', '\\u{ff41}dmin \\u{fb01}le \\u{1d431}'],
    ['signs that look like those of paths', 'src∕a․ts', 'src\\u{2215}a\\u{2024}ts'],
    ['what is hidden', 'ad\u200bmin', 'ad\\u{200b}min'],
  ])('show %s', (_, name, shown) => {
    expect(safeName(name)).toBe(shown);
  });

  it.each([
    'full-review/scan#3',
    'résumé.md',
    'отчёт с данными.txt',
    'Ελληνικά',
    '日本語Docs.md',
    '한국어 abc',
    'ñandú',
  ])('leave %s as it is', (name) => {
    expect(safeName(name)).toBe(name);
  });
});

describe('columns', () => {
  it.each([
    ['abc', 3],
    ['界', 2],
    ['🚀', 2],
    ['e\u0301', 1],
    ['\u001b[31mred\u001b[39m', 3],
    ['✓ ⠼ …', 5],
  ])('%j takes %i', (text, width) => {
    expect(displayWidth(text)).toBe(width);
  });

  it('cuts and fills to the column', () => {
    expect(clip('abcdef', 4)).toBe('abc…');
    expect(clip('界界界', 4)).toBe('界…');
    expect(fit('ab', 4)).toBe('ab  ');
    expect(fit('abcdef', 4)).toBe('abc…');
    expect(clip('abcdef', 1)).toBe('…');
    expect(wrap('one two three', 7)).toEqual(['one two', 'three']);
    expect(wrap('\\u{200b}'.repeat(3), 12)).toEqual(['\\u{200b}', '\\u{200b}', '\\u{200b}']);
  });

  it('breaks lines without losing anything, within the width', () => {
    const words = fc.constantFrom('a', 'word', ' ', '   ', '界', '👨‍👩‍👧', 'e\u0301', '\\u{e0041}', 'x'.repeat(30), '\n');
    fc.assert(
      fc.property(fc.array(words, { maxLength: 40 }), fc.integer({ min: 1, max: 90 }), (parts, width) => {
        const text = parts.join('');
        const lines = wrapLines(text, width);
        expect(lines.map((pieces) => pieces.join('')).join('\n')).toBe(text);
        expect(lines.flat().filter((line) => displayWidth(line) > Math.max(2, width))).toEqual([]);
      }),
      { numRuns: 1_000 },
    );
  });

  it('knows by itself the width only of what `string-width` says the same of', () => {
    const wrong = Array.from({ length: 0x2f00 - 0x20 }, (_, index) => String.fromCodePoint(0x20 + index)).filter(
      (character) => displayWidth(character) !== stringWidth(character),
    );
    expect(wrong).toEqual([]);
  });
});

describe('numbers for people', () => {
  it.each([
    [99, '0.1s'],
    [9_949, '9.9s'],
    [41_000, '41s'],
    [59_600, '1m00s'],
    [66_000, '1m06s'],
    [7_380_000, '2h03m'],
    [200_000_000, '2d07h'],
    [-5, '0.0s'],
  ])('%i ms is %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });

  it.each([
    [0, '$0'],
    [0.0001, '<$0.001'],
    [0.031, '$0.031'],
    [5, '$5.00'],
    [null, 'cost unknown'],
  ])('%s dollars are %s', (usd, text) => {
    expect(formatUsd(usd)).toBe(text);
  });

  it('shows minutes, counts, ages and hashes', () => {
    expect([formatMinutes(30), formatMinutes(60), formatMinutes(90)]).toEqual(['30m', '1h', '1h30m']);
    expect([formatCount(999), formatCount(18_204), formatCount(1_000_000)]).toEqual(['999', '18,204', '1,000,000']);
    expect(formatAge('2026-01-01T00:00:00Z', Date.parse('2026-01-01T03:10:00Z'))).toBe('3h ago');
    expect(gateHash('sha256:9c41aaaae07b')).toBe('sha256 9c41…e07b');
  });
});
