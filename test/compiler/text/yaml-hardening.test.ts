import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { deviceSchema } from '../../../src/compiler/formats/device-config.js';
import { compileIn, compileText, createProject, planOf, problemsOf } from '../helpers/temporary-project.js';

const levels = Array.from({ length: 9 }, (_, i) => `b${i}: &b${i} [${`*${i === 0 ? 'a' : `b${i - 1}`}, `.repeat(9)}]`);
const bomb = `a: &a [x, x]\n${levels.join('\n')}\n`;

describe('YAML that means harm', () => {
  it.each([
    ['a billion laughs', bomb, 'yaml-alias'],
    ['an alias of itself', 'steps: &a [*a]', 'yaml-alias'],
    ['a merge key', 'steps:\n  - agent: scanner\n    inputs: {<<: {a: 1}}', 'forbidden-key'],
    ['a key twice at the top', 'steps: []\nsteps: []', 'duplicate-key'],
    ['a key twice inside', 'steps:\n  - {agent: scanner, agent: linter}', 'duplicate-key'],
    ['__proto__', 'steps:\n  - {agent: scanner, inputs: {__proto__: {a: 1}}}', 'forbidden-key'],
    ['constructor', 'constructor: 1\nsteps: []', 'forbidden-key'],
    ['a tag of JavaScript', 'steps: !!js/function "() => 1"', 'invalid-yaml'],
    ['a tag of its own', 'steps: !foo 1', 'invalid-yaml'],
    ['bytes', 'steps: !!binary aGVsbG8=', 'invalid-yaml'],
    ['not a number', 'steps:\n  - {agent: scanner, inputs: {a: .nan}}', 'unsafe-number'],
    ['infinity', 'steps:\n  - {agent: scanner, inputs: {a: -.inf}}', 'unsafe-number'],
    ['thirty digits', 'steps:\n  - {agent: scanner, inputs: {a: 123456789012345678901234567890}}', 'unsafe-number'],
    ['a map as key', '? {a: 1}\n: 2', 'invalid-yaml'],
    ['one key as number and as text', '1: a\n"1": b', 'duplicate-key'],
    ['two documents', 'steps: []\n---\nsteps: []', 'multiple-documents'],
    ['nothing', '', 'empty-file'],
    ['null', '~', 'empty-file'],
    ['a text', 'just words', 'invalid-value'],
    ['a list', '- 1', 'invalid-value'],
    ['tabs', 'steps:\n\t- agent: scanner', 'invalid-yaml'],
    ['a flow list 5,000 deep', `steps: ${'['.repeat(5000)}`, 'too-deep'],
    ['a closed flow list 1,000 deep', `steps: ${'['.repeat(1000)}${']'.repeat(1000)}`, 'too-deep'],
    ['maps 300 deep', Array.from({ length: 300 }, (_, i) => `${' '.repeat(i)}a:`).join('\n'), 'too-deep'],
    ['a NUL', 'steps: "\0"', 'unreadable-file'],
    ['a name with an invisible character', 'name: a\u200bb\nsteps:\n  - agent: scanner', 'invalid-name'],
    ['a name that runs backwards', 'steps:\n  - {agent: scanner, id: "a\u202eb"}', 'invalid-name'],
    ['a homoglyph', 'name: Аgent\nsteps:\n  - agent: scanner', 'invalid-name'],
  ])('%s is refused', (_title, text, code) => {
    const problems = problemsOf(text).map((problem) => problem.split(' ')[1]);
    expect(problems).toContain(code);
  });

  it.each([
    ['&t 5m', '*t', '5m'],
    ['&target 9m', '*t', '"*t"'],
    ['&t 5m\n  b: &target 9m\n  c: "see &t x"', '*t', '5m'],
    ['&t 5m\n  b: &t 6m', '*t', '6m'],
    ['&t.x [a, b]', '*t.x', '[a, b]'],
    ['&t\n    d: e', '*t', null],
    ['1', '*bold*', '"*bold*"'],
  ])('an alias is written out as its anchor says: %s, %s', (anchor, alias, text) => {
    const { problems } = compileText(`inputs:\n  a: ${anchor}\n  z: ${alias}\nsteps:\n  - agent: scanner`);
    expect(problems.find(({ code }) => code === 'yaml-alias')?.fix?.text ?? null).toBe(text);
  });

  it('leaves octal, dates and yes as the core schema has them', () => {
    const plan = planOf('steps:\n  - {agent: scanner, inputs: {a: 0o14, b: 2001-01-01, c: yes, d: 1.5, e: ~}}');
    expect(plan.steps[0]).toMatchObject({
      inputs: {
        a: { value: 12 },
        b: { value: '2001-01-01' },
        c: { value: 'yes' },
        d: { value: 1.5 },
        e: { value: null },
      },
    });
  });

  it('a byte order mark is no part of the text', () => {
    expect(problemsOf('\uFEFFsteps:\n  - agent: scanner')).toEqual([]);
  });

  it('100,000 keys take less than two seconds of process time', () => {
    const text =
      `steps:\n  - agent: scanner\n    inputs: ` +
      `{${Array.from({ length: 30_000 }, (_, i) => `a${i}: 1`).join(', ')}}`;
    const before = process.cpuUsage();
    problemsOf(text.slice(0, 250 * 1024));
    expect(process.cpuUsage(before).user / 1e6).toBeLessThan(3);
  });

  it('a file above 256 KiB is not parsed', () => {
    expect(problemsOf(`# ${'x'.repeat(256 * 1024)}`)).toEqual(['1:1 unreadable-file']);
  });

  it('two agents of one folder whose names differ by case only are refused', () => {
    const files = {
      'definitions/agents/one.yml': 'name: helper\nprompt: a',
      'definitions/agents/two.yml': 'name: Helper\nprompt: b',
    };
    const { problems } = compileIn(createProject(files), 'definitions/agents/two.yml');
    expect(problems.map(({ code }) => code)).toEqual(['duplicate-name']);
  });

  it.each([
    '${__proto__.x}',
    '${steps.constructor.output}',
    '${steps[0].output.__proto__}',
    '${a.constructor.name}',
    '${steps[0].output["prototype"]}',
  ])('%s is refused', (reference) => {
    const { plan, problems } = compileText(
      `steps:\n  - agent: scanner\n  - agent: scanner\n    prompt: '${reference}'`,
    );
    expect(plan).toBeNull();
    expect(problems).toHaveLength(1);
  });

  it('a template in a command stays one argument', () => {
    const [step] = planOf('steps:\n  - command: [echo, "${text}", "a; rm -rf ${text}"]').steps;
    expect(step?.kind === 'command' && step.argv.map(({ kind }) => kind)).toEqual(['literal', 'expression', 'text']);
  });

  it.each([
    ['a link', (root: string) => symlinkSync('/etc/passwd', join(root, 'x.yml'))],
    ['a folder', (root: string) => mkdirSync(join(root, 'x.yml'))],
    ['a pipe', (root: string) => execFileSync('mkfifo', [join(root, 'x.yml')])],
    ['other bytes', (root: string) => writeFileSync(join(root, 'x.yml'), Buffer.from([0xff, 0xfe, 0x41]))],
    ['nothing at all', () => undefined],
  ])('%s is refused, and nothing of it is shown', (_title, make) => {
    const root = createProject({});
    make(root);
    const { plan, problems, sources } = compileIn(root, 'x.yml');
    expect(plan).toBeNull();
    expect(problems).toMatchObject([{ code: 'unreadable-file', line: 1, column: 1 }]);
    expect(sources.size).toBe(0);
  });

  it.each([
    '/dev/sda',
    '/dev/nvme0n1',
    '/dev/mem',
    '/dev/../dev/sda',
    '../../dev/mem',
    '/dev/zero',
    'net:host:port',
    '',
  ])('`%s` is no port of a device', (port) => {
    expect(deviceSchema.safeParse({ kind: 'avr-arduino', port }).success).toBe(false);
  });
});
