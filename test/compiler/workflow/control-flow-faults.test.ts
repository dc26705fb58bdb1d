import { describe, expect, it } from 'vitest';
import { compileText, problemsOf } from '../helpers/temporary-project.js';

describe('control flow that means nothing', () => {
  it.each<[string, string[]]>([
    ['steps:\n  - {foreach: ¦files, command: [a]}', ['invalid-value']],
    ['steps:\n  - {foreach: ¦"all ${files}", command: [a]}', ['invalid-value']],
    ['steps:\n  - {foreach: {items: ¦{a: 1}}, command: [a]}', ['invalid-value']],
    ['steps:\n  - {foreach: ¦5, command: [a]}', ['invalid-value']],
    ['steps:\n  - {foreach: {items: [1], max_parallel: ¦0}, command: [a]}', ['invalid-value']],
    ['steps:\n  - {foreach: {items: [1], ¦max_paralel: 2}, command: [a]}', ['unknown-key']],
    ['steps:\n  - {foreach: {¦max_parallel: 2}, command: [a]}', ['missing-key']],
    ['steps:\n  - {command: [a], loop: {¦until: "${index > 1}"}}', ['missing-key']],
    ['steps:\n  - {command: [a], loop: {¦max: 3}}', ['missing-key']],
    ['steps:\n  - {command: [a], loop: {until: "${index > 1}", max: ¦0}}', ['invalid-value']],
    ['steps:\n  - {command: [a], loop: {until: ¦index, max: 3}}', ['when-not-expression']],
    ['steps:\n  - {command: [a], loop: {until: ¦"${x == y}", max: 3}}', ['constant-until']],
    ['steps:\n  - {command: [a], loop: {until: ¦true, max: 3}}', ['constant-until']],
    ['steps:\n  - {command: [a], loop: {until: "${index > 1}", max: 3, at_max: ¦stop}}', ['invalid-value']],
    [
      'steps:\n  - loop: {until: "${index > 1}", max: 3}\n    steps:\n      - {foreach: [1], when: ¦"${index > 0}", ' +
        'command: [a]}',
      ['hidden-index'],
    ],
    [
      'steps:\n  - foreach: [1]\n    steps:\n      - foreach: [2]\n        when: ¦"${item > 1 && index > 0}"\n' +
        '        steps: [{command: [a]}]',
      ['hidden-index'],
    ],
    ['steps:\n  - {command: [a, "${¦item}"]}', ['out-of-scope']],
    ['steps:\n  - {command: [a, "${¦index}"]}', ['out-of-scope']],
    ['steps:\n  - {command: [a, "${¦item}"], loop: {until: "${index > 1}", max: 3}}', ['out-of-scope']],
    ['steps:\n  - {foreach: ["${¦item}"], command: [a]}', ['out-of-scope']],
    [
      'steps:\n  - {foreach: [1], steps: [{id: a, command: [a], output: b}]}\n  - {command: [a, ' +
        '"${¦steps.a.output}", "${¦b}"]}',
      ['out-of-scope', 'out-of-scope'],
    ],
    [
      'steps:\n  - {foreach: [1], steps: [{id: a, command: [a, "${¦steps.b.output}"]}, {id: b, command: [b]}]}',
      ['forward-reference'],
    ],
    ['steps:\n  - {id: a, foreach: [1], command: [a, "${¦steps.a.output}"]}', ['forward-reference']],
    ['execution: dag\nsteps:\n  - {¦id: a, foreach: [1], command: [a, "${steps.a.output}"]}', ['step-cycle']],
    ['steps:\n  - {foreach: [1], steps: [{command: [a, "${¦steps[1].output}"]}]}', ['unknown-step']],
    ['steps:\n  - {foreach: [1], steps: [{command: [a], needs: [¦a]}]}\n  - {id: a, command: [a]}', ['unknown-step']],
    [
      'execution: dag\nsteps:\n  - {¦id: a, foreach: [1], steps: [{command: [a, "${steps.b.output}"]}]}\n  - ' +
        '{id: b, command: [a, "${steps.a.output}"]}',
      ['step-cycle'],
    ],
    ['steps:\n  - {foreach: [1], steps: ¦[]}', ['invalid-value']],
    [
      'steps:\n  - {foreach: [1], steps: [{command: [a], ¦promt: x}, {agent: ¦nobody}]}',
      ['unknown-key', 'unknown-agent'],
    ],
    ['steps:\n  - {foreach: [1], agent: scanner, ¦steps: [{command: [a]}]}', ['step-kind']],
    ['steps:\n  - {foreach: [1], ¦do: [{command: [a]}]}', ['step-kind']],
    [
      'steps:\n  - {loop: {until: "${index > 1}", max: 2}, ¦body: [{command: [a], ¦promt: x}]}',
      ['step-kind', 'unknown-key'],
    ],
    ['steps:\n  - {foreach: [1], ¦do: x}', ['step-kind']],
    ['steps:\n  - {id: x, ¦steps: [{command: [a]}]}', ['step-kind']],
    ['steps:\n  - {agent: scanner, foreach: ¦5, prompt: "${item}"}', ['invalid-value']],
    ['steps:\n  - {agnt: scanner, foreach: [1], prompt: "${item} ${¦steps.nope.output}"}', ['unknown-step']],
    ['steps:\n  - wait: ¦soon', ['invalid-value']],
    ['steps:\n  - wait: ¦5', ['invalid-value']],
    ['steps:\n  - wait: {until: ¦tomorrow}', ['invalid-value']],
    ['steps:\n  - wait: {until: ¦"2027-01-31T08:00:00"}', ['invalid-value']],
    ['steps:\n  - wait: {until: ¦"9999-12-31T00:00:00Z"}', ['invalid-value']],
    ['steps:\n  - wait: {¦for: 5m, until: "${x}"}', ['conflicting-keys']],
    ['steps:\n  - wait: ¦{}', ['missing-key']],
    ['steps:\n  - set: {¦"a b": 1}', ['invalid-name']],
    ['steps:\n  - set: ¦[1]', ['invalid-value']],
    ['steps:\n  - command: [a, "${¦steps.b.output}"]\nfinally:\n  - {id: b, command: [b]}', ['forward-reference']],
    [
      'execution: dag\nsteps:\n  - command: [a, "${¦steps.b.output}"]\nfinally:\n  - {id: b, command: [b]}',
      ['forward-reference'],
    ],
    [
      'steps:\n  - command: [a]\nfinally:\n  - {id: b, command: [b]}\noutput: "${¦steps.b.output}"',
      ['forward-reference'],
    ],
    ['steps:\n  - command: [a]\nfinally:\n  - {parallel_group: ¦g, command: [b]}', ['group-not-parallel']],
    ['steps:\n  - command: [a]\nfinally: ¦[]', ['invalid-value']],
    ['steps:\n  - command: [a]\nfinally:\n  - {agent: ¦nobody}', ['unknown-agent']],
  ])('%j is told where it stands', (marked, codes) => {
    const places = [...marked.matchAll(/¦/g)].map(({ index }, nth) => {
      const before = marked.slice(0, index).replaceAll('¦', '').split('\n');
      return `${before.length}:${(before.at(-1)?.length ?? 0) + 1} ${codes[nth]}`;
    });
    const found = problemsOf(`${marked.replaceAll('¦', '')}\n`).filter(
      (problem) => !problem.endsWith(' step-kind') || codes.includes('step-kind'),
    );
    expect(found).toEqual(places);
  });

  it('names what the reference could be instead', () => {
    expect(
      compileText(
        'steps:\n  - {id: all, foreach: [1], steps: [{id: a, command: [a]}]}\n  - {command: [a, ' +
          '"${steps.a.output}"]}\n',
      ).problems,
    ).toMatchObject([{ suggestion: 'refer to all of it: ${steps.all.output}' }]);
    expect(compileText('steps:\n  - {foreach: files, command: [a]}\n').problems).toMatchObject([
      { suggestion: 'write "${files}"' },
    ]);
    expect(compileText('steps:\n  - {foreach: "{{ inputs.files }}", command: [a]}\n').problems).toMatchObject([
      { suggestion: 'write "${inputs.files}"' },
    ]);
    expect(compileText('steps:\n  - {foreach: [1], do: [{command: [a]}]}\n').problems).toMatchObject([
      {
        message: expect.stringContaining('Expected `steps` beside `foreach`') as string,
        suggestion: 'did you mean `steps`?',
      },
    ]);
  });

  it('say nothing of an index that is clear: of the only list, or of what the item runs', () => {
    const clear = [
      'steps:\n  - {foreach: [1], when: "${index > 0}", command: [a]}\n',
      'steps:\n  - loop: {until: "${index > 1}", max: 3}\n    steps:\n' +
        '      - {foreach: [1], when: "${item > 0}", command: [a, "${index}"]}\n' +
        '      - {when: "${index > 0}", command: [b]}\n',
    ];
    expect(clear.map((text) => compileText(text).problems)).toEqual([[], []]);
  });
});
