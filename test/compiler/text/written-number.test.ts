import { describe, expect, it } from 'vitest';
import { imported } from '../import/helpers/imported.js';
import { compileIn, compileText, createProject } from '../helpers/temporary-project.js';

/** The first step of a workflow of one, as the Plan has it. */
function stepOf(step: string): Record<string, unknown> {
  const { plan, problems } = compileText(`steps:\n  - ${step}\n`);
  if (plan === null) throw new Error(JSON.stringify(problems));
  expect(problems).toEqual([]);
  return { ...plan.steps[0] };
}

/** The warnings of a definition, as they are told. */
function warningsOf(text: string): string[] {
  return compileText(text).problems.map(({ code, line, column, message }) => `${line}:${column} ${code} ${message}`);
}

describe('a number where a text is meant', () => {
  it('is an argument and a variable of a command as it is written', () => {
    const { argv, env, stdin } = stepOf(
      'command: [printf, 3.10, 0755, 0o17, 1.0, 1e3, TRUE, -0, !!int "5"]\n    env: {ZIP: 01234}\n    stdin: 3.10',
    );
    const literal = (value: string): unknown => ({ kind: 'literal', value });
    expect(argv).toEqual(
      ['printf', '3.10', '0755', '0o17', '1.0', '1e3', 'true', '-0', '5'].map((value) => literal(value)),
    );
    expect(env).toEqual({ ZIP: literal('01234') });
    expect(stdin).toEqual(literal('3.10'));
  });

  it('is the default of a text in a recipe of goose as it is written', () => {
    const { plan } = imported({
      'r.yaml':
        'version: 1.0.0\ntitle: Go\ndescription: Goes.\nprompt: "Go {{ ver }} {{ n }}"\nparameters:\n' +
        '  - {key: ver, input_type: string, requirement: optional, default: 1.10}\n' +
        '  - {key: n, input_type: number, requirement: optional, default: 1.10}\n',
    });
    expect(plan('go').inputs).toMatchObject({ ver: { default: '1.10' }, n: { default: 1.1 } });
  });

  it('is the default and the description of a parameter of a flow as it is written', () => {
    const root = createProject({
      'f.flow': '---\nparams: {d: {default: 1.0}, version: 1.10}\n---\ngeneral-purpose:"{{d}} {{version}}"\n',
    });
    const { plan, problems } = compileIn(root, 'f.flow');
    expect(problems).toEqual([]);
    expect(plan?.inputs).toMatchObject({ d: { default: '1.0' }, version: { description: '1.10' } });
  });
});

describe('a number where a value is meant', () => {
  it.each([
    ['steps:\n  - foreach: [3.9, 3.10]\n    command: [echo, "${item}"]', '2:20', '3.10', '3.1'],
    ['steps:\n  - agent: general-purpose\n    prompt: x\n    inputs: {v: 0755}', '4:17', '0755', '755'],
    ['steps:\n  - set: {v: {w: [0x1F]}}', '2:19', '0x1F', '31'],
    ['steps:\n  - approval: Ship?\n    content: 1.0', '3:14', '1.0', '1'],
    ['steps:\n  - ask: Which?\n    choices: [1.10, 1.9]', '3:15', '1.10', '1.1'],
    ['steps:\n  - ask: Which?\n    default: 1.10', '3:14', '1.10', '1.1'],
    ['inputs: {v: {default: 1.10}}\nsteps:\n  - command: [echo, "${v}"]', '1:23', '1.10', '1.1'],
    ['steps:\n  - command: [echo]\noutput: {v: 1.50}', '3:13', '1.50', '1.5'],
    [
      'steps:\n  - loop: {until: "${index == 1}", max: 2}\n    steps: [{command: [echo]}]\n    yields: 007',
      '4:13',
      '007',
      '7',
    ],
  ])('is told of where it is handed on in another spelling', (text, place, written, value) => {
    expect(warningsOf(text)).toEqual([
      `${place} number-spelling The number \`${written}\` is handed on as \`${value}\`.`,
    ]);
  });

  it.each([
    'steps:\n  - foreach: [3, 3.5, -1, "3.10"]\n    command: [echo, "${item}"]',
    'inputs: {v: {type: number, default: 1.0}}\nsteps:\n  - command: [echo, "${v}"]',
    'steps:\n  - ask: How much?\n    schema: {type: number, minimum: 1.0}\n    default: 1.50',
    'budgets: {max_cost_usd: 5.00}\nsteps:\n  - command: [echo]\n    timeout_mins: 1.0',
  ])('is not told of where nobody reads it otherwise', (text) => {
    expect(warningsOf(text)).toEqual([]);
  });

  it('is a number to a workflow that takes one', () => {
    const root = createProject({
      'inner.yml': 'inputs: {n: {type: number}, v: {}}\nsteps:\n  - command: [echo, "${n} ${v}"]\n',
      'outer.yml': 'steps:\n  - workflow: ./inner.yml\n    inputs: {n: 1.0, v: 2.0}\n',
    });
    expect(compileIn(root, 'outer.yml').problems.map(({ code, message }) => [code, message])).toEqual([
      ['number-spelling', 'The number `2.0` is handed on as `2`.'],
    ]);
  });
});
