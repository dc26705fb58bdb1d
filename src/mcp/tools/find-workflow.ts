import { join } from 'node:path';
import { createResolver, twinsIn } from '../../compiler/project/resolve.js';
import type { Workspace } from '../../cli/session.js';
import { safeName } from '../../cli/text/safe-text.js';
import { NAME } from '../../plan/names.js';
import type { Connection } from '../connection.js';
import { McpRefusal, refusedName } from '../errors.js';
import type { MadeDefinition } from '../made.js';

/**
 * A workflow that this connection made, or one of the project. Refuses a name that neither has, and a path: nobody has
 * trusted what lies there.
 */
export function findWorkflow(
  name: string,
  { project }: Pick<Workspace, 'project'>,
  connection: Connection,
): { file: string; made: MadeDefinition | null } {
  const made = connection.made.find('workflow', name) ?? null;
  if (made !== null) return { file: made.file, made };
  const from = join(project.root, 'any');
  const resolver = createResolver(project);
  if (!NAME.test(name)) {
    const named = resolver.workflows(from).find((entry) => entry.name === name);
    const twins = twinsIn(resolver.workflow(name, from));
    if (twins !== null) throw refusedName(twins);
    if (named !== undefined) return { file: named.file, made: null };
    throw new McpRefusal(`Expected the name of a workflow, not a path, got \`${safeName(name)}\`.`);
  }
  const found = resolver.workflow(name, from);
  if ('missing' in found) throw refusedName(found);
  return { file: found.entry.file, made };
}
