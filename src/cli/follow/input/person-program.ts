import { findProject } from '../../../compiler/project/project.js';
import { findOnPath } from '../../../store/processes/find-on-path.js';
import { runProgram } from '../../../store/processes/run-program.js';
import { outsideFirst, outsidePath } from '../../../store/processes/search-path.js';
import type { Terminal } from '../../terminal.js';

/**
 * Runs a person's editor or pager on their terminal, and tells whether it ended well. A bare name is never a file of
 * the workspace: an agent may have made it.
 */
export async function runForPerson(
  [program = '', ...args]: string[],
  terminal: Terminal,
  more: Record<string, string> = {},
): Promise<boolean> {
  const { root } = findProject(terminal.cwd);
  const { PATH } = terminal.env;
  const file = program.includes('/') ? program : findOnPath(program, outsidePath(PATH, root));
  if (file === null) return false;
  const env = { ...terminal.env, ...more, PATH: outsideFirst(PATH, root) };
  return (await runProgram(file, args, { stdio: 'inherit', env })).exitCode === 0;
}
