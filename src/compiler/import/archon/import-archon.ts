import type { Node } from '../../text/node.js';
import { readSource } from '../../text/read-source.js';
import { parseYaml } from '../../text/yaml.js';
import type { ImportContext } from '../shared/context.js';
import type { NestedImports } from '../shared/nested-imports.js';
import { createNestedImports } from '../shared/nested-imports.js';
import { createResources } from './resources.js';
import type { Nested } from './translation.js';
import type { ArchonImport } from './workflow.js';
import { importArchonWorkflow } from './workflow.js';

/** Imports workflows of Archon, each file once, with all that they nest. */
export function createArchonImporter({ cwd, root, sources }: Omit<ImportContext, 'report'>): NestedImports {
  const read = (file: string, report: ImportContext['report']): Node | null => {
    const source = readSource(file, cwd, report);
    if (source === null) return null;
    sources.set(source.file, source.text);
    return parseYaml({ source, start: 0, end: source.text.length }, report);
  };

  return createNestedImports<ArchonImport>({ format: 'archon', cwd }, (one) => {
    const { file, given, nest, report, losses } = one;
    const node = given ?? read(file, report);
    const resources = createResources({ file, root, cwd, report, sources });
    const nested = (name: string): Nested => {
      const other = resources.workflow(name);
      return other === null ? 'missing' : nest(other);
    };
    return node && importArchonWorkflow(node, { cwd, root, report, sources, losses, resources, nested });
  });
}
