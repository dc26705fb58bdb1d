import { siteFolder } from '../../activities/workspace/site.js';
import { SITE_FOLDERS } from '../../plan/builds/site.js';
import { locate } from '../../store/folders/places.js';
import { mainPlace } from '../../store/worktrees/places.js';
import type { ExitCode } from '../exit-codes.js';
import { EXIT, refusal, usageError } from '../exit-codes.js';
import { findRun } from '../observe/find-run.js';
import { observe } from '../observe/observer.js';
import type { RunView } from '../observe/view/view.js';
import type { Session } from '../session.js';
import type { Terminal } from '../terminal.js';
import { print, printJson, tell } from '../terminal.js';
import { builtNothing, builtRunIn, isBuild, openStoreOf } from './built-run.js';
import { serveSite } from './serve-site.js';
import { shellCommand } from '../../plan/text/shell-command.js';

interface Opening {
  taskQueue: string | null;
  json: boolean;
}

/**
 * `build open RUN`: serves the page that a build has made, from the folder that it worked in, until Ctrl-C. While the
 * build goes on that is the page as it is by then; with a build that is cancelled the serving ends.
 */
export async function openBuild(built: string, { taskQueue, json }: Opening, terminal: Terminal): Promise<ExitCode> {
  const session = await openStoreOf(built, { taskQueue, there: 'Open it there.' }, terminal);
  const isOpen = (await session.store.readRun(built)) === null;
  return (isOpen ? openRunning : openEnded)(built, session, { json, terminal });
}

interface Telling {
  json: boolean;
  terminal: Terminal;
}

async function openEnded(built: string, session: Session, { json, terminal }: Telling): Promise<ExitCode> {
  const { store, record } = await builtRunIn(session, built);
  const workspace = locate(store, record.workspace);
  const folder = await siteFolder(workspace);
  if (folder === null)
    throw usageError(
      `The run \`${built}\` made no page: none of ${SITE_FOLDERS.join(', ')} in \`${workspace}\` holds \`index.html\`.`,
    );
  await serve(workspace, () => Promise.resolve(folder), { run: built, json, terminal, until: interrupted() });
  return EXIT.success;
}

/** A build that goes on, or that has left no record. */
async function openRunning(run: string, session: Session, { json, terminal }: Telling): Promise<ExitCode> {
  if (session.store.folder === null)
    throw refusal(
      `What \`${run}\` builds is with its worker while it goes on.`,
      `\`${shellCommand('perdure build open', [run])}\` again when it has ended.`,
    );
  const { view, link } = await findRun(run, session);
  if (link === null) return openEnded(run, session, { json, terminal }); // meanwhile
  const stop = new AbortController();
  try {
    const { store } = session;
    if (!(await isBuild(await store.getPlan(view.plan), store))) throw builtNothing(run);
    const workspace = locate(store, mainPlace(run));
    const observer = observe({ source: link, run, store, wait: true, signal: stop.signal });
    const ended = observer.done.then(
      () => endOf(observer.view(), terminal),
      () => never(), // whoever serves the page goes on without the server
    );
    const isCancelled = await serve(workspace, () => siteFolder(workspace), {
      ...{ run, json, terminal },
      until: Promise.race([interrupted(), ended]),
    });
    return isCancelled ? EXIT.ended : EXIT.success;
  } finally {
    stop.abort();
    await link.close();
  }
}

/** Resolves to true when the run was cancelled; of one that ended otherwise the page stays. */
function endOf(view: RunView | null, terminal: Terminal): Promise<true> {
  const { run = '', status = 'running' } = view ?? {};
  if (status === 'cancelled') {
    tell(terminal, `\`${run}\` was cancelled: its page is served no more.`);
    return Promise.resolve(true);
  }
  tell(terminal, `\`${run}\` has ended: ${status}.`);
  return never();
}

function never(): Promise<true> {
  return new Promise(() => undefined);
}

/** Resolves to false when a person ends it. */
function interrupted(): Promise<false> {
  return new Promise((resolve) => {
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(name, () => resolve(false));
  });
}

interface Serving extends Telling {
  run: string;
  until: Promise<boolean>;
}

/** Serves a page and tells its address; gives what ended it. `folder` says where in the workspace the page is now. */
async function serve(
  workspace: string,
  folder: () => Promise<string | null>,
  { run, json, terminal, until }: Serving,
): Promise<boolean> {
  const site = await serveSite(workspace, folder);
  if (json) printJson(terminal, { run, address: site.address, workspace, folder: await folder() });
  else print(terminal, site.address);
  tell(terminal, `Serving \`${(await folder()) ?? 'what will be the page'}\` of ${workspace} until Ctrl-C.`);
  try {
    return await until;
  } finally {
    await site.close();
  }
}
