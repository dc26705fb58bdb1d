import { siteFolder } from '../../activities/workspace/site.js';
import { SITE_FOLDERS } from '../../plan/builds/site.js';
import { locate } from '../../store/folders/places.js';
import type { ExitCode } from '../exit-codes.js';
import { EXIT, usageError } from '../exit-codes.js';
import type { Terminal } from '../terminal.js';
import { print, tell } from '../terminal.js';
import { openBuiltRun } from './built-run.js';
import { serveSite } from './serve-site.js';

/** `build open RUN`: serves the page that a build has made, from the folder that it worked in, until Ctrl-C. */
export async function openBuild(
  built: string,
  { taskQueue }: { taskQueue: string | null },
  terminal: Terminal,
): Promise<ExitCode> {
  const { store, record } = await openBuiltRun(built, { taskQueue, there: 'Open it there.' }, terminal);
  const workspace = locate(store, record.workspace);
  const folder = await siteFolder(workspace);
  if (folder === null)
    throw usageError(
      `The run \`${built}\` made no page: none of ${SITE_FOLDERS.join(', ')} in \`${workspace}\` holds \`index.html\`.`,
    );
  const site = await serveSite(workspace, folder);
  const stopped = new Promise<void>((resolve) => {
    process.once('SIGINT', () => resolve()).once('SIGTERM', () => resolve());
  });
  print(terminal, site.address);
  tell(terminal, `Serving \`${folder}\` of ${workspace} until Ctrl-C.`);
  await stopped;
  await site.close();
  return EXIT.success;
}
