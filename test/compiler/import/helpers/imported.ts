import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { importDefinitions } from '../../../../src/cli/import/import-definitions.js';
import { formatFile } from '../../../../src/compiler/fmt/format-file.js';
import { createCompiler } from '../../../../src/compiler/compile.js';
import { validatePaths } from '../../../../src/compiler/validate.js';
import { findProject } from '../../../../src/compiler/project/project.js';
import type { Plan } from '../../../../src/plan/plan.js';
import type { Step } from '../../../../src/plan/step.js';

export interface Imported {
  folder: string;
  /** `code line message` of each problem, of whatever file. */
  refused: string[];
  /** `key: changes` of each loss. */
  lost: Record<string, boolean>;
  /** The texts that were written, by their paths. */
  files: Record<string, string>;
  /** The Plan of a workflow that was written. */
  plan: (name: string) => Plan;
}

/** A project with these files, in which a path is imported. All that is written is without problems, and canonical. */
export function imported(files: Record<string, string>, path = '.', more: { partial?: boolean } = {}): Imported {
  const folder = mkdtempSync(join(tmpdir(), 'perdure-import-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, content] of Object.entries({ 'perdure.yml': '{}\n', ...files })) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  const command = { path, to: null, dryRun: false, overwrite: false, partial: more.partial ?? false, cwd: folder };
  const { attempts, problems, files: written } = importDefinitions(command);
  const texts = Object.fromEntries(written.map(({ file }) => [file, readFileSync(join(folder, file), 'utf8')]));
  checkWritten(folder, Object.keys(texts));
  return {
    folder,
    refused: [...problems, ...attempts.flatMap((attempt) => attempt.problems)].map(
      ({ code, line, message }) => `${code} ${line} ${message}`,
    ),
    lost: Object.fromEntries(
      attempts.flatMap(({ losses }) => losses.map(({ key, changes_behaviour }) => [key, changes_behaviour])),
    ),
    files: texts,
    plan: (name) => planIn(folder, `definitions/workflows/${name}.yml`),
  };
}

function checkWritten(folder: string, files: string[]): void {
  if (files.length === 0) return;
  const { problems } = validatePaths(['definitions'], folder);
  if (problems.length > 0)
    throw new Error(problems.map(({ file, line, code, message }) => `${file}:${line} ${code} ${message}`).join('\n'));
  for (const file of files)
    if (!formatFile(join(folder, file), folder).same) throw new Error(`\`${file}\` is not in canonical form`);
}

function planIn(folder: string, file: string): Plan {
  const compiler = createCompiler({ cwd: folder, project: findProject(folder), config: {} });
  const plan = compiler.compile(join(folder, file));
  if (plan === null) throw new Error(JSON.stringify(compiler.problems));
  return plan;
}

/** A workflow of Archon with these nodes, as the one file of a project. */
export function archon(nodes: string, files: Record<string, string> = {}, head = ''): Imported {
  const body = nodes
    .split('\n')
    .map((line) => (line === '' ? '' : `  ${line}`))
    .join('\n');
  return imported({ '.archon/workflows/it.yaml': `name: it\n${head}nodes:\n${body}\n`, ...files });
}

/** The edges of a Plan in short: `b: a! c`, `!` where a failure skips it. */
export function edgesOf({ steps }: Plan): Record<string, string> {
  return Object.fromEntries(
    steps.map(({ id, index, needs }) => [
      id ?? String(index),
      needs.map(({ step, skip }) => `${steps[step]?.id ?? step}${skip ? '!' : ''}`).join(' '),
    ]),
  );
}

/** A step of a Plan by its id, at any depth. */
export function stepOf(plan: Plan, id: string): Step {
  const all = (steps: Step[]): Step[] =>
    steps.flatMap((step) => [step, ...('body' in step ? all(step.body.steps) : [])]);
  const found = all(plan.steps).find((step) => step.id === id);
  if (found === undefined) throw new Error(`There is no step ${id}.`);
  return found;
}
