import { describe, expect, it } from 'vitest';
import { compileText } from '../helpers/temporary-project.js';

/** Each problem of a text: position, message, fix. */
function told(text: string): string[] {
  return compileText(text).problems.map(
    ({ line, column, message, suggestion }) =>
      `${line}:${column} ${message}${suggestion === null ? '' : ` (${suggestion})`}`,
  );
}

const STEP = 'steps:\n  - agent: scanner\n';

describe('what is no YAML', () => {
  it.each([
    [
      'a quote without its partner',
      `${STEP}    prompt: "unclosed\n  - agent: linter\n`,
      '3:13 Expected `"` at the end of this text. (a `"` inside a text is written `\\"`)',
    ],
    [
      'an apostrophe in single quotes',
      `${STEP}    prompt: 'it's'\n`,
      "3:17 Expected the end of the line after a text in quotes, got `s'`. (a `'` inside a text in single " +
        "quotes is written `''`)",
    ],
    [
      'words after a text in quotes',
      `${STEP}    prompt: "quoted" and more\n`,
      '3:22 Expected the end of the line after a text in quotes, got `and more`. (put the whole text in quotes)',
    ],
    [
      'a map without its brace',
      `${STEP}    inputs: {a: b, c: d\n  - agent: linter\n`,
      '3:13 Expected `}` for this `{`.',
    ],
    ['a list without its bracket', `${STEP}    tools: [Read, Grep\n    prompt: x\n`, '3:12 Expected `]` for this `[`.'],
    ['a list that a brace closes', `${STEP}    inputs: {a: [1, 2}\n`, '3:17 Expected `]` for this `[`.'],
    [
      'a key that is indented too little',
      'steps:\n  - agent: scanner\n   prompt: x\n',
      '3:4 Expected this line to begin where those beside it begin. (indent it as they are, or begin it with `- `)',
    ],
    [
      'a key that is indented too much',
      'name: x\n  steps: []\n',
      '2:3 This line is indented as if it belonged to the value above, which is complete. (indent it as its key above)',
    ],
    [
      'a colon in a text',
      'description: Review: all\nsteps: []\n',
      '1:14 This text holds `: `, which starts a map inside it. (put the text in quotes)',
    ],
    [
      'a block text that is not indented',
      `${STEP}    prompt: |\n    Look at it.\n    Twice.\n`,
      '4:5 Expected the text to be indented below its key. (indent it by two more spaces than the key)',
    ],
    ['a key without its colon', 'name: x\nsteps\n', '2:1 Expected a key and `:`, got `steps`.'],
    [
      'a key glued to its value',
      'name:x\nsteps: []\n',
      '1:1 Expected a key and `:`, got `name:x`. (write a space after `:`)',
    ],
    [
      'a text that begins with a star',
      `${STEP}    prompt: *bold*\n`,
      '3:13 Aliases are not expanded. (write the value out; a text that begins with `*` stands in quotes)',
    ],
    [
      'a text that begins with an at sign',
      'steps:\n  - agent: @scanner\n',
      '2:12 A text that begins with `@` stands in quotes. (put it in quotes)',
    ],
    [
      'a tag',
      `${STEP}    prompt: !include prompt.txt\n`,
      '3:13 Tags mean nothing here, and `!include` is one. (write the value itself, or put the text in quotes)',
    ],
    [
      'an escape that is none',
      `${STEP}    prompt: "echo \\\${PATH}"\n`,
      '3:19 `\\$` is no escape in double quotes. (write `\\\\$`, or put the text in single quotes)',
    ],
    [
      'a template of another tool',
      `${STEP}    prompt: {{ target }}\n`,
      '3:14 Expected a text as key, got a list, a map or a tagged value. (put the text with `{{…}}` in quotes: ' +
        '"{{…}}")',
    ],
  ])('is told once, where a person looks for it: %s', (_title, text, expected) => {
    expect(told(text)).toEqual([expected]);
  });

  it('is told once for the misread braces of one line', () => {
    expect(told(`${STEP}    inputs: {a: \${steps[0].output}, b: \${target}}\n`)).toEqual([
      '3:18 YAML reads this brace as a map of its own. (put the text with `${…}` in quotes: "${…}")',
    ]);
  });

  it('is told once for tabs on all lines', () => {
    expect(told('steps:\n\t- agent: scanner\n\t  prompt: x\n')).toEqual([
      '2:1 Tabs are not allowed as indentation. (indent with spaces)',
    ]);
  });

  it('is told for each line that has a fault of its own', () => {
    expect(told('name: a: b\ndescription: c: d\nsteps: []\n').map((line) => line.split(' ')[0])).toEqual([
      '1:7',
      '2:14',
    ]);
  });
});
