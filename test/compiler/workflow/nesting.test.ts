import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { nestedPlan } from '../../../src/plan/plan.js';
import { hashOf } from '../../../src/compiler/hash.js';
import { validatePaths } from '../../../src/compiler/validate.js';
import { compileIn, createProject } from '../helpers/temporary-project.js';

const step = (name: string, inputs = ''): string =>
  `  - workflow: ${name}${inputs === '' ? '' : `\n    inputs: ${inputs}`}\n`;
const flow = (steps: string, head = ''): string => `${head}steps:\n${steps}`;
const leaf = flow('  - command: [echo, done]\n');

/** Workflows by name, under `definitions/workflows/`. */
function compile(workflows: Record<string, string>, top: string, config = ''): ReturnType<typeof compileIn> {
  const files = Object.fromEntries(
    Object.entries(workflows).map(([name, text]) => [`definitions/workflows/${name}.yml`, text]),
  );
  return compileIn(
    createProject({ ...files, 'perdure.yml': `# a project\n${config}` }),
    `definitions/workflows/${top}.yml`,
  );
}

const messages = ({ problems }: ReturnType<typeof compileIn>): string[] => problems.map(({ message }) => message);

describe('nested workflows', () => {
  it('report a cycle in the words of the documented JSON', () => {
    const workflows = { a: flow(step('b')), b: flow(step('c') + step('a')), c: leaf };
    expect(messages(compile(workflows, 'a'))).toEqual(['Workflow cycle detected: a → b → a']);
    expect(messages(compile(workflows, 'b'))).toEqual(['Workflow cycle detected: b → a → b']);
  });

  it('report a workflow that contains itself', () => {
    expect(messages(compile({ a: flow(step('a')) }, 'a'))).toEqual(['Workflow cycle detected: a → a']);
  });

  it('report a cycle below the top, where it closes', () => {
    const result = compile({ top: flow(step('a')), a: flow(step('b')), b: flow(step('a')) }, 'top');
    expect(messages(result)).toEqual(['Workflow cycle detected: a → b → a']);
    expect(result.problems[0]).toMatchObject({ file: 'definitions/workflows/b.yml', line: 2, column: 15 });
  });

  it('may not stand before a gate that sends back to before them, where their effect is external', () => {
    const sends = flow('  - {command: [curl, x], effect: external}\n');
    const gate = '  - {id: a, command: [echo]}\n%  - {approval: Go?, rework: a}\n';
    const top = flow(gate.replace('%', step('middle')));
    expect(messages(compile({ top, middle: flow(step('below')), below: sends }, 'top'))).toEqual([
      'A rejection would run `1` again, whose effect is external.',
    ]);
    expect(messages(compile({ top, middle: flow(step('below')), below: leaf }, 'top'))).toEqual([]);
  });

  const chain = (length: number): Record<string, string> =>
    Object.fromEntries(
      Array.from({ length }, (_, i) => [`w${i + 1}`, i + 1 === length ? leaf : flow(step(`w${i + 2}`))]),
    );

  it('may be five levels deep, the top included', () => {
    expect(messages(compile(chain(5), 'w1'))).toEqual([]);
    expect(messages(compile(chain(6), 'w1'))).toEqual([
      'Workflow depth limit exceeded (5): w1 → w2 → w3 → w4 → w5 → …',
    ]);
    expect(messages(compile(chain(6), 'w2'))).toEqual([]);
  });

  it('are as deep as the configuration allows', () => {
    expect(messages(compile(chain(3), 'w1', 'workflows: {max_depth: 2}'))).toEqual([
      'Workflow depth limit exceeded (2): w1 → w2 → …',
    ]);
    expect(messages(compile(chain(7), 'w1', 'workflows: {max_depth: 7}'))).toEqual([]);
  });

  it.each([
    ['./', '`./`: Expected a file, got a folder.', 'name a file in it, such as `a.yml`'],
    ['../', '`../`: Expected a file, got a folder.', null],
    [
      '../workflows',
      '`../workflows`: Expected a file, got a folder.',
      'name a file in it, such as `../workflows/a.yml`',
    ],
    ['./link.yml', '`./link.yml`: Expected a regular file, got a link, a pipe or a device.', null],
  ])(
    'that are no file are told where they are named, in each file that names them: `%s`',
    (path, message, suggestion) => {
      const root = createProject({
        'definitions/workflows/a.yml': flow(step(path)),
        'definitions/workflows/b.yml': flow(step(path)),
      });
      symlinkSync('a.yml', join(root, 'definitions/workflows/link.yml'));
      const { problems } = validatePaths(['definitions/workflows/a.yml', 'definitions/workflows/b.yml'], root);
      expect(problems).toMatchObject(
        ['a', 'b'].map((name) => ({
          code: 'unknown-workflow',
          file: `definitions/workflows/${name}.yml`,
          line: 2,
          column: 15,
          message,
          suggestion,
        })),
      );
    },
  );

  it('share what they share: the same file in two places is no cycle and one body', () => {
    const { plan } = compile({ a: flow(step('b') + step('c')), b: flow(step('c')), c: leaf }, 'a');
    expect(Object.keys(plan?.nested ?? {})).toHaveLength(2);
  });

  it('have the hash that their file alone has, and carry exactly what they reach', () => {
    const workflows = {
      a: flow(step('b') + '  - agent: Explore\n'),
      b: flow(step('c') + '  - agent: Plan\n'),
      c: leaf,
    };
    const { plan } = compile(workflows, 'a');
    const alone = compile(workflows, 'b').plan;
    const nested = plan?.steps[0]?.kind === 'workflow' ? plan.steps[0].plan : 'sha256:none';
    expect(nested).toBe(alone?.hash);
    expect(plan && nestedPlan(plan, nested)).toEqual(alone);
    const { hash, ...rest } = alone ?? { hash: null };
    expect(hashOf(rest)).toBe(hash);
  });

  it('take a required input from the caller of the same name, else make it an input of the caller', () => {
    const inner = flow('  - command: [echo, "${channel}", "${size ?? 1}"]\n');
    const { plan } = compile({ a: flow(step('b')), b: flow(step('c')), c: inner }, 'a');
    expect(plan?.inputs).toEqual({ channel: { type: 'any', required: true, description: null } });
    expect(plan?.steps[0]).toMatchObject({ inputs: { channel: { expression: { root: 'input:channel' } } } });
  });

  it('are named where they want an input that cannot be passed on by itself', () => {
    const { problems } = compile(
      { a: flow('  - {output: channel, set: {a: 1}}\n' + step('b')), b: flow('  - command: [echo, "${channel}"]\n') },
      'a',
    );
    expect(problems).toMatchObject([
      {
        code: 'missing-input',
        line: 3,
        message: 'The workflow `b` needs the input `channel`, and an output here has that name.',
      },
    ]);
  });

  it('tell which steps need an input, nested ones included', () => {
    const inner = flow('  - {id: say, command: [echo, "${channel}"]}\n');
    const { inputPaths } = compile(
      { a: flow(step('b') + '  - {command: [echo, "${channel}", "${own}"]}\n'), b: flow(step('c')), c: inner },
      'a',
    );
    expect(inputPaths).toEqual({ channel: ['0/0/say', '1'], own: ['1'] });
  });

  it('keep the declaration of an input that becomes one of the caller', () => {
    const inner = flow(
      '  - command: [echo, "${channel}"]\n',
      'inputs: {channel: {type: string, description: where from}}\n',
    );
    expect(compile({ a: flow(step('b')), b: inner }, 'a').plan?.inputs).toEqual({
      channel: { type: 'string', required: true, description: 'where from' },
    });
  });

  it('get defaults that nobody overrides, and what is passed', () => {
    const inner = flow('  - command: [echo, "${a}", "${b}"]\n', 'inputs: {a: {default: 1}, b: {default: 2}}\n');
    const { plan } = compile({ a: flow(step('b', '{a: "${x}"}')), b: inner }, 'a');
    expect(plan?.steps[0]).toMatchObject({ inputs: { a: { kind: 'expression' }, b: { kind: 'literal', value: 2 } } });
    expect(Object.keys(plan?.inputs ?? {})).toEqual(['x']);
  });

  it('are found by a path relative to the file that names them', () => {
    const files = {
      'flows/a.yml': flow(step('./inner/b.yml')),
      'flows/inner/b.yml': flow(step('../c.yml')),
      'flows/c.yml': leaf,
    };
    expect(compileIn(createProject(files), 'flows/a.yml').plan?.steps[0]).toMatchObject({ workflow: 'b' });
  });

  it('may be an agent alone, which is asked with `request`', () => {
    const files = { 'a.yml': flow(step('./helper.yml', '{request: Help me}')), 'helper.yml': 'prompt: You help.' };
    expect(Object.values(compileIn(createProject(files), 'a.yml').plan?.nested ?? {})).toMatchObject([
      { name: 'helper', steps: [{ kind: 'agent' }] },
    ]);
  });

  it.each([
    ['definitions', '.glee'],
    ['.glee', '.claude'],
  ])('are found in %s before %s', (first, second) => {
    const files = {
      'a.yml': flow(step('b')),
      [`${first}/workflows/b.yml`]: flow('  - command: [first]\n'),
      [`${second}/workflows/b.yml`]: flow('  - command: [second]\n'),
    };
    expect(JSON.stringify(compileIn(createProject(files), 'a.yml').plan?.nested)).toContain('"first"');
  });

  it('report the problems of every file they reach', () => {
    const { problems } = compile({ a: flow(step('b') + step('nope')), b: flow('  - agent: nope\n') }, 'a');
    expect(problems.map(({ file, line, code }) => `${file.slice(22)}:${line} ${code}`)).toEqual([
      'a.yml:3 unknown-workflow',
      'b.yml:2 unknown-agent',
    ]);
  });
});
