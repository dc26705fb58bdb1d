import { describe, expect, it } from 'vitest';
import { renderGate } from '../../src/cli/follow/gate-text.js';
import { readable } from '../../src/cli/follow/readable.js';
import type { OpenGate } from '../../src/cli/observe/view.js';
import type { Json } from '../../src/plan/json.js';
import { createPalette } from '../../src/cli/render/colors.js';
import { displayWidth } from '../../src/cli/render/width.js';

const open = (message: string): OpenGate => ({
  address: 'full-review-7k2m4xqa/approve', owner: 'full-review-7k2m4xqa',
  gate: { path: 'approve', kind: 'approval', message, content: null, hash: 'sha256:9c41aaaae07b', fallback: 'abort', since: '2026-01-01T00:00:00Z' },
});
const style = { width: 79, height: 24, palette: createPalette(false) };

describe('what a gate shows', () => {
  it.each<[string, Json, string]>([
    ['a text is itself', 'one\ntwo', 'one\ntwo'],
    ['JSON without lines in it is JSON', { a: 1, b: ['x'] }, '{\n  "a": 1,\n  "b": [\n    "x"\n  ]\n}'],
    ['a text of lines inside of JSON stands as lines', { what: 'workflow', content: { definition: 'name: x\nsteps:\n  - id: a\n' } }, 'what: workflow\ncontent:\n  definition: |\n    name: x\n    steps:\n      - id: a'],
    ['no line of a text passes for what stands beside it', { text: 'a\n\nwhat: nothing', what: 'all' }, 'text: |-\n  a\n\n  what: nothing\nwhat: all'],
  ])('%s', (_, json, shown) => {
    expect(readable(json)).toBe(shown);
  });
});

describe('a gate on the screen', () => {
  it('is one line with its hash where that fits, and wraps where it does not', () => {
    expect(renderGate(open('Save it?'), null, style)).toEqual(['◆ full-review-7k2m4xqa/approve wants approval: Save it?        sha256 9c41…e07b']);
    expect(renderGate(open('Save this report to the file report.md of this folder?'), null, style)).toEqual([
      '◆ full-review-7k2m4xqa/approve wants approval: Save this report to the file',
      '  report.md of this folder?',
      '  sha256 9c41…e07b',
    ]);
  });

  it('shows the head of long content and counts the rest, within the width and harmless', () => {
    const content = ['\u001b[2Jfirst\ttab', 'x'.repeat(200), ...Array.from({ length: 98 }, (_, index) => `line ${index}`)].join('\n');
    const lines = renderGate(open('Save it?'), content, style);
    expect(lines.length).toBeLessThan(24);
    expect(lines.slice(2, 4)).toEqual(['  │ ␛first    tab', `  │ ${'x'.repeat(74)}…`]);
    expect(lines.at(-1)).toBe('  ╰ … 84 more lines');
    expect(lines.filter((line) => displayWidth(line) > 79)).toEqual([]);
  });
});
