import { expect, it } from 'vitest';
import { LINE_CHARACTERS, formatLines, linesOf, parseLines } from '../../../src/store/logs/log-lines.js';

const AT = '2026-11-26T10:00:00.000Z';
const long = (before: number): string => `${'x'.repeat(before)}👨${'y'.repeat(LINE_CHARACTERS)}`;

it.each([0, 1, 2, 3].map((less) => LINE_CHARACTERS - less))('cuts no character in two that begins at %i', (before) => {
  const lines = [...linesOf('stdout', long(before), AT)];
  expect(lines.map(({ text }) => text).join('')).toBe(long(before));
  for (const { text } of lines) {
    expect(text).not.toMatch(/^[\udc00-\udfff]|[\ud800-\udbff]$/);
    expect(text.length).toBeLessThanOrEqual(LINE_CHARACTERS);
  }
});

it('makes no line of nothing, one of what fits, and two of what does not', () => {
  const counts = [0, 1, LINE_CHARACTERS, LINE_CHARACTERS + 1].map(
    (length) => [...linesOf('note', 'x'.repeat(length), AT)].length,
  );
  expect(counts).toEqual([0, 1, 1, 2]);
});

it('reads what it has written, and leaves out what is damaged', () => {
  const lines = [...linesOf('stderr', 'a\nb', AT), ...linesOf('text', '', AT), ...linesOf('text', 'c', AT)];
  expect(parseLines(Buffer.from(`${formatLines(lines)}{"at":"20\n\n${formatLines(lines)}`))).toEqual([
    ...lines,
    ...lines,
  ]);
});
