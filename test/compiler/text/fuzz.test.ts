// @seconds 60
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createCompiler } from '../../../src/compiler/compile.js';
import { printProblems } from '../../../src/compiler/problems/print-problems.js';
import { findProject } from '../../../src/compiler/project/project.js';
import { packageRoot } from '../../../src/compiler/text/disk.js';
import { FULL, random } from '../../faults/seed.js';
import { createProject } from '../helpers/temporary-project.js';

/** Texts in every CI run, and in the whole campaign. */
const TEXTS = FULL ? 250_000 : 5_000;
const SHARDS = 10;
/** One compiler looks at so many texts, as `validate` does with the files of a folder. */
const BATCH = 50;
const SECONDS = 1_000;
const MEGABYTES = 1024 * 1024;

const FOLDER = join(packageRoot(), 'definitions');
const EXAMPLES = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
  .filter(
    (file) =>
      /^(?!scripts).*\.(?:ya?ml|json|md|toml|flow|agent)$/.test(file) && statSync(join(FOLDER, file)).size < 16_384,
  )
  .map((file) => ({ extension: extname(file), text: readFileSync(join(FOLDER, file), 'utf8') }));

const FRAGMENTS = [
  '${',
  '}',
  '{{',
  '}}',
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
  '\r\n',
  '|\n',
  '>-\n',
  '&a ',
  '*a',
  '!!set ',
  '<<: ',
  '#',
  '---\n',
  '\0',
  '\uFEFF',
  '\u202e',
  '\ud800',
  '.nan',
  '1e999',
  '0x1F',
  '~',
  'null',
  'true',
  '9007199254740993',
  '__proto__',
  'constructor',
  'steps',
  'steps:\n',
  'agent: ',
  'when: ',
  'foreach: ',
  'loop: {until: true}\n',
  'needs: [0]',
  'parallel_group: x\n',
  '${steps[0].output}',
  '${steps[-1].output}',
  '${parallel_group.x.outputs}',
  '${item}',
  'length(',
  '&& ',
  '!',
  'nugget',
  'goal: ',
  'step: 1',
  'userRequest',
  ' -> ',
  ' || ',
  ' ~> ',
  '$x := {',
  '@gate',
  '(if failed)',
  '"""',
  "'''",
  'name = ',
  '[run]\n',
  '界',
  '🚀',
  ' '.repeat(70),
  '['.repeat(70),
];

type Draw = () => number;

function pick<T>(draw: Draw, from: readonly T[]): T {
  return from[Math.floor(draw() * from.length)] as T; // never empty
}

/** An example with pieces cut out, doubled, moved, swapped with another's, or thrown in. */
function mutate(text: string, draw: Draw): string {
  const at = Math.floor(draw() * (text.length + 1));
  const piece = text.slice(at, at + Math.floor(draw() * 80));
  switch (Math.floor(draw() * 6)) {
    case 0:
      return text.slice(0, at) + text.slice(at + piece.length);
    case 1:
      return text.slice(0, at) + piece + text.slice(at);
    case 2:
      return text.slice(0, at);
    case 3: {
      const other = pick(draw, EXAMPLES).text;
      const from = Math.floor(draw() * other.length);
      return text.slice(0, at) + other.slice(from, from + 200) + text.slice(at);
    }
    case 4: {
      const lines = text.split('\n');
      const [line = ''] = lines.splice(Math.floor(draw() * lines.length), 1);
      lines.splice(Math.floor(draw() * (lines.length + 1)), 0, line);
      return lines.join('\n');
    }
    default:
      return text.slice(0, at) + pick(draw, FRAGMENTS) + text.slice(at + (draw() < 0.5 ? 0 : piece.length));
  }
}

function textFrom(draw: Draw): { extension: string; text: string } {
  const { extension, text } = pick(draw, EXAMPLES);
  let current = text;
  for (let edits = 1 + Math.floor(draw() * 5); edits > 0; edits--) current = mutate(current, draw);
  // Now and then under another format's name.
  return { extension: draw() < 0.05 ? pick(draw, EXAMPLES).extension : extension, text: current };
}

/** What a compiler of its own takes for a file, whatever else the machine does. */
function cpuSeconds(root: string, file: string): number {
  const compiler = createCompiler({ cwd: root, project: findProject(root), config: {} });
  const started = process.cpuUsage();
  compiler.compile(file);
  const { user, system } = process.cpuUsage(started);
  return (user + system) / 1e6;
}

describe('mutated examples of every format', () => {
  it.each(Array.from({ length: SHARDS }, (_, shard) => shard))(
    'compile or have problems at real positions, in less than a second each (shard %i)',
    (shard) => {
      const root = createProject({});
      const project = findProject(root);
      const draw = random(`fuzz ${shard}`);
      const before = process.memoryUsage.rss();
      for (let done = 0; done < TEXTS / SHARDS; done += BATCH) {
        const folder = join(root, 'batch');
        mkdirSync(folder);
        const compiler = createCompiler({ cwd: root, project, config: {} });
        for (let number = 0; number < BATCH; number++) {
          const { extension, text } = textFrom(draw);
          const file = join(folder, `f${number}${extension}`);
          writeFileSync(file, text);
          const known = compiler.problems.length;
          const started = performance.now();
          const plan = compiler.compile(file);
          // To ask for the CPU's time takes as long as to compile: only what seems slow is measured.
          const seconds = performance.now() - started < SECONDS ? 0 : cpuSeconds(root, file);
          const found = compiler.problems.slice(known);
          const lines = text.split('\n').length;
          const isSound =
            seconds < 1 &&
            (plan !== null || found.some(({ severity }) => severity === 'error')) &&
            found.every(
              ({ line, column, length, file: at }) =>
                line > 0 && column > 0 && length > 0 && (line <= lines || !at.includes(`f${number}`)),
            );
          // Asserted only where it fails: 20,000 assertions take longer than the compiler.
          if (!isSound) expect({ extension, text, found, seconds, hasPlan: plan !== null }).toBeNull();
        }
        expect(printProblems(compiler.problems, compiler.sources, { files: BATCH, color: false })).not.toMatch(
          // eslint-disable-next-line no-control-regex -- these are what may not reach a terminal
          /[\0-\x09\x0b-\x1f\x7f-\x9f\u202e]/,
        );
        rmSync(folder, { recursive: true });
      }
      expect((process.memoryUsage.rss() - before) / MEGABYTES).toBeLessThan(400);
    },
    FULL ? 3_600 * SECONDS : 240 * SECONDS,
  );
});
