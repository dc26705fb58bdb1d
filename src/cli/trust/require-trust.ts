import { projectsWithoutTrust } from '../../store/records/trusted-projects.js';
import { usageError } from '../exit-codes.js';

/**
 * Throws a usage error for a project in the folder of another one that no person trusts: agents of that one's runs may
 * have written its `perdure.yml` and definitions, which say what runs on this machine.
 */
export async function requireTrust(root: string): Promise<void> {
  const [outer] = await projectsWithoutTrust(root);
  if (outer === undefined) return;
  throw usageError(
    `The project \`${root}\` lies in the workspace of another, \`${outer.root}\`: agents of its runs may write here.`,
    `Look at what stands here, then trust it by \`perdure trust\`. Or work in \`${outer.root}\`.`,
  );
}
