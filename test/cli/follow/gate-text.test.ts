import { describe, expect, it } from 'vitest';
import { optionLines, renderGate, unseenLines } from '../../../src/cli/follow/gate-text.js';
import { readable } from '../../../src/cli/follow/readable.js';
import type { OpenGate } from '../../../src/cli/observe/view/view.js';
import type { Json } from '../../../src/plan/values/json.js';
import { createPalette } from '../../../src/cli/text/colors.js';
import { displayWidth } from '../../../src/cli/text/width.js';

const open = (message: string): OpenGate => ({
  address: 'full-review-7k2m4xqa/approve',
  owner: 'full-review-7k2m4xqa',
  gate: {
    path: 'approve',
    kind: 'approval',
    message,
    content: null,
    hash: 'sha256:9c41aaaae07b',
    fallback: 'abort',
    since: '2026-01-01T00:00:00Z',
  },
});
const style = { width: 79, height: 24, palette: createPalette(false) };

describe('what a gate shows', () => {
  it.each<[string, Json, string]>([
    ['a text is itself', 'one\ntwo', 'one\ntwo'],
    ['JSON without lines in it is JSON', { a: 1, b: ['x'] }, '{\n  "a": 1,\n  "b": [\n    "x"\n  ]\n}'],
    [
      'a text of lines inside of JSON stands as lines',
      { what: 'workflow', content: { definition: 'name: x\nsteps:\n  - id: a\n' } },
      'what: workflow\ncontent:\n  definition: |\n    name: x\n    steps:\n      - id: a',
    ],
    [
      'no line of a text passes for what stands beside it',
      { text: 'a\n\nwhat: nothing', what: 'all' },
      'text: |-\n  a\n\n  what: nothing\nwhat: all',
    ],
  ])('%s', (_, json, shown) => {
    expect(readable(json)).toBe(shown);
  });
});

describe('a gate on the screen', () => {
  it('is one line with its hash where that fits, and wraps where it does not', () => {
    expect(renderGate(open('Save it?'), null, style)).toEqual([
      '◆ full-review-7k2m4xqa/approve wants approval: Save it?        sha256 9c41…e07b',
    ]);
    expect(renderGate(open('Save this report to the file report.md of this folder?'), null, style)).toEqual([
      '◆ full-review-7k2m4xqa/approve wants approval: Save this report to the file',
      '  report.md of this folder?',
      '  sha256 9c41…e07b',
    ]);
  });

  it('shows the head of long content and counts the rest, within the width and with all that is in it', () => {
    const content = [
      '\u001b[2Jfirst\ttab',
      'x'.repeat(200),
      ...Array.from({ length: 98 }, (_, index) => `line ${index}`),
    ].join('\n');
    const lines = renderGate(open('Save it?'), content, style);
    expect(lines.length).toBeLessThan(24);
    expect(lines.slice(2, 6)).toEqual([
      '  │ \\u{1b}[2Jfirst⇥   tab',
      `  │ ${'x'.repeat(75)}`,
      `  ┊ ${'x'.repeat(75)}`,
      `  ┊ ${'x'.repeat(50)}`,
    ]);
    expect(lines.at(-1)).toBe('  ╰ … 86 more lines');
    expect(unseenLines(open('Save it?'), content, style)).toBe(86);
    expect(lines.filter((line) => displayWidth(line) > 79)).toEqual([]);
  });

  it('has room for a paragraph that takes several lines, and shows all of it', () => {
    const paragraph = 'All of this is approved, and all of it is shown. '.repeat(8).trim();
    const lines = renderGate(open('Save it?'), paragraph, style);
    expect(
      lines
        .slice(2)
        .map((line) => line.slice(4))
        .join(''),
    ).toBe(paragraph);
    expect(unseenLines(open('Save it?'), paragraph, style)).toBe(0);
  });

  it.each([1, 2, 5, 9, 24, 60])('has counted every line that does not fit on %i', (height) => {
    for (const [message, length] of [
      ['Save it?', 5],
      ['Save it?', 10_000],
      ['word '.repeat(400), 3],
    ] as const) {
      const content = Array.from({ length }, (_, index) => `line ${index}`).join('\n');
      const lines = renderGate(open(message), content, { ...style, width: 40, height });
      const unseen = unseenLines(open(message), content, { ...style, width: 40, height });
      const shown = lines.filter((line) => line.startsWith('  │ ')).length;
      expect(unseen).toBeGreaterThanOrEqual(length - shown);
      expect(lines.length - (unseen - (length - shown)) + MARGIN).toBeLessThanOrEqual(Math.max(height, MARGIN + 2));
    }
  });
});

/** The empty line above a gate, its keys, and the line of the cursor. */
const MARGIN = 3;

it('wraps the options of a gate, so that none of its lines takes two of the screen', () => {
  const { gate } = open('Which?');
  const options = Array.from({ length: 20 }, (_, index) => `option number ${index}`);
  const lines = optionLines({ ...gate, options }, 79);
  expect(lines.length).toBeGreaterThan(3);
  expect(Math.max(...lines.map(displayWidth))).toBeLessThanOrEqual(79);
  expect(lines.join(' ').replace(/ +/g, ' ')).toContain('option number 0 · option number 1');
});
