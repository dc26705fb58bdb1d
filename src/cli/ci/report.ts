import { appendFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { ExitCode } from '../exit-codes.js';
import { CliError, EXIT } from '../exit-codes.js';
import type { FollowEnd } from '../follow/follow.js';
import { makeFolders } from '../make-folders.js';
import type { Terminal } from '../terminal.js';
import { tell } from '../terminal.js';
import { writeOver } from '../write-whole.js';
import { annotated, withoutCommands } from './github.js';
import { junitXml } from './junit.js';
import { summaryOf } from './summary.js';

/** What `--ci` writes when a run has ended, or waits for a person. */
export interface CiReport {
  /** From the folder of the command. */
  junit: string;
}

/** Reports a run to the CI system around it; gives the exit code of `run`, which is the same without a report. */
export async function reportedTo(
  { junit }: CiReport,
  terminal: Terminal,
  run: (onEnd: (end: FollowEnd) => void) => Promise<ExitCode>,
): Promise<ExitCode> {
  const isGithub = terminal.env['GITHUB_ACTIONS'] === 'true';
  const guard = withoutCommands();
  if (isGithub) tell(terminal, guard.begin);
  const seen: { end: FollowEnd | null } = { end: null };
  try {
    return await run((end) => (seen.end = end));
  } finally {
    const { end } = seen;
    if (end !== null && end.kind !== 'interrupted') {
      const annotation = isGithub ? annotated(end.view, guard) : null;
      if (annotation !== null) tell(terminal, annotation);
      writeJunit(junit, junitXml(end.view), terminal);
      const summary = terminal.env['GITHUB_STEP_SUMMARY'];
      if (summary !== undefined && summary !== '') write(summary, summaryOf(end.view), appendFileSync);
    }
  }
}

/** Writes a report in JUnit's form, whole or not at all; throws a CliError where it cannot be written. */
export function writeJunit(file: string, text: string, { cwd }: Pick<Terminal, 'cwd'>): void {
  write(resolve(cwd, file), text, writeOver);
}

function write(file: string, text: string, how: (file: string, text: string) => void): void {
  try {
    makeFolders(dirname(file));
    how(file, text);
  } catch (error) {
    throw new CliError(
      `The report \`${file}\` could not be written: ${error instanceof Error ? error.message : String(error)}.`,
      EXIT.unavailable,
    );
  }
}
