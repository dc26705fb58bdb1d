import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { safeName } from '../../../src/plan/text/safe-name.js';
import { escapeHidden, safeLine, safeText, shownText } from '../../../src/plan/text/safe-text.js';

const odd = fc.string({
  unit: fc.oneof(
    fc.constantFrom(
      ...['a', ' ', '\n', '\t', '\\', 'u', '{', '}', '2', '0', 'b', '⇥'],
      ...['\u200b', '\u200c', '\u200d', '\ufe0f', '\u0301', '\u{e0041}', '\u001b', '\u00a0', '\u3000'],
      ...['👨', '👩', '❤', '\ud83d', '\udc68', 'ی', 'خ', '日', 'с', 'о', 'α'],
    ),
    fc.string({ unit: 'binary', maxLength: 1 }),
  ),
  maxLength: 40,
});

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
    ['joiners with one letter that needs them', 'ی\u200ca b\u200dی', 'ی\\u{200c}a b\\u{200d}ی'],
    ['joiners at an end', '\u200cی ی\u200d', '\\u{200c}ی ی\\u{200d}'],
    ['spaces beside one number', '10\u202fa5 a\u00a010 1a\u202f5', '10\\u{202f}a5 a\\u{a0}10 1a\\u{202f}5'],
    ['spaces not right before a mark', 'a\u00a0b! «a\u00a0b', 'a\\u{a0}b! «a\\u{a0}b'],
    ['other blanks beside those of East Asia', '日\u2003本', '日\\u{2003}本'],
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
    ['a space of East Asia beside other words', '日\u3000a b\u3000本'],
    ['spaces where they are usual', '«\u00a0oui\u202f» 10\u202f000\u00a0€ quoi\u202f? 日本\u3000語'],
  ])('leaves %s as they are', (_, text) => {
    expect(safeText(text)).toBe(text);
  });

  it('gives back every text from what was shown of it, in which nothing is hidden', () => {
    fc.assert(
      fc.property(odd, (text) => {
        const shown = safeText(text);
        expect(shownText(shown)).toBe(text);
        expect(escapeHidden(shown)).toBe(shown);
      }),
      { numRuns: 3_000 },
    );
  });

  const people = ['👨', '👩', '🧒', '🚀', '🔥', '🐈', '🌈', '☠'];
  it.each([
    ['one in each line', '12345 ✔️ passed\n'.repeat(200_000)],
    ['joined ones', 'a👩‍🚀b\n'.repeat(300_000)],
    [
      'what is none',
      Array.from({ length: 100_000 }, (_, at) =>
        [at, at >> 3, at >> 6, at >> 9].map((one) => people[one % people.length]).join('\u200d'),
      ).join(' '),
    ],
  ])('is looked at as fast where it is megabytes with emoji, and has %s', (_, text) => {
    const without = text.replaceAll(/\u200d|\ufe0f/g, '\u200b');
    const took = (one: string): number => {
      const before = process.cpuUsage();
      safeText(one);
      return process.cpuUsage(before).user;
    };
    safeText(text.slice(0, 1000)); // all emoji become known once
    expect(took(text)).toBeLessThan(4 * took(without));
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
    ['what is hidden in ASCII', 'a\u001bb', 'a\\u{1b}b'],
    ['a Latin word with one other letter among others', 'résumе', 'résum\\u{435}'],
    ['a Greek word that only looks Latin', 'ΑΒ', '\\u{391}\\u{392}'],
    ['an Armenian letter in a Greek word', 'αօ', '\\u{3b1}\\u{585}'],
    ['each mixed word beside words of a language', 'отчёт pаy', 'отчёт p\\u{430}y'],
    ['a form of more than ASCII, in part', '﹩a', '\\u{fe69}a'],
    ['Cyrillic and Greek in one word', 'жβ', '\\u{436}\\u{3b2}'],
    ['Greek and Armenian in one word', 'λժ', '\\u{3bb}\\u{56a}'],
    ['Armenian and Cyrillic in one word', 'ժж', '\\u{56a}\\u{436}'],
    ['Greek and an alphabet that looks like none', 'λש', '\\u{3bb}\\u{5e9}'],
    ['a look-alike beside a letter of East Asia', '日о', '日\\u{43e}'],
    ['a word that only looks Latin beside numbers of another language', 'со १', '\\u{441}\\u{43e} १'],
    ['a line break', 'a\nb', 'a\\u{a}b'],
    ['a tab and the sign of one', 'a\tb⇥', 'a\\u{9}b\\u{21e5}'],
    ['spaces at the ends', ' a b  ', '\\u{20}a b\\u{20}\\u{20}'],
    ['a joiner beside a letter that was escaped', 'خ\u200cیa', 'خ\\u{200c}\\u{6cc}a'],
  ])('show %s', (_, name, shown) => {
    expect(safeName(name)).toBe(shown);
  });

  it.each([
    'full-review/scan#3',
    'résumé.md',
    'plain.ts',
    'two  spaces.ts',
    '',
    'мир сор',
    '日本語 Ёлка',
    '½ ©',
    'отчёт с данными.txt',
    'Ελληνικά',
    '日本語Docs.md',
    '한국어 abc',
    'ñandú',
    'чи\u0306 λ\u0301',
    'שش',
    'می\u200cخواهم',
  ])('leave %s as it is', (name) => {
    expect(safeName(name)).toBe(name);
  });

  it('hide nothing', () => {
    fc.assert(
      fc.property(odd, (name) => {
        expect(escapeHidden(safeName(name))).toBe(safeName(name));
      }),
    );
  });

  it('are on one line, and each is shown as no other is', () => {
    fc.assert(
      fc.property(odd, (name) => {
        const shown = safeName(name);
        expect(shown).not.toMatch(/\n|^ | $/);
        expect(shownText(shown)).toBe(name);
      }),
    );
  });
});
