import { dirname, resolve } from 'node:path';
import { createReport, hasErrors, sortProblems } from '../../problems/problem.js';
import type { Report } from '../../problems/problem.js';
import { displayName } from '../../problems/source.js';
import { kindOf, realPath } from '../../text/disk.js';
import type { Node } from '../../text/node.js';
import type { ImportContext } from '../shared/context.js';
import type { ImportAttempt } from '../shared/loss.js';
import { createLosses } from '../shared/loss.js';
import type { ConductorImport } from './import-workflow.js';
import { importConductorWorkflow } from './import-workflow.js';
import type { Nested } from './references.js';

interface Files extends Pick<ImportContext, 'cwd' | 'root'> {
  /** The document of a file; null where there is none, which is reported. */
  read: (file: string, report: Report) => Node | null;
}

/** Imports workflows of conductor, each file once, with all that they nest. */
export function createConductorImporter({ cwd, root, read }: Files): {
  /** Imports one file, whose document may be at hand. */
  importFile: (file: string, node?: Node) => ImportAttempt;
  /** All that was imported, in the order in which it was done. */
  attempts: Map<string, ImportAttempt>;
} {
  const attempts = new Map<string, ImportAttempt>();
  /** Files that are being read, each nested in the one before. */
  const open = new Set<string>();
  const done = new Map<string, ConductorImport | null>();

  const importFile = (file: string, given?: Node): ImportAttempt => {
    const known = attempts.get(file);
    if (known !== undefined) return known;
    const { problems, report } = createReport();
    const losses = createLosses();
    open.add(file);
    const nested = (path: string): Nested => {
      const other = resolve(dirname(file), path);
      if (kindOf(other) !== 'file') return 'missing';
      if (!realPath(other).startsWith(`${realPath(root)}/`)) return 'outside';
      if (open.has(other)) return 'around';
      importFile(other);
      return done.get(other) ?? 'refused';
    };
    const node = given ?? read(file, report);
    const imported = node && importConductorWorkflow(node, { report, losses, nested });
    const sound = hasErrors(problems) ? null : imported;
    open.delete(file);
    done.set(file, sound);
    const attempt: ImportAttempt = {
      file: displayName(cwd, file),
      format: 'conductor',
      name: sound?.name ?? null,
      files: sound?.files ?? [],
      losses: losses.list,
      problems: sortProblems(problems),
    };
    attempts.set(file, attempt);
    return attempt;
  };

  return { importFile, attempts };
}
