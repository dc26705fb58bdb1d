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
import { safeJson } from '../../../src/cli/text/safe-text.js';
import { clip, displayWidth, fit, wrap, wrapLines } from '../../../src/cli/text/width.js';

it('writes in JSON what is not drawn as escapes, and loses nothing', () => {
  const text = 'a\u001b[31m\u009b2J\u202e\u007f\u200b\u{e0041}é👨‍👩‍👧';
  expect(safeJson({ text })).toBe(String.raw`{"text":"a\u001b[31m\u009b2J\u202e\u007f\u200b\udb40\udc41é👨‍👩‍👧"}`);
  expect(JSON.parse(safeJson({ text }))).toEqual({ text });
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
