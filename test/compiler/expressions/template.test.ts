import type { Texts } from '../../../src/compiler/hash.js';
import { describe, expect, it } from 'vitest';
import type { Expression } from '../../../src/plan/values/expression.js';
import type { ExpressionFlaw } from '../../../src/compiler/expressions/parse-expression.js';
import { ofParts, parseText } from '../../../src/compiler/expressions/template.js';

/** Parses a text where every reference is an input of that path. */
function parse(text: string, operators = false): { parts: ReturnType<typeof parseText>; flaws: ExpressionFlaw[] } {
  const flaws: ExpressionFlaw[] = [];
  const resolve = ({ path, source }: { path: (string | number)[]; source: string }): Expression => ({
    kind: 'reference',
    root: `input:${path[0]}`,
    path: path.slice(1),
    source,
  });
  const parts = parseText(text, { operators, resolve }, (flaw) => {
    flaws.push(flaw);
    return null;
  });
  return { parts, flaws };
}

function show(expression: Expression | null): string {
  switch (expression?.kind) {
    case 'literal':
      return JSON.stringify(expression.value);
    case 'reference':
      return [expression.root.slice('input:'.length), ...expression.path].join('/');
    case 'coalesce':
      return `(${show(expression.left)} ?? ${show(expression.right)})`;
    case 'not':
      return `!${show(expression.operand)}`;
    case 'binary':
      return `(${show(expression.left)} ${expression.operator} ${show(expression.right)})`;
    case 'call':
      return `${expression.name}(${expression.operands.map(show).join(', ')})`;
    default:
      return 'nothing';
  }
}

function shown(text: string, operators = false): string[] {
  return parse(text, operators).parts.map((part) => (typeof part === 'string' ? part : `<${show(part.expression)}>`));
}

describe('parseText', () => {
  it.each([
    ['plain text', ['plain text']],
    ['', ['']],
    ['${a}', ['<a>']],
    ['${ a }', ['<a>']],
    ['x ${a} y ${b} z', ['x ', '<a>', ' y ', '<b>', ' z']],
    ['${a}${b}', ['<a>', '<b>']],
    ['\\${a}', ['${a}']],
    ['x \\${a} ${b}', ['x ${a} ', '<b>']],
    ['$a {b} $', ['$a {b} $']],
    ['${a.b.c}', ['<a/b/c>']],
    ['${a[0].b[-1]}', ['<a/0/b/-1>']],
    ['${a["two words"]}', ['<a/two words>']],
    ['${with-hyphen.and_more}', ['<with-hyphen/and_more>']],
    ['${a ?? "no } brace"}', ['<(a ?? "no } brace")>']],
    ["${a ?? 'it\\'s'}", ['<(a ?? "it\'s")>']],
    ['${a ?? "line\\nbreak"}', ['<(a ?? "line\\nbreak")>']],
    ['${a ?? b ?? 1.5}', ['<(a ?? (b ?? 1.5))>']],
    ['${a ?? -3}', ['<(a ?? -3)>']],
    ['${a ?? true}', ['<(a ?? true)>']],
    ['${a ?? null}', ['<(a ?? null)>']],
    ['${a ?? "${b}"}', ['<(a ?? "${b}")>']],
    ['${nullable}', ['<nullable>']],
  ])('cuts %j', (text, parts) => {
    expect(shown(text)).toEqual(parts);
  });

  it.each([
    ['${a == b}', '<(a == b)>'],
    ['${a == 1 && b != "x" || c}', '<(((a == 1) && (b != "x")) || c)>'],
    ['${a || b && c}', '<(a || (b && c))>'],
    ['${!a && b}', '<(!a && b)>'],
    ['${!(a && b)}', '<!(a && b)>'],
    ['${a < b == c >= d}', '<((a < b) == (c >= d))>'],
    ['${a ?? b == c}', '<(a ?? (b == c))>'],
    ['${(a ?? b) == c}', '<((a ?? b) == c)>'],
    ['${contains(lower(a), "high") && length(b) > 3}', '<(contains(lower(a), "high") && (length(b) > 3))>'],
  ])('gives operators their precedence in %j', (text, expression) => {
    expect(shown(text, true)).toEqual([expression]);
  });

  it.each([
    ['${', 0, 'Expected `}`'],
    ['x ${a', 2, 'Expected `}`'],
    ['${}', 2, 'Expected a name between'],
    ['${a b}', 4, 'Expected `}`, got `b`'],
    ['${a ?? }', 7, 'Expected a name or a value'],
    ['${a ?? "x}', 7, 'Expected `"` at the end'],
    ['${a.0}', 4, 'Expected a name after `.`'],
    ['${a[b]}', 4, 'Expected a whole number'],
    ['${a[1.5]}', 4, 'Expected a whole number'],
    ['${a[0}', 5, 'Expected `]`'],
    ['${a + b}', 4, 'Expected a name, a value or an operator, got `+`'],
    ['${a == b}', 4, 'Operators and functions are for `when`'],
    ['${!a}', 2, 'Operators and functions are for `when`'],
    ['${length(a)}', 2, 'Operators and functions are for `when`'],
    ['${1e999}', 2, 'Expected a number that JSON carries'],
  ])('finds the flaw of %j at %i', (text, start, message) => {
    const [flaw] = parse(text).flaws;
    expect(flaw?.start).toBe(start);
    expect(flaw?.message).toContain(message);
  });

  it.each([
    ['${size(a)}', 'There is no function `size`'],
    ['${contains(a)}', 'Expected 2 values in `contains(…)`, got 1'],
    ['${length(a, b)}', 'Expected 1 values in `length(…)`, got 2'],
    ['${(a}', 'Expected `)`'],
  ])('finds the flaw of %j where operators are allowed', (text, message) => {
    expect(parse(text, true).flaws[0]?.message).toContain(message);
  });

  it('goes on after a flaw and finds the next one', () => {
    expect(parse('${a +} and ${b -} and ${c}').flaws.map(({ start }) => start)).toEqual([4, 15]);
  });

  it('refuses an expression of more than 500 words and signs, however it nests', () => {
    expect(parse(`\${${'('.repeat(5000)}a`, true).flaws[0]?.message).toContain('at most 500');
    expect(parse(`\${a${' ?? a'.repeat(5000)}}`).flaws[0]?.message).toContain('at most 500');
  });
});

describe('ofParts', () => {
  it('keeps the type of one whole reference', () => {
    expect(ofParts(parse('${a}').parts, new Map()).kind).toBe('expression');
    expect(ofParts(parse('${a} ').parts, new Map()).kind).toBe('text');
  });

  it('names texts over 512 bytes by the hash of their JSON and keeps them', () => {
    const texts: Texts = new Map();
    const long = 'é'.repeat(256);
    expect(ofParts([long], texts)).toEqual({
      kind: 'text',
      parts: [{ text: expect.stringMatching(/^sha256:[0-9a-f]{64}$/), bytes: 514 }],
    });
    expect([...texts.values()]).toEqual([long]);
    expect(ofParts(['x'.repeat(510)], texts)).toEqual({ kind: 'literal', value: 'x'.repeat(510) });
  });
});
