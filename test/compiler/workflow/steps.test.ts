import { describe, expect, it } from 'vitest';
import type { Step } from '../../../src/plan/step.js';
import { compileText, planOf, problemsOf } from '../helpers/temporary-project.js';

const first = (step: string): Step | undefined => planOf(`steps:\n  - ${step}\n`).steps[0];

describe('steps', () => {
  it.each([
    // what is written, what the Plan has
    [
      '{command: [npm, test, 5, true]}',
      {
        kind: 'command',
        argv: [{ value: 'npm' }, { value: 'test' }, { value: '5' }, { value: 'true' }],
        timeout_ms: 300_000,
        retry: { attempts: 1 },
        max_output_kb: 100,
        effect: 'workspace',
      },
    ],
    [
      '{command: [a], env: {PORT: 80}, cwd: src, stdin: "x", reads: [a.txt], writes: [b.txt]}',
      {
        env: { PORT: { value: '80' } },
        cwd: { value: 'src' },
        stdin: { value: 'x' },
        reads: ['a.txt'],
        writes: ['b.txt'],
      },
    ],
    ['{command: [a], timeout: 1h30m}', { timeout_ms: 5_400_000 }],
    ['{command: [a], timeout: 1.5s}', { timeout_ms: 1500 }],
    ['{command: [a], timeout_mins: 0.5, deadline: 2m}', { timeout_ms: 30_000, deadline_ms: 120_000 }],
    ['{command: [a], retry: {attempts: 4, backoff: 500ms}}', { retry: { attempts: 4, backoff_ms: 500 } }],
    ['{agent: scanner, retry: {attempts: 2}}', { retry: { attempts: 2, anew: true } }],
    ['{command: [a], effect: external}', { effect: 'external' }],
    [
      '{agent: scanner}',
      { kind: 'agent', prompt: null, model: null, schema: null, timeout_ms: 300_000, retry: { attempts: 3 } },
    ],
    ['{agent: scanner, rehearsal: {findings: []}}', { rehearsal: { kind: 'literal', value: { findings: [] } } }],
    ['{agent: scanner, when: true}', { when: { kind: 'literal', value: true } }],
    [
      '{approval: Go on?}',
      {
        kind: 'approval',
        message: { value: 'Go on?' },
        content: null,
        fallback: 'abort',
        effect: 'none',
        timeout_ms: 0,
      },
    ],
    [
      '{approval: Go on?, content: "${x}", fallback: skip, deadline: 1d}',
      { content: { kind: 'expression' }, fallback: 'skip', deadline_ms: 86_400_000 },
    ],
    [
      '{approval: {message: "Send ${x}?", content: {a: 1}, fallback: approve}}',
      { message: { kind: 'text' }, content: { value: { a: 1 } }, fallback: 'approve' },
    ],
  ])('%s', (step, expected) => {
    expect(first(step)).toMatchObject(expected);
  });

  it.each([
    // The mark stands before the place that the problem names.
    ['{command: [a], timeout: ¦0s}', 'invalid-value'],
    ['{command: [a], timeout: ¦5 minutes}', 'invalid-value'],
    ['{command: [a], timeout: ¦9000d}', 'invalid-value'],
    ['{command: [a], retry: {attempts: ¦0}}', 'invalid-value'],
    ['{command: ¦[]}', 'invalid-value'],
    ['{command: [¦"npm test"]}', 'command-not-list'],
    ['{command: [¦5]}', 'invalid-value'],
    ['{command: [a], env: {¦"A-B": x}}', 'invalid-name'],
    ['{command: [a], reads: [¦"${x}"]}', 'invalid-value'],
    ['{command: [a], writes: [¦"${x}"]}', 'invalid-value'],
    ['{command: [a], ¦prompt: x}', 'unknown-key'],
    ['{command: [a], max_output_kb: ¦-1}', 'invalid-value'],
    ['{approval: {¦content: Go?}}', 'missing-key'],
    ['{approval: Go?, ¦timeout: 5m}', 'unknown-key'],
    ['{approval: {message: Go?, fallback: skip}, ¦fallback: skip}', 'conflicting-keys'],
    ['{agent: scanner, schema: {$ref: ¦"http://x"}}', 'invalid-schema'],
    ['{agent: scanner, schema: {required: ¦name}}', 'invalid-schema'],
    ['{agent: scanner, schema: {properties: ¦[a]}}', 'invalid-schema'],
    ['{agent: scanner, schema: {items: {anyOf: ¦[]}}}', 'invalid-schema'],
    ['{agent: scanner, schema: {enum: ¦a}}', 'invalid-schema'],
    ['{agent: scanner, schema: {enum: ¦[]}}', 'invalid-schema'],
    ['{agent: scanner, schema: {type: ¦[]}}', 'invalid-schema'],
    ['{agent: scanner, schema: {type: [string, ¦string]}}', 'invalid-schema'],
    ['{agent: scanner, schema: {type: [string, ¦null]}}', 'invalid-schema'],
    ['{agent: scanner, schema: {type: [¦[string]]}}', 'invalid-schema'],
    ['{agent: scanner, schema: {required: [a, ¦a]}}', 'invalid-schema'],
    ['{agent: scanner, schema: {pattern: ¦"("}}', 'invalid-schema'],
    ['{agent: scanner, schema: {pattern: ¦5}}', 'invalid-schema'],
    ['{agent: scanner, schema: {patternProperties: {¦"(": true}}}', 'invalid-schema'],
    ['{agent: scanner, schema: {minLength: ¦-1}}', 'invalid-schema'],
    ['{agent: scanner, schema: {maximum: ¦"5"}}', 'invalid-schema'],
    ['{agent: scanner, on_error: ¦ignore}', 'invalid-value'],
    ['{agent: scanner, inputs: {¦"a b": 1}}', 'invalid-name'],
    ['{agent: scanner, ¦session: x}', 'unsupported-key'],
    ['{agent: scanner, ¦tools: [shell]}', 'unsupported-key'],
    ['{¦run: npm test}', 'step-kind'],
    ['¦just a text', 'invalid-value'],
  ])('%s is refused: %s', (marked, code) => {
    const line = `  - ${marked}`;
    expect(problemsOf(`steps:\n${line.replace('¦', '')}\n`)).toEqual([`2:${line.indexOf('¦') + 1} ${code}`]);
  });

  it.each([
    ['{agent: scanner, prompt: "${input.target}"}', 'input', 'an input is written by its name alone: `${target}`'],
    ['{agent: scanner, prompt: "${inputs.target}"}', 'inputs', 'an input is written by its name alone: `${target}`'],
    [
      '{agent: scanner, prompt: "${env.HOME}"}',
      'env',
      'variables of the environment are no part of a definition: declare an input',
    ],
    ['{foreach: [a], agent: scanner, prompt: "${itme}"}', 'itme', 'did you mean `item`?'],
    ['{agent: scanner, prompt: "${step.a.output}"}', 'step', 'did you mean `steps`?'],
    ['{command: [a], when: "${True}"}', 'True', 'did you mean `true`?'],
    ['{command: [a], when: "${None}"}', 'None', 'did you mean `null`?'],
  ])('warn of a name that is most likely no input: %s', (step, name, suggestion) => {
    expect(compileText(`steps:\n  - ${step}\n`).problems).toMatchObject([
      {
        code: 'near-input',
        severity: 'warning',
        message: `\`${name}\` is taken for an input of the workflow.`,
        suggestion,
      },
    ]);
  });

  it.each([
    ['inputs.names', 'names', 'an input is written by its name alone: `${names}`'],
    ['inputs.names[0].first', 'names[0].first', 'an input is written by its name alone: `${names[0].first}`'],
    ["inputs['names']", 'names', 'an input is written by its name alone: `${names}`'],
    ['inputs.other', 'other', 'an input is written by its name alone: `${other}`'],
    ['inputs.item', null, 'an input is written by its name alone: `${target}`'],
    ['input.names', 'names', 'an input is written by its name alone: `${names}`'],
    ['params.names', 'names', 'an input is written by its name alone: `${names}`'],
    ['None', 'null', 'did you mean `null`?'],
    ['a', 'steps.a.output', 'write `${steps.a.output}`'],
    ['a.output', 'steps.a.output', 'write `${steps.a.output}`'],
    ['a.status', 'steps.a.status', 'write `${steps.a.status}`'],
    ['a[0].name', 'steps.a.output[0].name', 'write `${steps.a.output[0].name}`'],
  ])('keep the form of a reference that is mended: ${%s}', (source, text, suggestion) => {
    const { problems } = compileText(
      `inputs: {names: {}}\nsteps:\n  - {id: a, command: [b]}\n  - {command: [c, "\${${source} ?? 1}"]}\n`,
    );
    const [problem] = problems.filter(({ line }) => line === 4);
    expect(problem).toMatchObject({ suggestion });
    expect(problem?.fix?.text ?? null).toBe(text);
  });

  it('do not say that nothing refers to an input that a slip was meant for', () => {
    const step = '{agent: scanner, prompt: "${inputs.names}"}';
    expect(problemsOf(`inputs: {names: {}}\nsteps:\n  - ${step}\n`)).toEqual([
      `3:${step.indexOf('inputs') + 5} near-input`,
    ]);
  });

  it.each([
    ['promt: hello', 'did you mean `prompt`?'],
    ['depends_on: [0]', 'it is called `needs` here'],
    ['if: true', 'it is called `when` here'],
  ])('come with a suggestion for %s', (line, suggestion) => {
    expect(compileText(`steps:\n  - agent: scanner\n    ${line}\n`).problems).toMatchObject([
      { code: 'unknown-key', suggestion },
    ]);
  });

  it.each([
    ['{ask: Where to?, options: [a]}', '`choices`'],
    ['{ask: {question: Where to?, options: [a]}}', '`choices`'],
    ['{approval: Go?, choices: [a]}', '`options`'],
    ['{approval: {message: Go?, choices: [a]}}', '`options`'],
  ])('tell what the other kind of gate calls it: %s', (step, word) => {
    expect(compileText(`steps:\n  - ${step}\n`).problems).toMatchObject([
      { code: 'unknown-key', suggestion: `it is called ${word} here` },
    ]);
  });

  it('limit a nested run by its timeout, which is no deadline', () => {
    const files = { 'nested.yml': 'steps:\n  - command: [a]\n' };
    expect(planOf('steps:\n  - {workflow: ./nested.yml, timeout: 5m, deadline: 9m}\n', files).steps[0]).toMatchObject({
      timeout_ms: 300_000,
      deadline_ms: 540_000,
    });
    expect(planOf('steps:\n  - {workflow: ./nested.yml, timeout: 5m}\n', files).steps[0]).toMatchObject({
      timeout_ms: 300_000,
      deadline_ms: null,
    });
  });

  it('see `steps[-1]` as the one before, and as the last in the output', () => {
    const plan = planOf(
      'steps:\n  - command: [a]\n  - command: [b, "${steps[-1].output}"]\noutput: "${steps[-1].output}"\n',
    );
    expect(plan.steps[1]?.needs).toEqual([{ step: 0, skip: true }]);
    expect(plan.output).toMatchObject({ expression: { root: 'step:1.output' } });
  });

  it('read an output by its name, and parts of it', () => {
    const plan = planOf(
      'steps:\n  - {command: [a], output: files}\n  - {command: [b, "${files[0].name}", "${steps[0]}"]}\n',
    );
    expect(plan.steps[1]).toMatchObject({
      argv: [
        {},
        { expression: { root: 'step:0.output', path: [0, 'name'] } },
        { expression: { root: 'step:0', path: [] } },
      ],
    });
  });

  it('2,000 of them compile in little time', () => {
    const lines = Array.from({ length: 1500 }, (_, i) => `  - {id: s${i}, command: [echo, "\${target}"]}`);
    const text = `steps:\n${lines.join('\n')}\n`;
    const started = process.cpuUsage();
    expect(planOf(text).steps).toHaveLength(1500);
    expect(process.cpuUsage(started).user / 1e6).toBeLessThan(2);
  });
});

describe('inputs', () => {
  it('are found where nobody declares them, and optional where every use has a default', () => {
    const plan = planOf('steps:\n  - {command: [a, "${x}", "${x ?? 1}", "${y ?? 2}"]}\n');
    expect(plan.inputs).toEqual({
      x: { type: 'any', required: true, description: null },
      y: { type: 'any', required: false, description: null },
    });
  });

  it.each([
    ['{}', { type: 'any', required: true, description: null }],
    ['', { type: 'any', required: true, description: null }],
    ['{type: number, default: 3}', { type: 'number', required: false, description: null, default: 3 }],
    ['{required: false, description: where}', { type: 'any', required: false, description: 'where' }],
  ])('declared as %j are normal', (declaration, spec) => {
    expect(planOf(`inputs:\n  x: ${declaration}\nsteps:\n  - {command: [a, "\${x}"]}\n`).inputs).toEqual({ x: spec });
  });

  it('have defaults of their type', () => {
    expect(problemsOf('inputs:\n  x: {type: number, default: many}\nsteps:\n  - {command: [a, "${x}"]}\n')).toEqual([
      '2:30 invalid-value',
    ]);
  });

  it('that nobody refers to are shown to every agent, with a warning', () => {
    const { plan, problems } = compileText('inputs: {x: {}}\nsteps:\n  - agent: scanner\n  - command: [a]\n');
    expect(problems).toMatchObject([{ code: 'unused-input', severity: 'warning' }]);
    expect(plan?.steps[0]).toMatchObject({ inputs: { x: { expression: { root: 'input:x' } } } });
  });
});

it.each(['reads', 'writes'])('`%s` names files and folders: a pattern is a problem that says so', (key) => {
  const text = `steps:\n  - {command: [make], ${key}: [src, "src/*.c", "app/[id].ts"]}\n`;
  expect(compileText(text).problems).toMatchObject([
    {
      code: 'invalid-value',
      message: 'Expected a path, got the pattern `src/*.c`, which is the name of no file.',
      suggestion: 'name the folder: it stands for all that is below it',
    },
  ]);
});
