import { describe, expect, it } from 'vitest';
import { parseTest } from '../../../src/compiler/flow/condition.js';
import { compileFlowText } from '../helpers/flow-compile.js';

const known = (name: string) => name === 'report' || name === 'found';
const mentions = (text: string, name: string | null = null) => ({ kind: 'mentions', name, text });
const either = (left: unknown, right: unknown) => ({ kind: 'either', left, right });

describe('contains with several texts', () => {
  it.each([
    ['contains "a" or "b"', either(mentions('a'), mentions('b'))],
    ['contains error or warning', either(mentions('error'), mentions('warning'))],
    ['contains error or failed', either(mentions('error'), mentions('failed'))],
    ['contains a or b or c d', either(either(mentions('a'), mentions('b')), mentions('c d'))],
    ['contains "a" or b', either(mentions('a'), mentions('b'))],
    ['report contains "a" or "b"', either(mentions('a', 'report'), mentions('b', 'report'))],
    ['contains "a" and "b"', { kind: 'both', left: mentions('a'), right: mentions('b') }],
    ['not contains a or b', { kind: 'not', operand: either(mentions('a'), mentions('b')) }],
    ['contains "a" or failed', either(mentions('a'), { kind: 'outcome', of: 'failed', name: null })],
    ['contains "a" or report', either(mentions('a'), { kind: 'value', name: 'report', path: [] })],
    ['contains "a" or report contains "b"', either(mentions('a'), mentions('b', 'report'))],
    [
      'contains a or not found',
      either(mentions('a'), { kind: 'not', operand: { kind: 'value', name: 'found', path: [] } }),
    ],
  ])('reads %s', (text, test) => {
    expect(parseTest(text, known)).toEqual(test);
  });
});

describe('a condition of one word that is no variable', () => {
  const judged = (text: string) =>
    compileFlowText(text).problems.map(({ severity, code, suggestion }) => [severity, code, suggestion]);

  it('is asked of a model, as several words are', () => {
    for (const words of ['validation_passed', 'the validation passed']) {
      const { plan, problems } = compileFlowText(`Explore:"a":seen (if ${words})~> Plan:"b {seen}"`);
      expect(problems).toMatchObject([{ severity: 'warning', code: 'judged-condition' }]);
      expect(plan?.steps.map(({ kind }) => kind)).toEqual(['agent', 'agent', 'agent']);
      expect(plan?.steps[0]).toMatchObject({ on_error: 'skip_dependents' });
      expect(plan?.steps[1]).toMatchObject({ prompt: { value: `Does this condition hold for the result: ${words}` } });
    }
  });

  it('may be one that was nearly captured', () => {
    expect(judged('Explore:"a":issues (if !isues)~> Plan:"b {issues}"')).toEqual([
      ['warning', 'judged-condition', 'did you mean `issues`?'],
    ]);
  });

  it('is a variable where one is captured, though not before it', () => {
    expect(judged('Explore:"a" (if seen)~> Plan:"b":seen')).toEqual([['error', 'unknown-variable', expect.anything()]]);
  });

  it('needs something to be judged', () => {
    expect(judged('(if ready)~> Plan:"b"')).toEqual([['error', 'unknown-variable', expect.anything()]]);
  });
});
