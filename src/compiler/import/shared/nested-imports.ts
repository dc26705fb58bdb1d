import type { Node } from '../../text/node.js';
import type { Findings, Imported } from './attempt.js';
import { attemptImport } from './attempt.js';
import type { ImportAttempt, NeighbourName } from './loss.js';

/** Imports files of a neighbour whose workflows nest others. */
export interface NestedImports {
  /** Imports one file, whose document may be at hand. */
  importFile: (file: string, node?: Node) => ImportAttempt;
  /** All that was imported, in the order in which it was done. */
  attempts: Map<string, ImportAttempt>;
}

/** One file while it is imported. */
export interface NestingFile<T> extends Findings {
  file: string;
  /** Its document, where it is at hand. */
  given: Node | undefined;
  /** Imports a file that it nests; `around` where that is being imported, and nests this one. */
  nest: (other: string) => T | 'refused' | 'around';
}

/** Imports each file once, with all that it nests. */
export function createNestedImports<T extends Imported>(
  { format, cwd }: { format: NeighbourName; cwd: string },
  work: (one: NestingFile<T>) => T | null,
): NestedImports {
  const attempts = new Map<string, ImportAttempt>();
  /** Files that are being read, each nested in the one before. */
  const open = new Set<string>();
  const done = new Map<string, T | null>();

  const importFile = (file: string, given?: Node): ImportAttempt => {
    const known = attempts.get(file);
    if (known !== undefined) return known;
    const nest = (other: string): T | 'refused' | 'around' => {
      if (open.has(other)) return 'around';
      importFile(other);
      return done.get(other) ?? 'refused';
    };
    open.add(file);
    const { attempt, sound } = attemptImport({ format, file, cwd }, (findings) =>
      work({ ...findings, file, given, nest }),
    );
    open.delete(file);
    done.set(file, sound);
    attempts.set(file, attempt);
    return attempt;
  };

  return { importFile, attempts };
}
