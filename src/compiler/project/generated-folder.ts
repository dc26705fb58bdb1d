import { dirname, isAbsolute, relative, resolve, sep } from 'node:path';
import { filledText } from '../formats/values.js';

/**
 * Folders in which definitions are looked up: what agents make is in none of them before a person puts it there.
 * Projects have their own files.
 */
const SEARCHED =
  /^(?:definitions(?!\/projects\/)|temp-agents|\.glee|\.claude|\.gemini|\.codex|\.perdure|\.git)(?:\/|$)/i;

/**
 * The folder for files of agents that agents make, from the project's root; or what is wrong with it. It lies inside
 * the project, and nowhere that agents are found by name: what was made is not known to the next run. `beside` are
 * files beside which agents are looked up.
 */
export function generatedFolder(
  written: string,
  { base, root, beside = [] }: { base: string; root: string; beside?: string[] },
): { folder: string } | { fault: string } {
  const absolute = resolve(base, written);
  const folder = relative(root, absolute).split(sep).join('/');
  if (folder === '..' || folder.startsWith('../') || isAbsolute(folder))
    return { fault: `Expected a folder inside the project, got \`${written}\`, which leads out of it.` };
  if (folder !== '' && !SEARCHED.test(folder) && !beside.some((file) => dirname(file) === absolute)) return { folder };
  return {
    fault: `Expected a folder of its own, got \`${written}\`: what agents make there would be found by the next run.`,
  };
}

/** The folder as `perdure.yml` writes it. */
export const madeFolder = filledText.refine(
  (written) => 'folder' in generatedFolder(written, { base: '/project', root: '/project' }),
  { error: 'a folder of its own inside the project' },
);
