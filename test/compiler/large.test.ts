// @seconds 25
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { validatePaths } from '../../src/compiler/validate.js';
import { FULL, random } from '../faults/seed.js';
import { createProject } from './helpers/temporary-project.js';

const lines = (count: number, line: (index: number) => string, by = '\n'): string =>
  `${Array.from({ length: count }, (_, index) => line(index)).join(by)}\n`;
const steps = (count: number, line: (index: number) => string): string =>
  `execution: dag\nsteps:\n${lines(count, line)}`;
const chain = (count: number, step: (index: number) => object): string =>
  JSON.stringify({
    steps: Array.from({ length: count }, (_, index) => ({ step: index + 1, command: ['cat'], ...step(index) })),
  });

/** Texts of any length, by what they have much of; sound ones, and those with a fault in each line. */
const LONG: Record<string, [file: string, text: (count: number) => string]> = {
  commands: ['a.yml', (n) => `steps:\n${lines(n, () => '- command: [echo]')}`],
  'steps in a body': ['a.yml', (n) => `steps:\n- foreach: [1]\n  steps:\n${lines(n, () => '  - wait: 1s')}`],
  needs: ['a.yml', (n) => steps(n, (i) => `- {id: s${i}, needs: [${i === 0 ? '' : `s${i - 1}`}], wait: 1s}`)],
  'unknown needs': ['a.yml', (n) => steps(n, (i) => `- {id: s${i}, needs: [none], wait: 1s}`)],
  'references to one step': [
    'a.yml',
    (n) => steps(n, (i) => (i === 0 ? '- {id: s, set: {a: 1}}' : '- set: {a: "${steps.s.output}"}')),
  ],
  'references to the step before': [
    'a.yml',
    (n) =>
      steps(n, (i) => (i === 0 ? '- {id: s0, set: {a: 1}}' : `- {id: s${i}, set: {a: "\${steps.s${i - 1}.output}"}}`)),
  ],
  'unknown references': ['a.yml', (n) => steps(n, (i) => `- {id: s${i}, set: {a: "\${steps.none.output}"}}`)],
  outputs: ['a.yml', (n) => steps(n, (i) => `- {output: o${i}, set: {a: 1}}`)],
  conditions: ['a.yml', (n) => steps(n, () => '- {when: "${1}", wait: 1s}')],
  'ids written twice': ['a.yml', (n) => steps(n, () => '- {id: s, wait: 1s}')],
  inputs: ['a.yml', (n) => `inputs:\n${lines(n, (i) => `  i${i}: {}`)}steps:\n- wait: 1s\n`],
  keys: ['a.yml', (n) => `steps:\n- set:\n${lines(n, (i) => `    k${i}: 1`)}`],
  'unknown keys': ['a.yml', (n) => `steps:\n- wait: 1s\n${lines(n, (i) => `  k${i}: 1`)}`],
  'lines of a prompt': [
    'a.yml',
    (n) => `steps:\n- agent: Plan\n  prompt: |\n${lines(n, (i) => `    {x${i}} \${y${i}}`)}`,
  ],
  'misspelled keys': ['a.yml', (n) => `steps:\n${lines(n, (i) => `- {id: s${i}, wiat: 1s}`)}`],
  'lines of a front matter that is no YAML': [
    'a.md',
    (n) => `---\nname: a\ndescription: b: c <example>\n${lines(n, () => 'user: "x"\n<a>')}model: opus\n---\nDo it.\n`,
  ],
  'lines that are no YAML': ['a.yml', (n) => lines(n, () => '- "a')],
  'agents one after the other': ['a.flow', (n) => lines(n, () => 'explore:"x"', ' ->\n')],
  'agents that go on': [
    'a.flow',
    (n) => lines(n, (i) => (i === 0 ? 'explore:"x":v0' : `explore:"{v${i - 1}}":v${i}`), ' ->\n'),
  ],
  'agents at once': ['a.flow', (n) => `[${lines(n, () => 'explore:"x"', ' ||\n')}] -> explore`],
  'pairs of agents': ['a.flow', (n) => lines(n, () => '[explore:"x" || explore:"y"]', ' ->\n')],
  gates: ['a.flow', (n) => `explore ->\n${lines(n, (i) => `@g${i}`, ' ->\n')}`],
  'gates after variables': ['a.flow', (n) => lines(n, (i) => (i % 2 === 0 ? `explore:"x":v${i}` : `@g${i}`), ' ->\n')],
  'unknown agents': ['a.flow', (n) => lines(n, () => 'nobody:"x"', ' ->\n')],
  'unknown variables of a flow': ['a.flow', (n) => lines(n, (i) => `explore:"{u${i}}":v${i}`, ' ->\n')],
  'agents of a flow': ['a.flow', (n) => `${lines(n, (i) => `$r${i} := {base: "explore", prompt: "x"}`)}explore`],
  'steps of a chain': [
    'a.json',
    (n) => chain(n, (i) => ({ inputs: [i === 0 ? 'userRequest' : `o${i - 1}`], outputs: { [`o${i}`]: 'string' } })),
  ],
  'unknown variables of a chain': [
    'a.json',
    (n) => chain(n, (i) => ({ inputs: ['none'], outputs: { [`o${i}`]: 'string' } })),
  ],
  'fields of an agent': ['a.md', (n) => `---\nname: a\n${lines(n, (i) => `k${i}: 1`)}---\nhi`],
};

/** Milliseconds of this process's CPU; the lesser of two, for what collects garbage or compiles code beside it. */
function cost(file: string, text: string): number {
  const root = createProject({});
  writeFileSync(join(root, file), text);
  return Math.min(
    ...[1, 2].map(() => {
      const before = process.cpuUsage();
      validatePaths([file], root);
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1000;
    }),
  );
}

/** Ten times the text costs ten times as much, or a hundred times where each line looks at all others. */
const [FEW, TEN_TIMES] = [250, 2_500];
const MOST = 30;

describe('a long text takes time by its length, not by the square of it', () => {
  const draw = random('long texts');
  const shard = Object.entries(LONG).filter(() => FULL || draw() < 0.25);
  it.each(shard)('%s', (_, [file, text]) => {
    cost(file, text(FEW)); // code that runs for the first time is slow
    expect(cost(file, text(TEN_TIMES)) / cost(file, text(FEW))).toBeLessThan(MOST);
  });
});

const nested = (open: string, depth: number, middle: string, close: string): string =>
  `${open.repeat(depth)}${middle}${close.repeat(depth)}`;

/** Texts of any depth: what is inside what, closed or cut off. */
const DEEP: Record<string, [file: string, text: (depth: number) => string]> = {
  'lists in YAML': ['a.yml', (d) => `steps: ${nested('[', d, '', ']')}\n`],
  'maps in YAML': ['a.yml', (d) => `steps:\n- set: ${nested('{a: ', d, '1', '}')}\n`],
  'lists of dashes': ['a.yml', (d) => `steps:\n  ${'- '.repeat(d)}a\n`],
  blocks: ['a.yml', (d) => `a:\n${lines(Math.min(d, 600), (i) => `${' '.repeat(i + 1)}a:`)}`],
  'brackets that nothing closes': ['a.yml', (d) => `steps: ${'['.repeat(d)}\n`],
  'braces that nothing closes': ['a.yml', (d) => `steps: ${'{a: '.repeat(d)}\n`],
  'steps in steps': [
    'a.yml',
    (d) => `steps: ${nested('[{foreach: [1], steps: ', Math.min(d, 8_000), '[{set: {a: 1}}]', '}]')}\n`,
  ],
  schemas: [
    'a.yml',
    (d) => `steps:\n- command: [echo]\n  schema: ${nested('{type: array, items: ', Math.min(d, 10_000), '{}', '}')}\n`,
  ],
  settings: ['perdure.yml', (d) => `models: ${nested('{a: ', d, '1', '}')}\n`],
  'front matter': ['a.md', (d) => `---\nname: a\ndescription: ${nested('[', d, '', ']')}\n---\nhi\n`],
  JSON: ['a.json', (d) => `{"steps": ${nested('[', d, '', ']')}}`],
  'JSON that is cut off': ['a.json', (d) => `{"steps": ${'['.repeat(d)}`],
  TOML: ['a.toml', (d) => `name = "a"\nx = ${nested('[', d, '', ']')}\n`],
  'brackets of a flow': ['a.flow', (d) => `${nested('[', d, 'explore', ']')}\n`],
  'conditions of a flow': [
    'a.flow',
    (d) => `explore ${nested('(if passed)~> [explore ', Math.min(d, 8_000), '', ']')}\n`,
  ],
  parentheses: ['a.yml', (d) => `steps:\n- set: {a: "\${${nested('(', d, '1', ')')}}"}\n`],
  negations: ['a.yml', (d) => `steps:\n- set: {a: "\${${'!'.repeat(d)}true}"}\n`],
  calls: ['a.yml', (d) => `steps:\n- set: {a: "\${${nested('len(', Math.min(d, 40_000), '1', ')')}}"}\n`],
};
const DEPTHS = [65, 100, 500, 1_000, 1_400, 1_800, 2_500, 5_000, 20_000, 60_000];

describe('what is nested too deep is a problem with its place, in sentences of ours', () => {
  it.each(Object.entries(DEEP))('%s', (_, [file, text]) => {
    const draw = random('depths');
    for (const depth of FULL ? DEPTHS : DEPTHS.filter(() => draw() < 0.4)) {
      const root = createProject({});
      writeFileSync(join(root, file), text(depth));
      const { problems } = validatePaths([file], root);
      const errors = problems.filter(({ severity }) => severity === 'error');
      // An expression may have 500 words; with fewer it is sound.
      expect({ depth, errors: depth < 500 ? Math.min(1, errors.length) : errors.length }).toEqual({
        depth,
        errors: depth < 500 ? expect.any(Number) : 1,
      });
      for (const { message, line, column } of errors) {
        expect(message).not.toMatch(/stack|RangeError|aborting/i);
        expect(line).toBeGreaterThan(0);
        expect(column).toBeGreaterThan(0);
      }
    }
  });
});
