import type { ImportAttempt } from '../../compiler/import/shared/loss.js';
import { printProblems } from '../../compiler/problems/print-problems.js';
import { hasErrors } from '../../compiler/problems/problem.js';
import type { ExitCode } from '../exit-codes.js';
import { EXIT } from '../exit-codes.js';
import { safeLine } from '../text/safe-text.js';
import type { Terminal } from '../terminal.js';
import { print, printJson, tell } from '../terminal.js';
import type { DefinitionImports, ImportCommand, ImportedFile } from './import-definitions.js';
import { importDefinitions, losesBehaviour } from './import-definitions.js';

/** How an import is told: people get a line for each file, and below it what was lost. */
export interface ImportTelling {
  strict: boolean;
  json: boolean;
  terminal: Terminal;
}

/**
 * Imports definitions and tells what became of each. 2 when something is refused, or a file is in the way; 1 when
 * `strict` is given and something was lost that changes behaviour.
 */
export function tellImport(command: Omit<ImportCommand, 'cwd'>, { strict, json, terminal }: ImportTelling): ExitCode {
  const imports = importDefinitions({ ...command, cwd: terminal.cwd });
  const { attempts, files, problems } = imports;
  const ok = !isRefused(imports) && !files.some(({ status }) => status === 'kept');
  if (json)
    printJson(terminal, {
      ok,
      imports: attempts.map((attempt) => ({ ...attempt, files: pathsOf(attempt) })),
      files,
      problems,
    });
  else tellAll(imports, command, terminal);
  if (!ok) return EXIT.usage;
  return strict && losesBehaviour(attempts) ? EXIT.ended : EXIT.success;
}

function pathsOf({ files }: ImportAttempt): string[] {
  return files.map(({ path }) => path);
}

function isRefused({ attempts, problems }: DefinitionImports): boolean {
  return hasErrors(problems) || attempts.some((attempt) => hasErrors(attempt.problems));
}

const WORDS: Record<ImportedFile['status'], [done: string, dry: string]> = {
  written: ['written', 'would be written'],
  overwritten: ['written anew', 'would be written anew'],
  unchanged: ['unchanged', 'unchanged'],
  kept: ['kept: another file is there; `--overwrite` writes it anew', 'would be kept: another file is there'],
};

function tellAll(
  imports: DefinitionImports,
  { dryRun, partial }: Omit<ImportCommand, 'cwd'>,
  terminal: Terminal,
): void {
  const { attempts, files, sources } = imports;
  for (const attempt of attempts) tellAttempt(attempt, terminal);
  const { tone, dim } = terminal.resultPalette;
  const isBlocked = files.some(({ status }) => status === 'kept');
  for (const { file, status } of files) {
    const word =
      isBlocked && status !== 'kept' && status !== 'unchanged' ? 'not written' : WORDS[status][dryRun ? 1 : 0];
    print(terminal, `  ${safeLine(file)}  ${status === 'kept' ? tone('bad', word) : dim(word)}`);
  }
  const problems = [...imports.problems, ...attempts.flatMap((attempt) => attempt.problems)];
  if (problems.length > 0)
    tell(
      terminal,
      printProblems(problems, sources, { files: sources.size, color: terminal.palette.colored }).trimEnd(),
    );
  if (isRefused(imports) && files.length === 0)
    tell(terminal, `Nothing was written.${partial || attempts.length < 2 ? '' : ' `--partial` imports what can be.'}`);
  const changed = attempts.filter(({ losses }) => losses.some(({ changes_behaviour }) => changes_behaviour)).length;
  if (changed > 0)
    tell(
      terminal,
      `${changed} of ${attempts.length} behave${changed === 1 ? 's' : ''} differently here: see what was lost.`,
    );
}

function tellAttempt({ file, name, format, losses }: ImportAttempt, terminal: Terminal): void {
  const { tone, dim } = terminal.resultPalette;
  const mark = name === null ? tone('bad', '✗') : tone('good', '✓');
  print(terminal, `${mark} ${safeLine(file)}  ${name === null ? 'refused' : safeLine(name)} ${dim(`(${format})`)}`);
  if (name === null) return;
  for (const { key, file: at, line, reason, changes_behaviour: changes } of losses) {
    const where = at === file ? `line ${line}` : `${at}:${line}`;
    print(
      terminal,
      `    ${changes ? tone('bad', 'lost') : dim('lost')} ${safeLine(key)} (${safeLine(where)}): ` +
        `${safeLine(reason)}${changes ? '' : dim(' (changes nothing)')}`,
    );
  }
}
