import { fileHash } from '../../compiler/agents/hook-files.js';
import type { ImportedHooks } from '../../compiler/agents/import-hooks.js';
import { DEFAULT_HOOK_S } from '../../compiler/formats/agent/hooks.js';
import { printProblems } from '../../compiler/problems/print-problems.js';
import type { ExitCode } from '../exit-codes.js';
import { EXIT } from '../exit-codes.js';
import { openWorkspace } from '../session.js';
import { safeLine, safeText } from '../text/safe-text.js';
import type { Terminal } from '../terminal.js';
import { print, printJson, tell } from '../terminal.js';
import type { ImportCommand, ImportOutcome, Imports } from './import-agents.js';
import { importAgents, losesBehaviour } from './import-agents.js';

/** How an import is told: people get a line for each file, and below it what was lost. */
export interface ImportTelling {
  strict: boolean;
  json: boolean;
  terminal: Terminal;
}

/**
 * Imports agents and tells what became of each. 2 when a file has problems; 1 when `strict` is given and something was
 * lost that changes behaviour.
 */
export async function tellImports(
  command: Omit<ImportCommand, 'cwd' | 'root' | 'servers'>,
  { strict, json, terminal }: ImportTelling,
): Promise<ExitCode> {
  const { project, config } = await openWorkspace(terminal);
  const servers = config.mcp ?? {};
  const imports = importAgents({ ...command, cwd: terminal.cwd, root: project.root, servers });
  const { outcomes } = imports;
  if (json)
    printJson(
      terminal,
      outcomes.map((outcome) => ({ ...outcome })),
    );
  else tellOutcomes(imports, command.dryRun, terminal);
  if (outcomes.some(({ status }) => status === 'failed')) return EXIT.usage;
  return strict && losesBehaviour(outcomes) ? EXIT.ended : EXIT.success;
}

const WORDS: Record<ImportOutcome['status'], [done: string, dry: string]> = {
  imported: ['imported', 'would be imported'],
  updated: ['updated', 'would be updated'],
  unchanged: ['unchanged', 'unchanged'],
  kept: ['kept', 'would be kept'],
  failed: ['failed', 'fails'],
};

function tellOutcomes({ outcomes, sources }: Imports, dryRun: boolean, terminal: Terminal): void {
  const { tone } = terminal.resultPalette;
  for (const { name, file, to, status, reason, lost, hooks } of outcomes) {
    const mark = status === 'failed' ? tone('bad', '✗') : status === 'kept' ? tone('quiet', '–') : tone('good', '✓');
    const target = to === null ? '' : ` → ${safeLine(to)}`;
    const from = name === null ? '' : `  ${safeLine(file)}${target}`;
    const because = reason === null ? '' : `: ${safeLine(reason)}`;
    print(terminal, `${mark} ${safeLine(name ?? file)}  ${WORDS[status][dryRun ? 1 : 0]}${from}${because}`);
    if (hooks !== undefined && status !== 'unchanged') tellHooks(hooks, terminal);
    tellLosses(lost, terminal);
  }
  const problems = outcomes.flatMap((outcome) => outcome.problems);
  if (problems.length > 0)
    tell(
      terminal,
      printProblems(problems, sources, { files: sources.size, color: terminal.palette.colored }).trimEnd(),
    );
  const changed = outcomes.filter(({ lost }) => lost.some(({ changes_behaviour }) => changes_behaviour)).length;
  if (changed > 0)
    tell(
      terminal,
      `${changed} of ${outcomes.length} behave${changed === 1 ? 's' : ''} differently here: see what was lost.`,
    );
}

/** Each hook with its whole line and all that its files hold: what a person approves, they have seen. */
function tellHooks({ hooks, texts }: ImportedHooks, terminal: Terminal): void {
  const { dim } = terminal.resultPalette;
  for (const { before, after, command, timeout_s: seconds = DEFAULT_HOOK_S } of hooks) {
    const when = before === undefined ? `after ${after ?? ''}` : `before ${before}`;
    print(terminal, `    hook ${safeLine(when)} ${dim(`(at most ${seconds} s)`)}`);
    print(terminal, indented(command));
  }
  for (const [path, text] of Object.entries(texts)) {
    print(terminal, `    file ${safeLine(path)} ${dim(fileHash(text))}`);
    print(terminal, indented(text));
  }
}

function indented(text: string): string {
  return safeText(text.trimEnd()).replace(/^/gm, '        ');
}

/** A line for each field that was lost, and below it what to do. */
function tellLosses(lost: ImportOutcome['lost'], terminal: Terminal): void {
  const { tone, dim } = terminal.resultPalette;
  for (const { field, reason, changes_behaviour, fix } of lost) {
    const word = changes_behaviour ? tone('bad', 'lost') : dim('lost');
    const nothing = changes_behaviour ? '' : dim(' (changes nothing)');
    print(terminal, `    ${word} ${safeLine(field)}: ${safeLine(reason)}${nothing}`);
    if (fix !== undefined) print(terminal, `         ${dim('→')} ${safeLine(fix)}`);
  }
}
