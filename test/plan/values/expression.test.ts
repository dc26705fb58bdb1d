import { describe, expect, it } from 'vitest';
import type { Expression, Template } from '../../../src/plan/values/expression.js';
import { expressionsOf, literalText, referencesOf, rootsOf } from '../../../src/plan/values/expression.js';
import { reference, textOf, whole } from '../helpers/build-blocks.js';

const [a, b, c] = ['input:a', 'input:b', 'input:c'].map((root) => reference(root)) as [
  Expression,
  Expression,
  Expression,
];

describe('what an expression refers to', () => {
  it.each<[string, Expression, Expression[]]>([
    ['nothing, of a value', { kind: 'literal', value: 'input:a' }, []],
    ['itself, of a reference', a, [a]],
    ['both sides of a default', { kind: 'coalesce', left: a, right: b }, [a, b]],
    ['both sides of a comparison', { kind: 'binary', operator: '<', left: b, right: a }, [b, a]],
    ['what it turns round', { kind: 'not', operand: a }, [a]],
    ['each operand of a function', { kind: 'call', name: 'contains', operands: [c, a] }, [c, a]],
    [
      'the same as often as it stands there',
      { kind: 'not', operand: { kind: 'coalesce', left: a, right: { kind: 'not', operand: a } } },
      [a, a],
    ],
  ])('is %s', (_, expression, references) => {
    expect(referencesOf(expression)).toEqual(references);
  });
});

describe('what a template refers to', () => {
  const text = textOf('a ', { root: 'input:a' }, ' b ', { root: 'input:b' });
  it.each<[string, Template, string[]]>([
    ['nothing, of a value', { kind: 'literal', value: '${input:a}' }, []],
    ['what its text names', text, ['input:a', 'input:b']],
    [
      'nothing of a stored part',
      { kind: 'text', parts: [{ text: `sha256:${'a'.repeat(64)}`, bytes: 900 }, { expression: c }] },
      ['input:c'],
    ],
    ['a whole value', whole('input:c', 'x'), ['input:c']],
    ['each item of a list', { kind: 'list', items: [whole('input:c'), text] }, ['input:c', 'input:a', 'input:b']],
    ['each value of a map', { kind: 'map', entries: { x: whole('input:b'), y: text } }, ['input:b', 'input:a']],
  ])('is %s', (_, template, roots) => {
    expect(rootsOf([template])).toEqual(roots);
    expect(expressionsOf(template).map((expression) => 'root' in expression && expression.root)).toEqual(
      expect.arrayContaining(roots),
    );
  });

  it('is told once of many', () => {
    expect(rootsOf([text, whole('input:c'), text, whole('input:a')])).toEqual(['input:a', 'input:b', 'input:c']);
    expect(rootsOf([])).toEqual([]);
  });
});

it('writes a text so that nothing in it is read as a reference', () => {
  expect(literalText('a ${b} $c {d} ${e}')).toBe('a \\${b} $c {d} \\${e}');
});
