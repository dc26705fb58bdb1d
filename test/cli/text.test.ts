import { describe, expect, it } from 'vitest';
import { formatAge, formatCount, formatDuration, formatMinutes, formatUsd, gateHash } from '../../src/cli/render/format.js';
import { safeJson, safeLine, safeText } from '../../src/cli/render/safe-text.js';
import { clip, displayWidth, fit, wrap } from '../../src/cli/render/width.js';

describe('text on its way to a terminal (S34)', () => {
  it.each([
    ['a colour', '\u001b[31mred\u001b[0m', '␛red␛'],
    ['a clipboard write', 'a\u001b]52;c;aGVsbG8=\u0007b', 'a␛b'],
    ['a hyperlink', '\u001b]8;;http://x\u001b\\link\u001b]8;;\u001b\\', '␛link␛'],
    ['a device control string', 'a\u001bPq#0\u001b\\b', 'a␛b'],
    ['an unfinished sequence, which hides nothing', 'a\u001b]0;title\nnext\u0007', 'a␛0;title\nnext'],
    ['an 8-bit control sequence', 'a\u009b2Jb', 'a␛b'],
    ['an overwriting return', 'good\rbad', 'goodbad'],
    ['a Windows line end', 'a\r\nb', 'a\nb'],
    ['backspaces and bells', 'a\b\u0007b', 'ab'],
    ['bidirectional overrides', 'a\u202eb\u2066c', 'abc'],
    ['a half character', 'a\ud800b', 'a\ufffdb'],
    ['what is harmless', 'tab\tline\nwörld 界 🚀', 'tab\tline\nwörld 界 🚀'],
  ])('makes %s harmless', (_, text, safe) => {
    expect(safeText(text)).toBe(safe);
  });

  it('writes in JSON what is no text as escapes, and loses nothing', () => {
    const text = 'a\u001b[31m\u009b2J\u202e\u007f\u200bé';
    expect(safeJson({ text })).toBe(String.raw`{"text":"a\u001b[31m\u009b2J\u202e\u007f\u200bé"}`);
    expect(JSON.parse(safeJson({ text }))).toEqual({ text });
  });

  it('puts a line on one line', () => {
    expect(safeLine(' a\n\tb  c ')).toBe('a b c');
  });
});

describe('columns', () => {
  it.each([['abc', 3], ['界', 2], ['🚀', 2], ['e\u0301', 1], ['\u001b[31mred\u001b[39m', 3], ['✓ ⠼ …', 5]])('%j takes %i', (text, width) => {
    expect(displayWidth(text)).toBe(width);
  });

  it('cuts and fills to the column', () => {
    expect(clip('abcdef', 4)).toBe('abc…');
    expect(clip('界界界', 4)).toBe('界…');
    expect(fit('ab', 4)).toBe('ab  ');
    expect(fit('abcdef', 4)).toBe('abc…');
    expect(wrap('one two three', 7)).toEqual(['one two', 'three']);
  });
});

describe('numbers for people', () => {
  it.each([[99, '0.1s'], [9_949, '9.9s'], [41_000, '41s'], [59_600, '1m00s'], [66_000, '1m06s'], [7_380_000, '2h03m'], [200_000_000, '2d07h'], [-5, '0.0s']])('%i ms is %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });

  it.each([[0, '$0'], [0.0001, '<$0.001'], [0.031, '$0.031'], [5, '$5.00'], [null, 'cost unknown']])('%s dollars are %s', (usd, text) => {
    expect(formatUsd(usd)).toBe(text);
  });

  it('shows minutes, counts, ages and hashes', () => {
    expect([formatMinutes(30), formatMinutes(60), formatMinutes(90)]).toEqual(['30m', '1h', '1h30m']);
    expect([formatCount(999), formatCount(18_204), formatCount(1_000_000)]).toEqual(['999', '18,204', '1,000,000']);
    expect(formatAge('2026-01-01T00:00:00Z', Date.parse('2026-01-01T03:10:00Z'))).toBe('3h ago');
    expect(gateHash('sha256:9c41aaaae07b')).toBe('sha256 9c41…e07b');
  });
});
