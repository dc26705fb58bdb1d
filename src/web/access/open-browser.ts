import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runForPerson } from '../../cli/follow/input/person-program.js';
import type { Terminal } from '../../cli/terminal.js';
import { makeTemporary } from '../../store/folders/temporary.js';

/** Opened pages have read their file by then. */
const LOADED_MS = 10_000;

/**
 * Opens a link in the person's browser, where there is one. It goes by a file that only they can read: arguments of
 * programs can be seen by all who are on the machine.
 */
export async function openBrowser(link: string, terminal: Terminal): Promise<void> {
  const folder = await makeTemporary('ui');
  const file = join(folder, 'sign-in.html');
  const target = link.replace(/[^\w:/?=.[\]-]/g, encodeURIComponent);
  await writeFile(file, `<!doctype html><meta http-equiv="refresh" content="0; url=${target}">\n`, { mode: 0o600 });
  await runForPerson([process.platform === 'darwin' ? 'open' : 'xdg-open', file], terminal);
  setTimeout(() => void rm(folder, { recursive: true, force: true }), LOADED_MS).unref();
}
