import { describe, expect, it } from 'vitest';
import { createOffsets } from '../../../src/compiler/text/scalar-offsets.js';
import { compileText, problemsOf } from '../helpers/temporary-project.js';

describe('positions', () => {
  it.each([
    // Each text has its one flaw in another way of writing a text: an unknown step.
    ['plain', '  - agent: scanner\n    prompt: see ${steps.nope.output}\n', '3:19'],
    ['single quotes', "  - agent: scanner\n    prompt: 'it''s ${steps.nope.output}'\n", '3:22'],
    ['double quotes', '  - agent: scanner\n    prompt: "say \\"hi\\"\\n\\u00e9 ${steps.nope.output}"\n', '3:35'],
    [
      'a double-quoted line that goes on',
      '  - agent: scanner\n    prompt: "one \\\n      two ${steps.nope.output}"\n',
      '4:13',
    ],
    ['a literal block', '  - agent: scanner\n    prompt: |\n      one\n        two ${steps.nope.output}\n', '5:15'],
    [
      'a literal block with an indent and a chomp',
      '  - agent: scanner\n    prompt: |2-\n        one ${steps.nope.output}\n',
      '4:15',
    ],
    [
      'a folded block',
      '  - agent: scanner\n    prompt: >-\n      one\n      two\n\n      three ${steps.nope.output}\n',
      '7:15',
    ],
    ['a plain text over two lines', '  - agent: scanner\n    prompt: one\n      two ${steps.nope.output}\n', '4:13'],
    ['a flow map', '  - {agent: scanner, inputs: {a: ["x", "${steps.nope.output}"]}}\n', '2:43'],
    [
      'a comment before it',
      '  # ${not.this}\n  - agent: scanner # nor ${this}\n    prompt: ${steps.nope.output}\n',
      '4:15',
    ],
    ['characters of two units', '  - agent: scanner\n    prompt: "😀 ${steps.nope.output}"\n', '3:19'],
  ])('are exact in %s', (_style, steps, position) => {
    expect(problemsOf(`steps:\n${steps}`)).toEqual([`${position} unknown-step`]);
  });

  it('are exact with Windows line ends and a byte order mark', () => {
    expect(
      problemsOf('\uFEFFsteps:\r\n  - agent: scanner\r\n    prompt: |\r\n      one\r\n      ${steps.nope.output}\r\n'),
    ).toEqual(['5:9 unknown-step']);
  });

  it('mark as many characters as the fault has', () => {
    const [problem] = compileText('steps:\n  - agent: scanner\n    prompt: "see ${steps.nope.output ?? 1}"\n').problems;
    expect(problem).toMatchObject({
      line: 3,
      column: 20,
      length: 'steps.nope.output'.length,
      path: 'steps[0].prompt',
      file: 'flow.yml',
    });
  });

  it('are all reported, in the order of the file', () => {
    const text = [
      'nme: x',
      'execution: serial',
      'steps:',
      '  - agent: scaner',
      '    timeout: 5',
      '  - command: ls -l',
      '  - prompt: hello',
      '  - {command: [a], when: "yes", needs: [7]}',
    ].join('\n');
    expect(problemsOf(text)).toEqual([
      '1:1 unknown-key',
      '2:12 invalid-value',
      '4:12 unknown-agent',
      '5:14 invalid-value',
      '6:14 command-not-list',
      '7:5 step-kind',
      '8:26 when-not-expression',
      '8:41 unknown-step',
    ]);
    expect(problemsOf(text.slice(text.indexOf('steps:')).replace('    timeout: 5\n', ''))).toEqual([
      '2:12 unknown-agent',
      '3:14 command-not-list',
      '4:5 step-kind',
      '5:26 when-not-expression',
      '5:41 unknown-step',
    ]);
  });

  it('of a text cut by a comment come with the reason', () => {
    const [problem] = compileText('steps:\n  - agent: scanner\n    prompt: ${a ?? "issue #1"}\n').problems;
    expect(problem).toMatchObject({ code: 'invalid-template', suggestion: expect.stringContaining('quotes') });
  });

  it.each(['{a: ${b}}', '[${b}]', '{a: x, c: ${b ?? 1}}'])('of the misread %s come with the hint to quote', (value) => {
    const { problems } = compileText(`steps:\n  - agent: scanner\n    inputs: {x: ${value}}\n`);
    expect(problems[0]).toMatchObject({
      code: 'invalid-yaml',
      line: 3,
      suggestion: 'put the text with `${…}` in quotes: "${…}"',
    });
  });
});

describe('createOffsets', () => {
  it.each([
    ["it's", "'it''s'", 'single', [1, 2, 3, 5]],
    ['a"\nb', '"a\\"\\nb"', 'double', [1, 2, 3, 6]],
    ['A b', '"\\x41 b"', 'double', [1, 2, 6]],
    ['a\nb\n', '|\n  a\n  b\n', 'block', [4, 5, 8, 9]],
    ['ab', 'ab', 'plain', [0, 1]],
  ] as const)('maps %j to its source %j', (text, source, style, offsets) => {
    const offsetOf = createOffsets(text, source, style);
    expect([...text].map((_, index) => offsetOf(index))).toEqual(offsets);
  });
});
