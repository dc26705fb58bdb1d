import { join } from 'node:path';
import { loadConfig } from '../../compiler/project/config.js';
import type { Project } from '../../compiler/project/project.js';
import { findProject } from '../../compiler/project/project.js';
import { startedFiles } from '../../compiler/project/started-files.js';
import { trustedBelow } from '../../store/records/trusted-projects.js';

/**
 * What the settings of trusted projects in a project have started outside of every sandbox, as paths from its root:
 * its agents could write that, too. Throws `StoreFailure`.
 */
export async function startedInside({ root, stateDir }: Project): Promise<string[]> {
  return (await trustedBelow(stateDir, root)).flatMap((path) => {
    const inner = findProject(join(root, path));
    return startedFiles(loadConfig(inner).config, inner.root).map((file) => join(path, file));
  });
}
