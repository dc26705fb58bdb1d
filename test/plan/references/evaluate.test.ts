import { describe, expect, it } from 'vitest';
import type { Environment } from '../../../src/plan/references/environment.js';
import { evaluate, isTrue, render, renderToText } from '../../../src/plan/references/evaluate.js';
import type { Scope } from '../../../src/plan/references/evaluate.js';
import type { BinaryOperator, Expression, FunctionName, Template } from '../../../src/plan/values/expression.js';
import type { Json } from '../../../src/plan/values/json.js';

const stored = { ref: 'sha256:aa', bytes: 600 } as const;
const environment: Environment = {
  'input:target': { value: 'src' },
  'input:list': { value: [1, [2, 3], { a: null }] },
  'step:0.output': { value: { score: 11, 'two words': true, nested: { deep: [{ x: 'y' }] } } },
  'step:1.output': { missing: true },
  'step:2.output': stored,
  'group:g.outputs': {
    results: [{ status: 'success', error: null, duration_ms: 1, agent: 'a', step_index: 0, id: null, output: stored }],
  },
};
const scope: Scope = {
  environment,
  load: ({ ref }) => {
    expect(ref).toBe(stored.ref);
    return 'big text with ${input} in it';
  },
  text: (text) => (typeof text === 'string' ? text : 'long text'),
};
const ref = (root: string, ...path: (string | number)[]): Expression => ({
  kind: 'reference',
  root,
  path,
  source: root,
});
const lit = (value: Json): Expression => ({ kind: 'literal', value });
const op = (left: Json, operator: BinaryOperator, right: Json): Expression => ({
  kind: 'binary',
  operator,
  left: lit(left),
  right: lit(right),
});
const call = (name: FunctionName, ...operands: Json[]): Expression => ({
  kind: 'call',
  name,
  operands: operands.map(lit),
});
const text = (...parts: (string | Expression)[]): Template => ({
  kind: 'text',
  parts: parts.map((part) => (typeof part === 'string' ? part : { expression: part })),
});

describe('rendering', () => {
  it.each<[string, Template, Json]>([
    ['a literal as it is', { kind: 'literal', value: [1, null] }, [1, null]],
    ['a whole reference with its type', { kind: 'expression', expression: ref('step:0.output', 'score') }, 11],
    [
      'the output of a step that did not succeed as the empty text',
      { kind: 'expression', expression: ref('step:1.output') },
      '',
    ],
    ['text with values in it', text('look at ', ref('input:target'), '!'), 'look at src!'],
    [
      'an object inside text as JSON with indent 2',
      text(ref('step:0.output', 'nested', 'deep')),
      '[\n  {\n    "x": "y"\n  }\n]',
    ],
    ['one whole reference to null as null', { kind: 'expression', expression: ref('input:list', -1, 'a') }, null],
    ['one whole reference to nothing as the empty text', { kind: 'expression', expression: ref('step:1.output') }, ''],
    ['nothing inside text as nothing', text('[', ref('step:1.output'), ']'), '[]'],
    [
      'a stored value by loading it',
      { kind: 'expression', expression: ref('step:2.output') },
      'big text with ${input} in it',
    ],
    [
      'a list and a map item by item',
      {
        kind: 'map',
        entries: { a: { kind: 'list', items: [text('x'), { kind: 'expression', expression: ref('input:target') }] } },
      },
      { a: ['x', 'src'] },
    ],
    [
      'long texts of the plan from the store',
      { kind: 'text', parts: [{ text: 'sha256:bb', bytes: 900 }] },
      'long text',
    ],
    [
      'a result of a group with its output in place',
      { kind: 'expression', expression: ref('group:g.outputs', 0, 'output') },
      'big text with ${input} in it',
    ],
  ])('gives %s', (_, template, expected) => {
    expect(render(template, scope)).toEqual(expected);
  });

  it.each<[string, Template, string]>([
    ['one whole reference to null', { kind: 'expression', expression: ref('input:list', -1, 'a') }, ''],
    ['a reference to null in a text', text('[', ref('input:list', -1, 'a'), ']'), '[null]'],
    ['a number', { kind: 'expression', expression: ref('step:0.output', 'score') }, '11'],
  ])('gives %s as a text', (_, template, expected) => {
    expect(renderToText(template, scope)).toBe(expected);
  });

  it('never scans what it inserted again', () => {
    expect(render(text('a ', ref('step:2.output')), scope)).toBe('a big text with ${input} in it');
  });

  it('makes own properties only, whatever a key is called', () => {
    const rendered = render(
      { kind: 'map', entries: Object.fromEntries([['__proto__', { kind: 'literal', value: { bad: true } }]]) },
      scope,
    );
    expect(Object.getPrototypeOf(rendered)).toBe(Object.prototype);
    expect(({} as { bad?: boolean }).bad).toBeUndefined();
  });
});

describe('references', () => {
  it.each<[string, Expression, Json | undefined]>([
    ['a field', ref('step:0.output', 'two words'), true],
    ['an item', ref('input:list', 1, 0), 2],
    ['an item from the end', ref('input:list', -1, 'a'), null],
    ['the length of a list', ref('input:list', 'length'), 3],
    ['nothing behind a missing field', ref('step:0.output', 'nope', 'x'), undefined],
    ['nothing behind a text', ref('input:target', 'length'), undefined],
    ['nothing for a root that is not bound', ref('input:other'), undefined],
    ['no inherited property', ref('step:0.output', 'constructor'), undefined],
    ['no prototype', ref('step:0.output', '__proto__'), undefined],
    ['no method of a list', ref('input:list', 'map'), undefined],
    ['no method of a text', ref('input:target', 'toString'), undefined],
  ])('give %s', (_, expression, expected) => {
    expect(evaluate(expression, scope)).toEqual(expected);
  });
});

describe('operators', () => {
  it.each<[Expression, Json]>([
    [op(1, '==', 1), true],
    [op('1', '==', 1), false],
    [op({ a: [1] }, '==', { a: [1] }), true],
    [op([1], '!=', [1, 2]), true],
    [op(null, '==', null), true],
    [op({ a: 1 }, '==', { b: 1 }), false],
    [op(2, '<', 10), true],
    [op('2', '<', '10'), false],
    [op('a', '<', 1), false],
    [op(2, '>=', 2), true],
    [op(3, '<=', 2), false],
    [op('b', '>', 'a'), true],
    [op(true, '&&', ''), false],
    [op(0, '||', 'x'), true],
    [{ kind: 'not', operand: lit([]) }, true],
    [call('contains', 'some HIGH risk', 'HIGH'), true],
    [call('contains', [1, { a: 2 }], { a: 2 }), true],
    [call('contains', { a: 'x' }, 'x'), true],
    [call('startsWith', 'abc', 'ab'), true],
    [call('endsWith', 'abc', 'ab'), false],
    [call('length', 'abcd'), 4],
    [call('length', { a: 1, b: 2 }), 2],
    [call('length', 7), 0],
    [call('lower', 'ÄB'), 'äb'],
    [{ kind: 'coalesce', left: ref('step:1.output'), right: lit('none') }, 'none'],
    [{ kind: 'coalesce', left: lit(''), right: lit('none') }, ''],
    [{ kind: 'coalesce', left: lit(null), right: { kind: 'coalesce', left: lit(null), right: lit(3) } }, 3],
  ])('%j is %j', (expression, expected) => {
    expect(evaluate(expression, scope)).toEqual(expected);
  });

  it.each<[BinaryOperator, boolean, boolean, boolean]>([
    ['<', true, false, false],
    ['<=', true, true, false],
    ['>', false, false, true],
    ['>=', false, true, true],
    ['==', false, true, false],
    ['!=', true, false, true],
  ])('`%s` of what is less, equal and greater is %s, %s, %s', (operator, less, equal, greater) => {
    for (const [one, two] of [
      [1, 2],
      ['a', 'b'],
      [-1, 0],
      ['', 'a'],
    ] as const) {
      expect([
        evaluate(op(one, operator, two), scope),
        evaluate(op(one, operator, one), scope),
        evaluate(op(two, operator, one), scope),
      ]).toEqual([less, equal, greater]);
    }
  });

  it.each<[Json, Json, boolean]>([
    [[1, 2], [1, 3], false],
    [[1], [1, 2], false],
    [[], [], true],
    [{}, [], false],
    [[], {}, false],
    [{ a: 1 }, { a: 1, b: 2 }, false],
    [{ a: 1, b: 2 }, { b: 2, a: 1 }, true],
    [{ a: { b: [1] } }, { a: { b: [2] } }, false],
    [null, false, false],
    [null, 0, false],
    [0, false, false],
    [{ a: null }, { b: null }, false],
    [[null], [null], true],
    [{ a: 1, b: 2 }, { a: 1, b: 3 }, false],
    [[1], { 0: 1, length: 1 }, false],
  ])('%j == %j is %s, whichever stands first', (one, two, expected) => {
    expect([
      evaluate(op(one, '==', two), scope),
      evaluate(op(two, '==', one), scope),
      evaluate(op(one, '!=', two), scope),
    ]).toEqual([expected, expected, !expected]);
  });

  it.each<[Json, Json]>([
    [5, '6'],
    ['5', 6],
    [5, null],
    [null, '5'],
    [true, 2],
    ['a', ['b']],
    [[1], 2],
    [{}, 1],
  ])('has no order for %j and %j', (one, two) => {
    for (const operator of ['<', '<=', '>', '>='] as const) expect(evaluate(op(one, operator, two), scope)).toBe(false);
  });

  it('takes what is not there for null, and for nothing else', () => {
    const nothing = ref('step:0.output', 'nope');
    const equal = (left: Expression, right: Expression): unknown =>
      evaluate({ kind: 'binary', operator: '==', left, right }, scope);
    expect([
      equal(nothing, lit(null)),
      equal(lit(null), nothing),
      equal(nothing, nothing),
      equal(nothing, lit('')),
      equal(lit(0), nothing),
    ]).toEqual([true, true, true, false, false]);
    for (const operator of ['<', '<=', '>', '>='] as const)
      expect(evaluate({ kind: 'binary', operator, left: nothing, right: lit(1) }, scope)).toBe(false);
    expect(evaluate({ kind: 'call', name: 'length', operands: [nothing] }, scope)).toBe(0);
    expect(evaluate({ kind: 'call', name: 'contains', operands: [nothing, lit('x')] }, scope)).toBe(false);
  });

  it.each<[Expression, Json]>([
    [op('x', '&&', 'y'), true],
    [op('', '&&', 'y'), false],
    [op('', '||', ''), false],
    [op('x', '||', ''), true],
    [{ kind: 'not', operand: lit('x') }, false],
    [call('startsWith', 'abc', 'bc'), false],
    [call('startsWith', 12, 1), true],
    [call('endsWith', 'abc', 'bc'), true],
    [call('contains', 'abc', 'x'), false],
    [call('contains', [1, 2], '1'), false],
    [call('length', []), 0],
    [call('length', [1, 2]), 2],
    [call('length', null), 0],
    [call('lower', 5), '5'],
  ])('%j gives %j', (expression, expected) => {
    expect(evaluate(expression, scope)).toBe(expected);
  });

  it('does not evaluate the right side when the left decides', () => {
    const boom: Expression = { kind: 'reference', root: 'step:9.output', path: [], source: '' };
    const failing: Scope = {
      ...scope,
      environment: { 'step:9.output': stored },
      load: () => {
        throw new Error('loaded');
      },
    };
    expect(evaluate({ kind: 'binary', operator: '&&', left: lit(false), right: boom }, failing)).toBe(false);
    expect(evaluate({ kind: 'binary', operator: '||', left: lit(true), right: boom }, failing)).toBe(true);
    expect(() => evaluate(boom, failing)).toThrow('loaded');
  });

  it.each<[Json | undefined, boolean]>([
    [undefined, false],
    [null, false],
    [false, false],
    [0, false],
    ['', false],
    [[], false],
    [{}, true],
    ['false', true],
    [[0], true],
  ])('%j counts as %j', (value, expected) => {
    expect(isTrue(value)).toBe(expected);
  });
});
