import { describe, expect, it } from 'vitest';
import { hiddenIn } from '../../../src/compiler/text/hidden-characters.js';
import { compileIn, createProject } from '../helpers/temporary-project.js';

const RIGHT_TO_LEFT = '\u202e';
const ZERO_WIDTH = '\u200b';
const TAG = '\u{e0041}';

function hidden(text: string, file = 'main.yml', others: Record<string, string> = {}): object[] {
  return compileIn(createProject({ [file]: text, ...others }), file).problems.filter(
    ({ code }) => code === 'hidden-character',
  );
}

const step = (text: string): string => `steps:\n  - command: [echo, "${text}"]\n`;

describe('characters of a definition that are not drawn', () => {
  it.each([
    ['a change of direction', RIGHT_TO_LEFT, 'U+202E'],
    ['a blank of no width', ZERO_WIDTH, 'U+200B'],
    ['a tag', TAG, 'U+E0041'],
    ['a joiner between letters that are not joined', '\u200d', 'U+200D'],
    ['a character of no meaning', '\ue000', 'U+E000'],
  ])('are told where they stand: %s', (_, character, name) => {
    expect(hidden(step(`ab${character}c`))).toEqual([
      expect.objectContaining({
        severity: 'warning',
        line: 2,
        column: 24,
        message: `This file has a character that is not drawn, ${name}: it says more than is seen, or something else.`,
      }),
    ]);
  });

  it('are counted, in every format', () => {
    const text = `a${TAG}${TAG}b${ZERO_WIDTH}`;
    const told = expect.objectContaining({
      message: expect.stringContaining('3 characters that are not drawn, first U+E0041'),
    });
    expect(hidden(step(text))).toEqual([told]);
    expect(hidden(`---\nname: one\n---\nDo ${text} now.\n`, 'agents/one.md')).toEqual([told]);
    expect(hidden(`"Do ${text} now"\n`, 'main.flow')).toEqual([told]);
    expect(hidden(JSON.stringify({ steps: [{ command: ['echo', text] }] }), 'main.json')).toEqual([told]);
  });

  it('are told of a skill where an agent names it', () => {
    const skill = { 'definitions/skills/tidy/SKILL.md': `Tidy up.${TAG}${TAG}\n` };
    expect(hidden(`---\nname: one\nskills: [tidy]\n---\nTidy.\n`, 'agents/one.md', skill)).toEqual([
      expect.objectContaining({
        severity: 'warning',
        line: 3,
        message:
          'The skill `tidy` has 2 characters that are not drawn, first U+E0041: it tells the agent more than is seen.',
        suggestion: 'take it out of `definitions/skills/tidy/SKILL.md`',
      }),
    ]);
  });

  it.each([
    ['emoji', '👩‍👩‍👧 ❤️ 🏴󠁧󠁢󠁥󠁮󠁧󠁿'],
    ['joiners of scripts that need them', 'می‌خواهم'],
    ['blanks', 'a\u00a0b\u3000c\u2009d'],
    ['an escape', '\\u202e'],
  ])('are none of %s', (_, text) => {
    expect(hidden(step(text))).toEqual([]);
  });

  it('are neither ends of lines of other systems nor the mark before a file', () => {
    expect(hidden(`\ufeff${step('a').replaceAll('\n', '\r\n')}`)).toEqual([]);
  });
});

// No file has it, but what a client makes may.
it('a character that ends texts elsewhere is found as any other', () => {
  expect(hiddenIn('ab\0\0c')).toEqual({ count: 2, at: 2, name: 'U+0000' });
});
