import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatYaml } from '../../../src/compiler/fmt/format-yaml.js';
import { createReport } from '../../../src/compiler/problems/problem.js';
import { createSource } from '../../../src/compiler/problems/source.js';
import { compileText, planOf, problemsOf } from '../helpers/temporary-project.js';

const WORDS = ['string', 'number', 'integer', 'boolean', 'list', 'array', 'object', 'any'];
const DEFAULTS = ['a', 2, 1.5, true, [1], { a: 1 }];

/** Declarations of inputs by name: `{a: {type: array, default: [1]}}`. */
const declarations = fc.dictionary(
  fc.constantFrom('a', 'b', 'c', 'd'),
  fc.record(
    { type: fc.constantFrom(...WORDS), default: fc.constantFrom(...DEFAULTS), description: fc.constant('It is.') },
    { requiredKeys: ['type'] },
  ),
  { minKeys: 1 },
);

type Declared = Record<string, { type: string }>;
const workflow = (inputs: unknown, name = 'flow'): string =>
  `name: ${name}\ninputs: ${JSON.stringify(inputs)}\nsteps:\n  - {command: [echo, "\${a ?? 1}"]}\n`;
const agent = (inputs: unknown): string => `name: told\nprompt: Go.\ninputs: ${JSON.stringify(inputs)}\n`;
const asList = (inputs: Declared): unknown => Object.entries(inputs).map(([name, spec]) => ({ name, ...spec }));
const respelled = (inputs: Declared): Declared =>
  Object.fromEntries(
    Object.entries(inputs).map(([name, spec]) => [name, { ...spec, type: spec.type === 'array' ? 'list' : spec.type }]),
  );

function formatted(text: string): string {
  const { report, problems } = createReport();
  const made = formatYaml(createSource('/p/x.yml', 'x.yml', text), report);
  if (made === null) throw new Error(JSON.stringify(problems));
  return made;
}

describe('the types of inputs', () => {
  it('have two spellings that compile to the same Plan and the same problems, and one canonical form', () => {
    fc.assert(
      fc.property(declarations, fc.boolean(), fc.constantFrom(workflow, agent), (inputs, list, write) => {
        const form = (declared: Declared): string => write(list ? asList(declared) : declared);
        const [one, other] = [compileText(form(inputs)), compileText(form(respelled(inputs)))];
        expect(one.plan?.hash).toBe(other.plan?.hash);
        expect(one.problems.map(({ message }) => message)).toEqual(other.problems.map(({ message }) => message));
        expect(formatted(form(inputs))).toBe(formatted(form(respelled(inputs))));
      }),
      { numRuns: 60 },
    );
  });

  it.each([
    [
      'integer',
      1.5,
      'Expected the default to be a whole number, as the input is of type `integer`; got `1.5` (number).',
    ],
    ['integer', '1', 'Expected the default to be a whole number, as the input is of type `integer`; got the text `1`.'],
    ['array', 'x', 'Expected the default to be a list, as the input is of type `list`; got `x`.'],
    ['number', true, 'Expected the default to be a number, as the input is of type `number`; got `true` (boolean).'],
  ])('have defaults that fit: %s, not %j', (type, fallback, message) => {
    const { problems } = compileText(workflow({ a: { type, default: fallback } }));
    expect(problems).toMatchObject([{ code: 'invalid-value', message, line: 2 }]);
  });

  it('of a nested workflow and of an agent are held to what a step writes out', () => {
    const files = {
      'definitions/workflows/below.yml': workflow({ a: { type: 'integer' } }, 'below'),
      'definitions/agents/told.yml': agent({ a: { type: 'array' } }),
    };
    const step = (kind: string, value: string): string => `steps:\n  - ${kind}\n    inputs: {a: ${value}}\n`;
    for (const [kind, good, bad] of [
      ['workflow: below', ['2', '2.0', '"${n}"'], ['1.5', 'two', '"${n}!"', '[1]']],
      ['agent: told', ['[1]', '["${n}"]', '"${n}"'], ['1', 'x', '{a: 1}']],
    ] as const) {
      for (const value of good) expect(problemsOf(step(kind, value), files), `${kind} ${value}`).toEqual([]);
      for (const value of bad)
        expect(problemsOf(step(kind, value), files), `${kind} ${value}`).toEqual(['3:17 invalid-value']);
    }
    const worded = { 'definitions/workflows/below.yml': workflow({ a: { type: 'string' } }, 'below') };
    expect(problemsOf(step('workflow: below', '3'), worded)).toEqual([]);
  });

  it('name the word that was meant', () => {
    expect(compileText(workflow({ a: { type: 'int' } })).problems).toMatchObject([
      { suggestion: 'did you mean `integer`?' },
    ]);
    expect(planOf(workflow({ a: { type: 'integer', default: 2 } })).inputs['a']).toMatchObject({ type: 'integer' });
  });
});
