import { describe, expect, it } from 'vitest';
import {
  LABEL,
  PROGRAM,
  labelsOf,
  meets,
  queueFor,
  requirementOf,
  requirementIn,
  requirementKey,
  requirementText,
  requirementsOf,
  unservedOf,
  waitText,
  workerText,
} from '../../../src/plan/placement/requirement.js';
import { commandStep, plan } from '../helpers/build-plan.js';
import { foreach, single, whole } from '../helpers/build-blocks.js';
import { workerRecord } from '../helpers/worker-record.js';

describe('a requirement', () => {
  const asked = requirementOf({ labels: ['lab', 'gpu', 'lab'], programs: ['nvcc'], sandbox: true });

  it('names one queue, in whatever order it is written', () => {
    expect(queueFor('perdure-a', asked)).toBe('perdure-a/needs/gpu,lab,program:nvcc,sandbox:');
    expect(requirementOf({ programs: ['nvcc', 'cc'], labels: ['z', 'a'] })).toEqual([
      'a',
      'program:cc',
      'program:nvcc',
      'z',
    ]);
    expect(requirementOf({ programs: ['nvcc'], sandbox: true, labels: ['gpu', 'lab'] })).toEqual(asked);
    expect(requirementText(asked)).toBe('the label `gpu`, the label `lab`, the program `nvcc` and a sandbox');
  });

  it('is met by who has all of it, and by nobody who lacks a part', async () => {
    const all = { labels: new Set(['gpu', 'lab']), hasProgram: () => true, hasSandbox: async () => true };
    expect(await meets(asked, all)).toBe(true);
    expect(await meets(asked, { ...all, labels: new Set(['gpu']) })).toBe(false);
    expect(await meets(asked, { ...all, hasProgram: (name) => name !== 'nvcc' })).toBe(false);
    expect(await meets(asked, { ...all, hasSandbox: async () => false })).toBe(false);
    // A label is never taken for a program.
    expect(await meets(['nvcc'], all)).toBe(false);
  });

  it('is served by a worker that says so or has its labels, and by none that drains', () => {
    const keys = ['gpu', 'gpu,lab', 'gpu,program:nvcc'];
    expect(unservedOf(keys, [workerRecord({ labels: ['gpu'] })])).toEqual(['gpu,lab', 'gpu,program:nvcc']);
    expect(unservedOf(keys, [workerRecord({ labels: ['gpu'], serves: ['gpu,program:nvcc'] })])).toEqual(['gpu,lab']);
    expect(unservedOf(keys, [workerRecord({ labels: ['gpu', 'lab'], draining: true })])).toEqual(keys);
  });

  it('is nothing where nothing is asked for, and one word alone is no list', () => {
    expect(requirementOf({})).toEqual([]);
    expect(requirementText([])).toBe('');
    expect(requirementText(['sandbox:'])).toBe('a sandbox');
    expect(requirementText(['gpu', 'program:nvcc'])).toBe('the label `gpu` and the program `nvcc`');
  });

  it('comes back from its key, and has its labels apart', () => {
    expect(requirementIn(requirementKey(asked))).toEqual(asked);
    expect(labelsOf(asked)).toEqual(['gpu', 'lab']);
  });

  it('is asked for once, by whichever steps, also those in others', () => {
    const needing = (index: number, requires: string[]) => commandStep(index, ['true'], { requires });
    const steps = [
      needing(0, ['gpu']),
      commandStep(1, ['true']),
      foreach(2, whole('input:list'), single(needing(0, ['gpu', 'lab']))),
      needing(3, ['gpu']),
    ];
    expect(requirementsOf(plan(steps))).toEqual([['gpu'], ['gpu', 'lab']]);
  });

  it('is served only where all of its labels are, and named once where it is not', () => {
    expect(unservedOf(['a', 'a', 'b'], [])).toEqual(['a', 'b']);
    expect(unservedOf(['a,b'], [workerRecord({ labels: ['a'] }), workerRecord({ labels: ['b'] })])).toEqual(['a,b']);
    expect(unservedOf(['a,b'], [workerRecord({ labels: ['b', 'a', 'c'] })])).toEqual([]);
  });

  it('is told in words to who waits', () => {
    expect(waitText(workerText('gpu,program:nvcc'))).toBe(
      'waits for a worker with the label `gpu` and the program `nvcc`; none serves now',
    );
    expect(workerText('gpu', 'of the version `shop:1`')).toBe('a worker of the version `shop:1` with the label `gpu`');
  });

  it.each<[string, boolean, boolean]>([
    ['gpu', true, true],
    ['g', true, true],
    ['2-a.b_c', true, true],
    ['a'.repeat(40), true, true],
    ['a'.repeat(41), false, true],
    ['a'.repeat(61), false, false],
    ['GPU', false, true],
    ['g++', false, true],
    ['-gpu', false, false],
    ['.a', false, false],
    ['a,b', false, false],
    ['a:b', false, false],
    ['a b', false, false],
    ['a/b', false, false],
    ['', false, false],
  ])('takes %j for a label: %s, for a program: %s', (word, label, program) => {
    expect([LABEL.test(word), PROGRAM.test(word)]).toEqual([label, program]);
  });
});
