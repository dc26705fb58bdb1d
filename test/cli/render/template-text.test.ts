import { describe, expect, it } from 'vitest';
import { expressionText } from '../../../src/cli/render/template-text.js';
import { planOf } from '../../compiler/helpers/temporary-project.js';

/** A condition as the compiler reads it, written for people again. */
function readAndWritten(when: string): string {
  const { steps } = planOf(`inputs: [a, b, c]\nsteps:\n  - command: [git]\n    when: '\${${when}}'\n`);
  const condition = steps[0]?.when;
  return condition === null || condition === undefined ? '' : expressionText(condition);
}

describe('an expression as people read it', () => {
  it.each([
    '!(a == "x" || b == "y")',
    '!a == "x"',
    '!!a',
    '(a || b) && c',
    'a || b && c',
    'a == (b == c)',
    'a == b == c',
    '(a ?? b) == c',
    '!(a ?? "")',
    'a ?? b ?? c',
    '(a ?? b) ?? c',
    'length(a ?? b) > 3',
    '(a == b) < c',
  ])('keeps the brackets that its meaning needs: %s', (when) => {
    expect(readAndWritten(when)).toBe(when);
  });

  it('drops those that it does not need', () => {
    expect(readAndWritten('((a && b)) || (c)')).toBe('a && b || c');
  });
});
