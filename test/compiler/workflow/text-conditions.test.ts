import { describe, expect, it } from 'vitest';
import { compileText, problemsOf } from '../helpers/temporary-project.js';

/** A step that prints a text, and one with a condition. */
const after = (when: string, schema = ''): string =>
  `steps:\n  - {id: a, command: [a]${schema}}\n  - {command: [b], when: "\${${when}}"}`;
const given = (when: string, inputs = ''): string => `${inputs}steps:\n  - {command: [b], when: "\${${when}}"}`;

describe('conditions over texts', () => {
  it.each([
    after('steps.a.output > 3'),
    after('steps.a.output == 5'),
    after('5 != steps.a.output'),
    after('steps.a.output == true'),
    after('steps.a.output'),
    after('!steps.a.output'),
    after("steps.a.status == 'success' && steps.a.output"),
    after('steps.a.status'),
    after('(steps.a.output ?? 0) > 3'),
    after("steps.a.output == '5'", ', schema: {type: integer}'),
    after("steps.a.output.n == 'x'", ', schema: {type: object, properties: {n: {type: number}}}'),
    after('steps.a.output > 3', ', schema: {type: array}'),
    given('flag'),
    given('!flag'),
    given('count > 3'),
    given('flag ?? false'),
    given('flag', 'inputs: {flag: {description: whether}}\n'),
    given('count > 3', 'inputs: {count: {type: string}}\n'),
    given('count > limit', 'inputs: {limit: {type: integer}}\n'),
    given("flag == 'true'", 'inputs: {flag: {type: boolean}}\n'),
    'steps:\n  - {id: a, command: [a]}\n  - set: {many: "${steps.a.output > 3}"}',
    'steps:\n  - {id: a, command: [a], loop: {until: "${steps.a.output == 0}", max: 3}}',
    'steps:\n  - {foreach: ["1", "2"], command: [a], when: "${item == 1}"}',
    'steps:\n  - {foreach: [1], steps: [{id: a, command: [a]}, {command: [b], when: "${steps.a.output}"}]}',
  ])('warns of one that a text cannot answer: %s', (text) => {
    expect(compileText(text).problems.map(({ code, severity }) => `${code} ${severity}`)).toEqual([
      'text-condition warning',
    ]);
  });

  it.each([
    after("steps.a.output == '5'"),
    after('length(steps.a.output) > 0'),
    after("contains(steps.a.output, 'x')"),
    after('steps.a.output > 3', ', schema: {type: integer}'),
    after('steps.a.output', ', schema: {type: boolean}'),
    after('steps.a.output.ok', ', schema: {type: object}'),
    after('steps.a.error'),
    after('steps.a.output != null'),
    after('steps.a.duration_ms > 5'),
    given('flag', 'inputs: {flag: {type: boolean}}\n'),
    given('count > 3', 'inputs: {count: {type: integer}}\n'),
    given("mode == 'fast'"),
    given('x', 'inputs: {x: {type: any}}\n'),
    given('x == 3', 'inputs: {x: {type: any}}\n'),
    given('n > 3', 'schedule: {every: 1h, inputs: {n: 4}}\ninputs: {n: {description: how many}}\n'),
    given('files', 'inputs: {files: {type: list}}\n'),
    given('flag', 'inputs: {flag: {type: string}}\n'),
    given('!flag', 'inputs: {flag: {type: string}}\n'),
    'steps:\n  - {foreach: [1, 2], command: [a], when: "${item == 1}"}',
  ])('says nothing of one that it answers: %s', (text) => {
    expect(problemsOf(text)).toEqual([]);
  });

  it.each(['webhook: {signature: github, secret: "${env.SECRET}"', 'run: {definition: other'])(
    'says nothing of an input that a trigger gives: %s',
    (trigger) => {
      const text = given('n > 3', `on: {${trigger}, inputs: {n: "\${event.output}"}}}\n`);
      expect(compileText(text).problems.map(({ code }) => code)).not.toContain('text-condition');
      expect(compileText(text).problems.map(({ code }) => code)).not.toContain('missing-key');
    },
  );

  it('names the mend', () => {
    const [problem] = compileText(given('count > 3')).problems;
    expect(problem?.suggestion).toBe('declare it: `inputs: {count: {type: integer}}`');
    const [other] = compileText(after('steps.a.output == 5')).problems;
    expect(other?.suggestion).toBe('give the step `schema: {type: integer}`, or compare with a text: `"5"`');
  });
});
