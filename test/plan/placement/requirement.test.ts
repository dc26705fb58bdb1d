import { describe, expect, it } from 'vitest';
import {
  meets,
  queueFor,
  requirementOf,
  requirementText,
  unservedOf,
} from '../../../src/plan/placement/requirement.js';
import { workerRecord } from '../helpers/worker-record.js';

describe('a requirement', () => {
  const asked = requirementOf({ labels: ['lab', 'gpu', 'lab'], programs: ['nvcc'], sandbox: true });

  it('names one queue, in whatever order it is written', () => {
    expect(queueFor('perdure-a', asked)).toBe('perdure-a/needs/gpu,lab,program:nvcc,sandbox:');
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
});
