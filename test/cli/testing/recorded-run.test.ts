import { expect, it } from 'vitest';
import { flowDiff } from '../../../src/cli/testing/recorded-run.js';

it('a control flow that is the same has no diff', () => {
  expect(
    flowDiff({ 'each/0': 'success', 'inner/deep': 'error' }, { 'inner/deep': 'error', 'each/0': 'success' }),
  ).toEqual([]);
});

it('what ran otherwise, not at all, or anew stands in the order of the steps', () => {
  expect(
    flowDiff(
      { 'each/0': 'success', 'each/1': 'success', 'each/2': 'success', 'loop/0/a': 'success' },
      { 'each/0': 'success', 'each/1': 'error', 'loop/0/a': 'success', 'loop/1/a': 'success' },
    ),
  ).toEqual(['- each/1 success', '+ each/1 error', '- each/2 success', '+ loop/1/a success']);
});
