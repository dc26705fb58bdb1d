import { describe, expect, it } from 'vitest';
import { problemsOf } from '../helpers/temporary-project.js';

/** Compiles steps written one a line; `¦` stands before each place that a problem must name. */
function placesIn(lines: string[], codes: string[]): { found: string[]; expected: string[] } {
  const places: string[] = [];
  const text = lines.map((line, index) => {
    let clean = line;
    for (let at = clean.indexOf('¦'); at !== -1; at = clean.indexOf('¦')) {
      places.push(`${index + 1}:${at + 1}`);
      clean = clean.slice(0, at) + clean.slice(at + 1);
    }
    return clean;
  });
  return {
    found: problemsOf(`${text.join('\n')}\n`),
    expected: places.map((place, index) => `${place} ${codes[index]}`),
  };
}

describe('one fault of a step', () => {
  it.each<[string[], string[]]>([
    // An unknown key hides nothing.
    [['  - {agent: ¦nobody, ¦promt: x}'], ['unknown-agent', 'unknown-key']],
    [['  - {agent: scanner, ¦promt: x, prompt: "${¦steps.nope.output}"}'], ['unknown-key', 'unknown-step']],
    [['  - {agent: scanner, ¦promt: x, prompt: "${a ¦+ b}"}'], ['unknown-key', 'invalid-template']],
    [['  - {agent: scanner, ¦promt: x, when: ¦"yes"}'], ['unknown-key', 'when-not-expression']],
    [['  - {command: [a, "${¦steps.nope.output}"], ¦promt: x}'], ['unknown-step', 'unknown-key']],
    [['  - {command: [¦"npm test"], ¦promt: x}'], ['command-not-list', 'unknown-key']],
    [['  - {workflow: ¦nobody, ¦promt: x}'], ['unknown-workflow', 'unknown-key']],
    [['  - {approval: "Go ${¦steps.nope.output}?", ¦promt: x}'], ['unknown-step', 'unknown-key']],
    [['  - {agent: scanner, ¦promt: x, needs: [¦nope]}'], ['unknown-key', 'unknown-step']],
    [['  - {agent: scanner, ¦promt: x, timeout: 5m, ¦timeout_mins: 5}'], ['unknown-key', 'conflicting-keys']],
    // Nor does a value of the wrong type, and it is told once.
    [['  - {agent: ¦nobody, timeout: ¦0s}'], ['unknown-agent', 'invalid-value']],
    [['  - {agent: ¦nobody, when: ¦5}'], ['unknown-agent', 'invalid-value']],
    [['  - {agent: ¦nobody, schema: ¦5}'], ['unknown-agent', 'invalid-value']],
    [['  - {agent: ¦nobody, inputs: ¦[x]}'], ['unknown-agent', 'invalid-value']],
    [['  - {agent: ¦nobody, prompt: ¦5}'], ['unknown-agent', 'invalid-value']],
    [
      ['  - {agent: ¦nobody, inputs: {¦"a b": 1, x: "${¦steps.nope.output}"}}'],
      ['unknown-agent', 'invalid-name', 'unknown-step'],
    ],
    [['  - {agent: ¦nobody, retry: {attempts: ¦0, ¦pause: 1}}'], ['unknown-agent', 'invalid-value', 'unknown-key']],
    [['  - {command: [a, ¦{x: 1}, "${¦steps.nope.output}"]}'], ['invalid-value', 'unknown-step']],
    [['  - {command: [¦{x: 1}], stdin: "${¦steps.nope.output}"}'], ['invalid-value', 'unknown-step']],
    [['  - {command: [a], reads: [¦"${x}", ¦5], ¦promt: x}'], ['invalid-value', 'invalid-value', 'unknown-key']],
    [
      ['  - {command: ¦npm test, ¦promt: x, stdin: "${¦steps.nope.output}"}'],
      ['command-not-list', 'unknown-key', 'unknown-step'],
    ],
    [
      ['  - {approval: {¦content: "${¦steps.nope.output}"}, when: ¦"yes"}'],
      ['missing-key', 'unknown-step', 'when-not-expression'],
    ],
    // A step of no kind, or of two, has other keys.
    [
      ['  - {¦agnt: scanner, prompt: "${¦steps.nope.output}", timeout: ¦0s}'],
      ['step-kind', 'unknown-step', 'invalid-value'],
    ],
    [
      ['  - {agent: ¦nobody, ¦command: [a], stdin: "${¦steps.nope.output}"}'],
      ['unknown-agent', 'step-kind', 'unknown-step'],
    ],
    [['  - {tool: ¦x, inputs: {y: "${¦steps.nope.output}"}}'], ['unknown-tool', 'unknown-step']],
  ])('hides no other: %j', (steps, codes) => {
    const { found, expected } = placesIn(['steps:', ...steps], codes);
    expect(found).toEqual(expected);
  });

  it('hides none of another step, of the head, or of the output', () => {
    const { found, expected } = placesIn(
      [
        'execution: ¦fast',
        'budgets: {¦max_step: 3}',
        'steps:',
        '  - {agent: ¦nobody, ¦promt: x}',
        '  - {command: [a, "${¦steps.nope.output}"]}',
        'output: "${¦steps[7].output}"',
      ],
      ['invalid-value', 'unknown-key', 'unknown-agent', 'unknown-key', 'unknown-step', 'unknown-step'],
    );
    expect(found).toEqual(expected);
  });

  it('does not make what is referred to unknown, nor agents incomplete', () => {
    const files = { 'definitions/agents/needy.yml': 'name: needy\nprompt: Look at ${target}.\ninputs: {target: {}}\n' };
    expect(
      problemsOf(
        'steps:\n  - {id: a, agent: needy, inputs: [x], output: b}\n  - {command: [c, "${steps.a.output}", "${b}"]}\n',
        files,
      ),
    ).toEqual(['2:35 invalid-value']);
  });

  it('of a document that still has its shape hides no other', () => {
    const { found, expected } = placesIn(
      [
        'steps:',
        '  - agent: ¦nobody',
        '    timeout: 5m',
        '    ¦timeout: 6m',
        '  - {¦constructor: x, command: [a, "${¦steps.nope.output}"]}',
      ],
      ['unknown-agent', 'duplicate-key', 'forbidden-key', 'unknown-step'],
    );
    expect(found).toEqual(expected);
  });
});
