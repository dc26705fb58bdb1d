import { describe, expect, it } from 'vitest';
import type { BlockStep } from '../../../src/plan/step.js';
import { blockOf, rootsOfCondition, lines, bodyOf, roots, only } from '../helpers/block-steps.js';

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
