import { createReport, hasErrors, sortProblems } from '../../problems/problem.js';
import type { Report } from '../../problems/problem.js';
import { displayName } from '../../problems/source.js';
import type { ImportAttempt, Losses, NeighbourName, WrittenFile } from './loss.js';
import { createLosses } from './loss.js';

/** A workflow in our words. */
export interface Imported {
  name: string;
  files: WrittenFile[];
}

/** Where the import of one file takes down what it finds. */
export interface Findings {
  report: Report;
  losses: Losses;
}

/** Imports one file: what became of it, and what it is in our words; null where it is refused. */
export function attemptImport<T extends Imported>(
  { format, file, cwd }: { format: NeighbourName; file: string; cwd: string },
  work: (findings: Findings) => T | null,
): { attempt: ImportAttempt; sound: T | null } {
  const { problems, report } = createReport();
  const losses = createLosses();
  const done = work({ report, losses });
  const sound = hasErrors(problems) ? null : done;
  const attempt = {
    file: displayName(cwd, file),
    format,
    name: sound?.name ?? null,
    files: sound?.files ?? [],
    losses: losses.list,
    problems: sortProblems(problems),
  };
  return { attempt, sound };
}
