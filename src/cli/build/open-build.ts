import { siteFolder } from '../../activities/workspace/site.js';
import { SITE_FOLDERS } from '../../plan/builds/site.js';
import { locate } from '../../store/folders/places.js';
import type { ExitCode } from '../exit-codes.js';
import { EXIT, usageError } from '../exit-codes.js';
import { openSession, unknownRun } from '../session.js';
import type { Terminal } from '../terminal.js';
import { print, tell } from '../terminal.js';
import { specOf } from './fix-build.js';
import { serveSite } from './serve-site.js';

/** `build open RUN`: serves the page that a build has made, from the folder that it worked in, until Ctrl-C. */
export async function openBuild(
  built: string,
  { taskQueue }: { taskQueue: string | null },
  terminal: Terminal,
): Promise<ExitCode> {
  const { store, elsewhere } = await openSession(terminal, { taskQueue, lookOnly: true });
  if (elsewhere !== null)
    throw usageError(
      `What run \`${built}\` built is in the store \`${store.id}\`, which is elsewhere.`,
      'Open it there.',
    );
  const record = await store.readRun(built);
  if (record === null) throw unknownRun(built);
  if ((await specOf(await store.getPlan(record.plan), store)) === null)
    throw usageError(`The run \`${built}\` built nothing: it is no run of a build spec.`);
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
