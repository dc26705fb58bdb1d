import { describe, expect, it } from 'vitest';
import { diffLines, shownParts } from '../../../src/web/data/line-diff.js';
import { Diff } from '../../../src/web/views/diff.js';

const numbered = (count: number): string[] => Array.from({ length: count }, (_, at) => `line ${at}`);

/** A diff in short: marks and texts. */
function shown(before: string[], after: string[]): string[] {
  const marks = { same: ' ', removed: '-', added: '+' };
  return shownParts(diffLines(before.join('\n'), after.join('\n'))).map((part) =>
    'count' in part ? `${part.kind} ${part.count}` : `${marks[part.kind]}${part.text}`,
  );
}

describe('a diff that people read', () => {
  it('has what differs with a few lines around it', () => {
    const after = numbered(100).map((line, at) => (at === 50 ? 'other' : line));
    expect(shown(numbered(100), after)).toEqual([
      ...['same-left 47', ' line 47', ' line 48', ' line 49', '-line 50', '+other'],
      ...[' line 51', ' line 52', ' line 53', 'same-left 46'],
    ]);
  });

  it.each([
    ['short', ['a', 'b', 'c', 'd'], ['a', 'b', 'c', 'e'], [' a', ' b', ' c', '-d', '+e']],
    ['of what is the same', numbered(9), numbered(9), ['same-left 9']],
    [
      'with one line more than stands around',
      ['x', ...numbered(7), 'y'],
      [...numbered(7)],
      ['-x', ...numbered(7).map((line) => ` ${line}`), '-y'],
    ],
    [
      'with two lines more than stand around',
      ['x', ...numbered(8), 'y'],
      [...numbered(8)],
      ['-x', ' line 0', ' line 1', ' line 2', 'same-left 2', ' line 5', ' line 6', ' line 7', '-y'],
    ],
  ])('leaves out no more than that where it is %s', (_, before, after, parts) => {
    expect(shown(before, after)).toEqual(parts);
  });

  it('says how many lines differ beyond those that it shows', () => {
    const parts = shown([''], ['', ...numbered(1_000_000)]);
    expect(parts).toHaveLength(2_002);
    expect(parts.at(-1)).toBe('differing-left 998000');
    const lines = diffLines('', numbered(5_000).join('\n'));
    expect(String(Diff({ lines, label: 'Against before' }))).toContain('⋯ 3001 more lines differ');
  });
});
