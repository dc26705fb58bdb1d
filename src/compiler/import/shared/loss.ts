import type { Problem } from '../../problems/problem.js';
import { positionAt } from '../../problems/source.js';
import type { Place } from '../../problems/problem.js';

/** What an import could not carry over. */
export interface Loss {
  /** The key as it is written, with the step it stands at: `implement.hooks`. */
  key: string;
  /** The file it stands in, as people name it, and its line from 1. */
  file: string;
  line: number;
  reason: string;
  changes_behaviour: boolean;
}

/** A file of ours, by its path from the folder of definitions. */
export interface WrittenFile {
  path: string;
  text: string;
}

/** The names of the formats that are imported. */
export type NeighbourName = 'archon' | 'conductor' | 'goose' | 'gh-aw';

/** What became of one file of a neighbour. */
export interface ImportAttempt {
  /** The file that it was read from, as people name it. */
  file: string;
  format: NeighbourName;
  /** The name of the workflow; null when it is refused. */
  name: string | null;
  /** Empty when it is refused: `problems` say why. */
  files: WrittenFile[];
  losses: Loss[];
  problems: Problem[];
}

/** Takes down what is lost; the same sentence at one place stands once. */
export interface Losses {
  list: Loss[];
  /** What is lost changes what happens. */
  changed: (key: string, at: Place, reason: string) => void;
  /** What is lost changes nothing that happens. */
  harmless: (key: string, at: Place, reason: string) => void;
}

/** An empty list of losses. */
export function createLosses(): Losses {
  const list: Loss[] = [];
  const take = (key: string, at: Place, reason: string, changes_behaviour: boolean): void => {
    if (list.some((loss) => loss.key === key && loss.reason === reason)) return;
    list.push({ key, file: at.source.file, line: positionAt(at.source, at.start).line, reason, changes_behaviour });
  };
  return {
    list,
    changed: (key, at, reason) => take(key, at, reason, true),
    harmless: (key, at, reason) => take(key, at, reason, false),
  };
}

/** The losses as comments of a file. */
export function sentencesOf({ list }: Losses): string[] {
  return list.map(
    ({ key, line, reason, changes_behaviour: changes }) =>
      `${changes ? 'Different' : 'Note'}: ${key} (line ${line}): ${reason}.`,
  );
}
