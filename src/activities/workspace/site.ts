import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { SITE_FOLDERS } from '../../plan/builds/site.js';

/** The folder of a project that is served as its page; null where none holds `index.html`. Links are none. */
export async function siteFolder(workspace: string): Promise<string | null> {
  for (const folder of SITE_FOLDERS) {
    const isFolder = (await lstat(join(workspace, folder)).catch(() => null))?.isDirectory() === true;
    const page = isFolder ? await lstat(join(workspace, folder, 'index.html')).catch(() => null) : null;
    if (page?.isFile() === true) return folder;
  }
  return null;
}
