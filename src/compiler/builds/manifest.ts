import { dirname, extname, join, resolve } from 'node:path';
import { z } from 'zod';
import { readText } from '../text/disk.js';

/** The files that a manifest lists as its agents; none for a file that is no manifest. */
export function agentsListed(file: string): string[] {
  if (extname(file) !== '.json') return [];
  const content = readText(file);
  if (!('text' in content)) return [];
  try {
    const listed = manifest.safeParse(JSON.parse(content.text));
    return listed.success ? listed.data.agent_files.map((name) => resolve(dirname(file), name)) : [];
  } catch {
    return []; // told where the file itself is read
  }
}

const manifest = z.object({ agent_files: z.array(z.string()) });

/** Folders above an agent's own in which its manifest is looked for. */
const LEVELS = 2;

/** The manifest that lists an agent's file, beside it or in a folder above, the nearest one; null where none does. */
export function manifestOf(file: string): string | null {
  let folder = dirname(file);
  for (let level = 0; level <= LEVELS; level++, folder = dirname(folder)) {
    const found = join(folder, 'project.json');
    if (agentsListed(found).includes(file)) return found;
  }
  return null;
}
