import { dirname, join, resolve } from 'node:path';
import { createCompiler } from '../../compiler/compile.js';
import { importPath } from '../../compiler/import/import-path.js';
import type { ImportAttempt } from '../../compiler/import/shared/loss.js';
import type { Problem } from '../../compiler/problems/problem.js';
import { hasErrors, sortProblems } from '../../compiler/problems/problem.js';
import { displayName } from '../../compiler/problems/source.js';
import { loadConfig } from '../../compiler/project/config.js';
import { findProject } from '../../compiler/project/project.js';
import { kindOf, readText } from '../../compiler/text/disk.js';
import { usageError } from '../exit-codes.js';
import { writeWhole } from '../write-whole.js';

/** What `import` was told. Paths are as they were typed, relative to `cwd`. */
export interface ImportCommand {
  path: string;
  to: string | null;
  dryRun: boolean;
  /** Files that are there already are written anew. */
  overwrite: boolean;
  /** What can be imported is, although something else is refused. */
  partial: boolean;
  cwd: string;
}

export interface ImportedFile {
  /** As people name it. */
  file: string;
  status: 'written' | 'overwritten' | 'unchanged' | 'kept';
}

export interface DefinitionImports {
  attempts: ImportAttempt[];
  /** Empty where something was refused. */
  files: ImportedFile[];
  /** Of what is no file of a neighbour, and of what the written files would be. */
  problems: Problem[];
  sources: Map<string, string>;
}

/**
 * Imports a file or a folder of another tool. Nothing is written where something is refused (unless `partial`), where a
 * file with another text is there (unless `overwrite`), or with `dryRun`.
 */
export function importDefinitions(command: ImportCommand): DefinitionImports {
  const { cwd, path } = command;
  const project = findProject(cwd);
  const absolute = resolve(cwd, path);
  if (kindOf(absolute) === 'missing') throw usageError(`There is no file or folder \`${path}\`.`);
  const folder = command.to === null ? join(project.root, 'definitions') : resolve(cwd, command.to);
  const { attempts, problems, sources } = importPath(absolute, { cwd, root: project.root });
  if (attempts.length === 0 && problems.length === 0)
    throw usageError(
      `There is nothing to import in \`${path}\`.`,
      'Workflows of Archon and conductor, recipes of goose and agentic workflows of GitHub ' +
        '(`.github/workflows/*.md`) are imported.',
    );
  const refused = problems.length > 0 || attempts.some((attempt) => hasErrors(attempt.problems));
  if (refused && !command.partial) return { attempts, files: [], problems, sources };
  const texts = textsOf(attempts, folder);
  const flaws = problemsOf(texts, { cwd, sources });
  if (hasErrors(flaws)) return { attempts, files: [], problems: [...problems, ...flaws], sources };
  const files = [...texts].map(([file, text]) => ({ file, text, status: statusOf(file, text, command.overwrite) }));
  const isBlocked = files.some(({ status }) => status === 'kept');
  if (!isBlocked && !command.dryRun)
    for (const { file, text, status } of files) if (status !== 'unchanged') writeWhole(file, text, { replace: true });
  return {
    attempts,
    files: files.map(({ file, status }) => ({ file: displayName(cwd, file), status })),
    problems: [...problems, ...flaws],
    sources,
  };
}

/** Tells whether anything was lost without which a definition behaves differently. */
export function losesBehaviour(attempts: ImportAttempt[]): boolean {
  return attempts.some(({ losses }) => losses.some(({ changes_behaviour }) => changes_behaviour));
}

/** The texts by their absolute paths. Two imports that want one path for different texts cannot both have it. */
function textsOf(attempts: ImportAttempt[], folder: string): Map<string, string> {
  const texts = new Map<string, string>();
  for (const { file: from, files } of attempts)
    for (const { path, text } of files) {
      const file = join(folder, path);
      const known = texts.get(file);
      if (known !== undefined && known !== text)
        throw usageError(`\`${from}\` and another file would both become \`${path}\`.`, 'Give them different names.');
      texts.set(file, text);
    }
  return texts;
}

/** What is wrong with the files as they would be, in their place. */
function problemsOf(
  texts: Map<string, string>,
  { cwd, sources }: Pick<DefinitionImports, 'sources'> & { cwd: string },
): Problem[] {
  const project = findProject(cwd);
  const { config } = loadConfig(project, cwd);
  const agents = [...texts.keys()].filter((file) => dirname(file).endsWith('/agents'));
  const compiler = createCompiler({ cwd, project, config, made: { texts, agents, own: true } });
  for (const file of texts.keys()) compiler.check(file);
  for (const [file, text] of compiler.sources) sources.set(file, text);
  return sortProblems(compiler.problems);
}

function statusOf(file: string, text: string, overwrite: boolean): ImportedFile['status'] {
  if (kindOf(file) === 'missing') return 'written';
  const there = readText(file);
  if ('text' in there && there.text === text) return 'unchanged';
  return overwrite && kindOf(file) === 'file' ? 'overwritten' : 'kept';
}
