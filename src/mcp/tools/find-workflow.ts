import { join } from 'node:path';
import { createResolver } from '../../compiler/project/resolve.js';
import type { Workspace } from '../../cli/session.js';
import type { Connection } from '../connection.js';
import { McpRefusal } from '../errors.js';
import type { MadeDefinition } from '../made.js';

/** A workflow that this connection made, or one of the project. Refuses a name that neither has. */
export function findWorkflow(
  name: string,
  { project }: Pick<Workspace, 'project'>,
  connection: Connection,
): { file: string; made: MadeDefinition | null } {
  const made = connection.made.find('workflow', name) ?? null;
  if (made !== null) return { file: made.file, made };
  const found = createResolver(project).workflow(name, join(project.root, 'any'));
  if ('missing' in found)
    throw new McpRefusal(found.suggestion === null ? found.missing : `${found.missing} ${found.suggestion}`);
  return { file: found.entry.file, made };
}
