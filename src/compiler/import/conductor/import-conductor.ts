import { dirname, resolve } from 'node:path';
import type { Report } from '../../problems/problem.js';
import { kindOf, realPath } from '../../text/disk.js';
import type { Node } from '../../text/node.js';
import type { ImportContext } from '../shared/context.js';
import type { NestedImports } from '../shared/nested-imports.js';
import { createNestedImports } from '../shared/nested-imports.js';
import type { ConductorImport } from './import-workflow.js';
import { importConductorWorkflow } from './import-workflow.js';
import type { Nested } from './references.js';

interface Files extends Pick<ImportContext, 'cwd' | 'root'> {
  /** The document of a file; null where there is none, which is reported. */
  read: (file: string, report: Report) => Node | null;
}

/** Imports workflows of conductor, each file once, with all that they nest. */
export function createConductorImporter({ cwd, root, read }: Files): NestedImports {
  return createNestedImports<ConductorImport>({ format: 'conductor', cwd }, (one) => {
    const { file, given, nest, report, losses } = one;
    const nested = (path: string): Nested => {
      const other = resolve(dirname(file), path);
      if (kindOf(other) !== 'file') return 'missing';
      return realPath(other).startsWith(`${realPath(root)}/`) ? nest(other) : 'outside';
    };
    const node = given ?? read(file, report);
    return node && importConductorWorkflow(node, { report, losses, nested });
  });
}
