import { describe, expect, it } from 'vitest';
import type { BlockStep } from '../../../src/plan/step.js';
import { planOf } from '../helpers/temporary-project.js';
import { blockOf, only, lines, bodyOf, roots, rootsOfCondition } from '../helpers/block-steps.js';

// a single body has one step

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
