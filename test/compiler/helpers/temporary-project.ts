import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Compiled } from '../../../src/compiler/compile.js';
import { compileDefinition } from '../../../src/compiler/compile.js';
import { loadConfig } from '../../../src/compiler/project/config.js';
import type { Problem } from '../../../src/compiler/problems/problem.js';
import { findProject } from '../../../src/compiler/project/project.js';

/** A folder with these files and a `perdure.yml`, gone when the test is. */
export function createProject(files: Record<string, string | Buffer>): string {
  const root = writeProject(files);
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  return root;
}

/** The same for all tests of a file, which removes it. */
export function writeProject(files: Record<string, string | Buffer>): string {
  const root = mkdtempSync(join(tmpdir(), 'perdure-compiler-'));
  for (const [name, content] of Object.entries({ 'perdure.yml': '# a project', ...files })) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), content);
  }
  return root;
}

/** Compiles one file of a folder as the command line does, given inputs of these names. */
export function compileIn(root: string, file: string, given: string[] = []): Compiled {
  const project = findProject(root);
  return compileDefinition({ file, cwd: root, project, config: loadConfig(project).config, given });
}

/** Compiles a workflow's text in a project with some agents. */
export function compileText(text: string, files: Record<string, string> = {}): Compiled {
  return compileIn(createProject({ 'flow.yml': text, ...AGENTS, ...files }), 'flow.yml');
}

/** Compiles what must have no error, and gives its Plan. */
export function planOf(text: string, files: Record<string, string> = {}): NonNullable<Compiled['plan']> {
  const { plan, problems } = compileText(text, files);
  if (plan === null) throw new Error(`Expected a Plan, got ${problems.map(brief).join('; ')}`);
  return plan;
}

const AGENTS = Object.fromEntries(
  ['scanner', 'linter', 'reporter'].map((name) => [
    `definitions/agents/${name}.yml`,
    `name: ${name}\nprompt: You are a ${name}.\n`,
  ]),
);

/** A problem in one line: `3:5 unknown-key`. */
export function brief({ line, column, code }: Problem): string {
  return `${line}:${column} ${code}`;
}

/** Every problem of a text, in one line each. */
export function problemsOf(text: string, files: Record<string, string> = {}): string[] {
  return compileText(text, files).problems.map(brief);
}
