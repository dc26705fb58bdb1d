// @seconds 10
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createCompiler } from '../../../src/compiler/compile.js';
import { findProject } from '../../../src/compiler/project/project.js';
import { printProblems } from '../../../src/compiler/problems/print-problems.js';
import { packageRoot } from '../../../src/compiler/text/disk.js';
import { createProject } from '../helpers/temporary-project.js';

const shipped = ['review-repository', 'explain-file', 'changelog-check'].map((name) =>
  readFileSync(join(packageRoot(), `definitions/workflows/${name}.yml`), 'utf8'),
);
const fragments = [
  '${',
  '}',
  '??',
  '"',
  "'",
  '\\',
  '[',
  ']',
  '{',
  ': ',
  '- ',
  '\n',
  '\t',
  '|\n',
  '>-\n',
  '&a ',
  '*a',
  '!!set ',
  'steps',
  'steps:\n',
  'agent: ',
  'when: ',
  '__proto__',
  '\0',
  '\uFEFF',
  '\u202e',
  '.nan',
  '1e999',
  '~',
  '---\n',
  '${steps[0].output}',
  '${parallel_group.x.outputs}',
  'needs: [0]',
  'parallel_group: x\n',
];

/** A shipped workflow with pieces cut out, doubled or thrown in; or only pieces. */
const texts = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .tuple(
        fc.constantFrom(...shipped),
        fc.array(fc.tuple(fc.nat(5000), fc.nat(60), fc.constantFrom('', ...fragments)), { minLength: 1, maxLength: 6 }),
      )
      .map(mutate),
  },
  {
    weight: 2,
    arbitrary: fc
      .array(fc.constantFrom(...fragments, 'a', ' ', '0'), { maxLength: 200 })
      .map((parts) => parts.join('')),
  },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 300 }) },
);

function mutate([text, edits]: [string, [number, number, string][]]): string {
  return edits.reduce((current, [at, length, insert]) => {
    const start = at % (current.length + 1);
    return current.slice(0, start) + insert + current.slice(start + length);
  }, text);
}

describe('any text at all', () => {
  it('compiles or has problems with real positions, never throws, and takes less than a second', () => {
    const root = createProject({});
    const project = findProject(packageRoot());
    fc.assert(
      fc.property(texts, (text) => {
        writeFileSync(join(root, 'flow.yml'), text);
        const started = process.cpuUsage();
        const compiler = createCompiler({ cwd: root, project, config: {} });
        const plan = compiler.compile(join(root, 'flow.yml'));
        const used = process.cpuUsage(started);
        expect((used.user + used.system) / 1e6).toBeLessThan(1);
        if (plan === null) expect(compiler.problems.length).toBeGreaterThan(0);
        for (const { line, column, length } of compiler.problems) {
          expect(line).toBeGreaterThan(0);
          expect(column).toBeGreaterThan(0);
          expect(length).toBeGreaterThan(0);
          expect(line).toBeLessThanOrEqual(text.split('\n').length);
        }
        expect(printProblems(compiler.problems, compiler.sources, { files: 1, color: false })).not.toMatch(
          // eslint-disable-next-line no-control-regex -- control characters are what must not be printed
          /[\0-\x09\x0b-\x1f\x7f-\x9f\u202e]/,
        );
      }),
      { numRuns: 400 },
    );
  });

  it.each([
    ['flow commas', `steps: [${','.repeat(250_000)}`],
    ['quotes', '"'.repeat(250_000)],
    ['questions', '? '.repeat(125_000)],
    ['openings', `steps:\n  - agent: Explore\n    prompt: '${'${'.repeat(120_000)}'`],
    ['open texts', `steps:\n  - agent: Explore\n    prompt: '${'${"'.repeat(80_000)}'`],
    ['names', `steps:\n  - agent: Explore\n    prompt: '${'${a b '.repeat(40_000)}'`],
    ['unknown names', `steps:\n${'  - agent: nobody\n'.repeat(12_000)}`],
  ])('takes a few seconds at most when it is a quarter of a megabyte of %s', (_what, text) => {
    const root = createProject({ 'flow.yml': text.slice(0, 256 * 1024) });
    const compiler = createCompiler({ cwd: root, project: findProject(root), config: {} });
    const started = process.cpuUsage();
    expect(compiler.compile(join(root, 'flow.yml'))).toBeNull();
    expect(process.cpuUsage(started).user / 1e6).toBeLessThan(4);
  });
});
