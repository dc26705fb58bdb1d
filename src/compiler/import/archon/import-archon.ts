import type { Node } from '../../text/node.js';
import { readSource } from '../../text/read-source.js';
import { parseYaml } from '../../text/yaml.js';
import type { ImportContext } from '../shared/context.js';
import type { ImportAttempt } from '../shared/loss.js';
import { createLosses } from '../shared/loss.js';
import { displayName } from '../../problems/source.js';
import { createReport, hasErrors, sortProblems } from '../../problems/problem.js';
import { createResources } from './resources.js';
import type { Nested } from './translation.js';
import type { ArchonImport } from './workflow.js';
import { importArchonWorkflow } from './workflow.js';

/** Imports workflows of Archon, each file once, with all that they nest. */
export function createArchonImporter({ cwd, root, sources }: Omit<ImportContext, 'report'>): {
  /** Imports one file, whose document may be at hand. */
  importFile: (file: string, node?: Node) => ImportAttempt;
  /** All that was imported, in the order in which it was done. */
  attempts: Map<string, ImportAttempt>;
} {
  const attempts = new Map<string, ImportAttempt>();
  /** Files that are being read, each nested in the one before. */
  const open = new Set<string>();
  const done = new Map<string, ArchonImport | null>();

  const importFile = (file: string, given?: Node): ImportAttempt => {
    const known = attempts.get(file);
    if (known !== undefined) return known;
    const { problems, report } = createReport();
    const losses = createLosses();
    open.add(file);
    const node = given ?? read(file, report);
    const resources = createResources({ file, root, cwd, report, sources });
    const nested = (name: string): Nested => {
      const other = resources.workflow(name);
      if (other === null) return 'missing';
      if (open.has(other)) return 'around';
      importFile(other);
      return done.get(other) ?? 'refused';
    };
    const imported = node && importArchonWorkflow(node, { cwd, root, report, sources, losses, resources, nested });
    const sound = hasErrors(problems) ? null : imported;
    open.delete(file);
    done.set(file, sound);
    const attempt: ImportAttempt = {
      file: displayName(cwd, file),
      format: 'archon',
      name: sound?.name ?? null,
      files: sound?.files ?? [],
      losses: losses.list,
      problems: sortProblems(problems),
    };
    attempts.set(file, attempt);
    return attempt;
  };

  const read = (file: string, report: ImportContext['report']): Node | null => {
    const source = readSource(file, cwd, report);
    if (source === null) return null;
    sources.set(source.file, source.text);
    return parseYaml({ source, start: 0, end: source.text.length }, report);
  };

  return { importFile, attempts };
}
