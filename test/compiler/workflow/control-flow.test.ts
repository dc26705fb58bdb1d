import { describe, expect, it } from 'vitest';
import type { Expression } from '../../../src/plan/values/expression.js';
import { rootsOf } from '../../../src/plan/values/expression.js';
import type { BlockStep, Step } from '../../../src/plan/step.js';
import { isBlockStep } from '../../../src/plan/step.js';
import { templatesOf } from '../../../src/plan/references/step-references.js';
import { compileText, planOf, problemsOf } from '../helpers/temporary-project.js';

const lines = (...text: string[]): string => `${text.join('\n')}\n`;

function blockOf(text: string, index = 0): BlockStep {
  const step = planOf(text).steps[index];
  if (step === undefined || !isBlockStep(step))
    throw new Error(`Expected a step with a body, got ${JSON.stringify(step)}`);
  return step;
}

function bodyOf(step: BlockStep): Step[] {
  return step.body.steps;
}

const roots = (step: Step | undefined): string[] => (step === undefined ? [] : rootsOf(templatesOf(step)));
const rootsOfCondition = (expression: Expression): string[] => rootsOf([{ kind: 'expression', expression }]);
const only = (step: BlockStep): Step => bodyOf(step)[0] as Step; // a single body has one step

describe('foreach', () => {
  it.each([
    ['"${files}"', { items: { kind: 'expression' }, max_parallel: null }],
    ['[a, "${x}"]', { items: { kind: 'list' }, max_parallel: null }],
    ['[]', { items: { kind: 'literal', value: [] } }],
    ['{items: "${files}", max_parallel: 3}', { items: { kind: 'expression' }, max_parallel: 3 }],
    ['{items: [1, 2]}', { items: { kind: 'literal', value: [1, 2] }, max_parallel: null }],
  ])('of %s makes the step its own body', (foreach, expected) => {
    const step = blockOf(
      `steps:\n  - {id: a, output: found, on_error: continue, deadline: 1h, timeout: 3m, retry: {attempts: 2}, ` +
        `command: [echo, "\${item}"], foreach: ${foreach}}\n`,
    );
    expect(step).toMatchObject({
      kind: 'foreach',
      id: 'a',
      on_error: 'continue',
      deadline_ms: 3_600_000,
      timeout_ms: 0,
      retry: { attempts: 1 },
      body: { single: true, groups: {}, output: null },
      ...expected,
    });
    expect(only(step)).toMatchObject({
      kind: 'command',
      index: 0,
      id: null,
      needs: [],
      on_error: 'stop',
      deadline_ms: null,
      timeout_ms: 180_000,
      retry: { attempts: 2 },
    });
  });

  it('runs steps of its own, in their own order', () => {
    const step = blockOf(
      lines(
        'execution: dag',
        'steps:',
        '  - id: all',
        '    foreach: [1, 2]',
        '    steps:',
        '      - {id: a, command: [a, "${item}", "${index}"]}',
        '      - {command: [b, "${steps.a.output}", "${steps[0].output}", "${steps[-1].output}"]}',
      ),
    );
    expect(step.body.single).toBe(false);
    expect(bodyOf(step).map(({ needs }) => needs)).toEqual([[], [{ step: 0, skip: true }]]);
    expect(bodyOf(step).map(roots)).toEqual([['item', 'index'], ['step:0.output']]);
  });

  it('orders its own steps as it says', () => {
    const body = bodyOf(
      blockOf(
        lines(
          'steps:',
          '  - foreach: [1]',
          '    execution: parallel',
          '    yields: "${parallel_group.g.outputs}"',
          '    steps:',
          '      - {parallel_group: g, command: [a]}',
          '      - {parallel_group: g, command: [b]}',
          '      - {command: [c]}',
        ),
      ),
    );
    expect(body.map(({ needs, on_error }) => [needs.map(({ step }) => step), on_error])).toEqual([
      [[], 'continue'],
      [[], 'continue'],
      [[0, 1], 'continue'],
    ]);
  });

  it('yields what it says, else its last step', () => {
    const text = (yields: string): string =>
      lines(
        'steps:',
        '  - foreach: [1]',
        ...(yields === '' ? [] : [`    yields: "${yields}"`]),
        '    steps:',
        '      - {id: a, command: [a], output: found}',
        '      - {command: [b]}',
      );
    expect(blockOf(text('')).body.output).toBeNull();
    expect(blockOf(text('${found}')).body.output).toMatchObject({ expression: { root: 'step:0.output' } });
  });

  it('reads steps around it, which is an edge of the whole step', () => {
    const text = lines(
      'execution: dag',
      'inputs: {x: {}}',
      'steps:',
      '  - {id: a, command: [a], output: found}',
      '  - {id: b, command: [b]}',
      '  - foreach: "${found}"',
      '    steps:',
      '      - {command: [c, "${item.name}", "${steps.b.output ?? 1}", "${x}", "${steps.a.status}"]}',
    );
    const step = blockOf(text, 2);
    expect(step.needs).toEqual([
      { step: 0, skip: true },
      { step: 1, skip: false },
    ]);
    expect(roots(only(step))).toEqual(['item', '^step:1.output', 'input:x', '^step:0.status']);
  });

  it('counts steps as they are written where the step is its own body', () => {
    const step = blockOf(
      lines(
        'steps:',
        '  - command: [a]',
        '  - command: [b]',
        '  - {foreach: [1], command: [c, "${steps[0].output}", "${steps[-1].output}"]}',
      ),
      2,
    );
    expect(roots(only(step))).toEqual(['^step:0.output', '^step:1.output']);
  });

  it('hides outer items, and reaches everything else outside', () => {
    const step = blockOf(
      lines(
        'steps:',
        '  - foreach: [[1]]',
        '    steps:',
        '      - {id: a, command: [a, "${item}"]}',
        '      - foreach: "${item}"',
        '        steps:',
        '          - {command: [b, "${item}", "${index}", "${steps.a.output}"]}',
      ),
    );
    const inner = bodyOf(step)[1] as BlockStep; // the second step of the body has `foreach`
    expect(roots(inner)).toEqual(['item']);
    expect(roots(bodyOf(inner)[0])).toEqual(['item', 'index', '^step:0.output']);
    expect(inner.needs).toEqual([{ step: 0, skip: true }]);
  });

  it.each([
    // a condition of the step, or of each item
    ['"${wanted}"', ['input:wanted'], []],
    ['"${item.wanted && wanted}"', [], ['item', 'input:wanted']],
    ['"${index < 3}"', [], ['index']],
  ])('takes `when: %s` where it belongs', (when, own, perItem) => {
    const step = blockOf(`steps:\n  - {foreach: [1], when: ${when}, command: [a]}\n`);
    expect(step.when === null ? [] : rootsOfCondition(step.when)).toEqual(own);
    const inner = only(step).when;
    expect(inner === null ? [] : rootsOfCondition(inner)).toEqual(perItem);
  });

  it('puts a condition of the item before that of each of its steps', () => {
    const body = bodyOf(
      blockOf(
        lines(
          'steps:',
          '  - foreach: [1]',
          '    when: "${item > 1}"',
          '    steps:',
          '      - {id: a, command: [a]}',
          '      - {command: [b], when: "${steps.a.output == \'x\'}"}',
        ),
      ),
    );
    expect(body.map(({ when }) => when && rootsOfCondition(when))).toEqual([['item'], ['item', 'step:0.output']]);
  });
});

describe('loop', () => {
  it('makes the step its own body, which its condition looks at', () => {
    const step = blockOf(
      'steps:\n  - {id: fix, command: [npm, test], loop: {until: "${steps.fix.status == \'success\'}", max: 3}}\n',
    );
    expect(step).toMatchObject({ kind: 'loop', max: 3, at_max: 'error', body: { single: true } });
    expect(step.kind === 'loop' && rootsOfCondition(step.until)).toEqual(['step:0.status']);
  });

  it('may go on with what the last round gave', () => {
    expect(
      blockOf('steps:\n  - {command: [a], loop: {until: "${index >= 2}", max: 9, at_max: continue}}\n'),
    ).toMatchObject({ at_max: 'continue' });
  });

  it('reads the round before where a step refers to itself or to a later one', () => {
    const step = blockOf(
      lines(
        'steps:',
        '  - id: polish',
        '    loop: {until: "${verdict.good}", max: 5}',
        '    steps:',
        '      - {id: write, command: [w, "${verdict.advice ?? \'none\'}", "${steps.write.output ?? 0}", ' +
          '"${steps[1].status}"]}',
        '      - {command: [judge, "${steps.write.output}"], output: verdict}',
      ),
    );
    expect(bodyOf(step).map(roots)).toEqual([['last:1.output', 'last:0.output', 'last:1.status'], ['step:0.output']]);
    expect(bodyOf(step).map(({ needs }) => needs)).toEqual([[], [{ step: 0, skip: true }]]);
    expect(step.kind === 'loop' && rootsOfCondition(step.until)).toEqual(['step:1.output']);
    expect(step.needs).toEqual([]);
  });

  it('of one step reads its own round before', () => {
    const step = blockOf(
      'steps:\n  - {id: a, output: text, command: [a, "${text ?? \'\'}", "${steps[0].status}"], loop: {until: ' +
        '"${text == \'x\' && index > 1}", max: 3}}\n',
    );
    expect(roots(only(step))).toEqual(['last:0.output', 'last:0.status']);
    expect(step.kind === 'loop' && rootsOfCondition(step.until)).toEqual(['step:0.output', 'index']);
  });

  it('inside a foreach has its own index, and the items around it', () => {
    const step = blockOf(
      lines(
        'steps:',
        '  - foreach: [1]',
        '    steps:',
        '      - {loop: {until: "${index > item}", max: 3}, command: [a, "${item}", "${index}"], when: "${index > 0}"}',
      ),
    );
    const loop = only(step) as BlockStep; // the one step of the body has `loop`
    expect(roots(only(loop))).toEqual(['^item', 'index']);
    expect(loop.when && rootsOfCondition(loop.when)).toEqual(['index']);
    expect(loop.kind === 'loop' && rootsOfCondition(loop.until)).toEqual(['index', '^item']);
  });

  it('beside `foreach` runs for each item', () => {
    const step = blockOf(
      'steps:\n  - {id: a, foreach: [1], loop: {until: "${index > item}", max: 3}, command: [a, "${item}", ' +
        '"${steps.a.output ?? 0}"], when: "${item > 0}"}\n',
    );
    const loop = only(step) as BlockStep; // `foreach` stands around `loop`
    expect([step.kind, loop.kind, step.id, loop.id]).toEqual(['foreach', 'loop', 'a', null]);
    expect([step.when, loop.when !== null, only(loop).when]).toEqual([null, true, null]);
    expect(roots(only(loop))).toEqual(['^item', 'last:0.output']);
  });

  it('inside a foreach around it sees the round before of the loop outside', () => {
    const step = blockOf(
      lines(
        'steps:',
        '  - loop: {until: "${steps.all.status == \'success\'}", max: 2}',
        '    steps:',
        '      - {id: all, foreach: [1], command: [a, "${steps.all.output ?? 0}"]}',
      ),
    );
    const inner = only(step) as BlockStep; // the one step of the loop has `foreach`
    expect(roots(only(inner))).toEqual(['^last:0.output']);
    expect(step.needs).toEqual([]);
  });
});

describe('set and wait', () => {
  it('compute values, with operators', () => {
    const step = planOf(
      'steps:\n  - {set: {big: "${length(files) > 3}", text: "n = ${files[0]}", list: [1, "${x ?? 2}"]}, ' +
        'output: facts}\n  - {command: [a, "${facts.big}"]}\n',
    ).steps;
    expect(step[0]).toMatchObject({
      kind: 'set',
      effect: 'none',
      values: {
        big: { kind: 'expression', expression: { kind: 'binary' } },
        text: { kind: 'text' },
        list: { kind: 'list' },
      },
    });
    expect(roots(step[1])).toEqual(['step:0.output']);
  });

  it.each([
    ['5m', { for_ms: 300_000, until: null }],
    ['{for: 1h30m}', { for_ms: 5_400_000, until: null }],
    ['{until: "2027-01-31T08:00:00Z"}', { for_ms: null, until: { kind: 'literal' } }],
    ['{until: "2027-01-31T08:00+02:00"}', { for_ms: null }],
    ['{until: "${when}"}', { for_ms: null, until: { kind: 'expression' } }],
  ])('wait %s', (wait, expected) => {
    expect(planOf(`steps:\n  - wait: ${wait}\n`).steps[0]).toMatchObject({ kind: 'wait', ...expected });
  });
});

describe('finally', () => {
  const text = lines(
    'execution: parallel',
    'steps:',
    '  - {id: a, command: [a]}',
    '  - {command: [b]}',
    '  - {command: [c, "${steps.a.output}"]}',
    'finally:',
    '  - {id: last, command: [d, "${steps.a.output}"]}',
    '  - {command: [e, "${steps.last.status}"], on_error: stop}',
    'output: "${steps[-1].output}"',
  );

  it('runs after all others, one after the other, whatever failed', () => {
    const { steps, output } = planOf(text);
    expect(steps.map(({ always }) => always)).toEqual([false, false, false, true, true]);
    expect(steps.slice(3).map(({ needs }) => needs)).toEqual([
      [
        { step: 1, skip: false },
        { step: 2, skip: false },
      ],
      [{ step: 3, skip: false }],
    ]);
    expect(steps.slice(3).map(({ on_error }) => on_error)).toEqual(['continue', 'stop']);
    expect(output).toMatchObject({ expression: { root: 'step:2.output' } });
  });
});

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
    ['steps:\n  - {command: [a], loop: {until: ¦"${x}", max: 3}}', ['constant-until']],
    ['steps:\n  - {command: [a], loop: {until: ¦true, max: 3}}', ['constant-until']],
    ['steps:\n  - {command: [a], loop: {until: "${index > 1}", max: 3, at_max: ¦stop}}', ['invalid-value']],
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
    ['steps:\n  - {id: x, ¦steps: [{command: [a]}]}', ['step-kind']],
    ['steps:\n  - {agent: scanner, foreach: ¦5, prompt: "${item}"}', ['invalid-value']],
    ['steps:\n  - {agnt: scanner, foreach: [1], prompt: "${item} ${¦steps.nope.output}"}', ['unknown-step']],
    ['steps:\n  - wait: ¦soon', ['invalid-value']],
    ['steps:\n  - wait: ¦5', ['invalid-value']],
    ['steps:\n  - wait: {until: ¦tomorrow}', ['invalid-value']],
    ['steps:\n  - wait: {until: ¦"2027-01-31T08:00:00"}', ['invalid-value']],
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
  });
});
