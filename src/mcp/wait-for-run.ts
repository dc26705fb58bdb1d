import { createPlainLines } from '../cli/follow/plain-lines.js';
import { grpcTrouble } from '../cli/grpc.js';
import { viewOfRecord } from '../cli/observe/closed.js';
import { viewAt } from '../cli/observe/find-run.js';
import { unknownIn } from '../cli/observe/lost-runs.js';
import { requireOwnRun } from '../cli/observe/own-runs.js';
import { observe } from '../cli/observe/observer.js';
import type { RunView } from '../cli/observe/view/view.js';
import { everyStepView, isClosed, rootOf } from '../cli/observe/view/view.js';
import { requireRunAddress } from '../cli/session.js';
import type { Session } from '../cli/session.js';
import type { TemporalLink } from '../workers/link/temporal-link.js';
import type { Progress } from './progress.js';
import { timeLimit } from '../store/time-limit.js';

/** A client may give up on a tool that says nothing for long. */
const TELL_EVERY_MS = 5_000;

export interface Waiting {
  run: string;
  session: Session;
  /** Milliseconds; after them the run is given as it is. */
  waitMs: number;
  signal: AbortSignal;
  progress: Progress;
}

/**
 * Waits until a run has closed, only people can let it go on, or the time is over, and gives it as it is then. It
 * survives the server's going away. Throws a usage error for an unknown run.
 */
export async function waitForRun(waiting: Waiting): Promise<RunView> {
  const { run, session, waitMs, signal, progress } = waiting;
  requireRunAddress(run);
  const over = timeLimit(waitMs, signal);
  const linesOf = createPlainLines();
  const tell = (view: RunView): void => linesOf(view, Date.now()).forEach((line) => progress(line));
  let last: RunView | null = null;
  const ticks = setInterval(() => {
    if (last !== null) progress(summaryOf(last));
  }, TELL_EVERY_MS);
  try {
    for (;;) {
      const record = await session.store.readRun(rootOf(run));
      if (record !== null) {
        // It closed before it was looked at, or while the server was away.
        const view = viewAt(await viewOfRecord(record, session.store), run);
        tell(view);
        return view;
      }
      if (!session.mayKnowRuns()) throw await unknownIn(run, session.store, null);
      const view = await watchOnce(waiting, over, (seen) => {
        last = seen;
        tell(seen);
      });
      if (view !== null) return view;
    }
  } finally {
    clearInterval(ticks);
  }
}

/** Follows the run over one link; null when the server went away meanwhile. */
async function watchOnce(
  { run, session }: Waiting,
  over: AbortSignal,
  onView: (view: RunView) => void,
): Promise<RunView | null> {
  const link = await session.connect({ start: true });
  const enough = new AbortController();
  try {
    await requireOwnRun(run, link, session.store);
    const observer = observe({
      source: link,
      run,
      store: session.store,
      wait: true,
      signal: AbortSignal.any([over, enough.signal]),
      onChange: () => {
        const view = observer.view();
        if (view === null) return;
        onView(view);
        if (!isClosed(view.status) && view.status !== 'running') enough.abort();
      },
    });
    await observer.done;
    return observer.view() ?? (await look(link, run, session));
  } catch (error) {
    const trouble = grpcTrouble(error);
    if (trouble === 'not-found') throw await unknownIn(run, session.store, link);
    if (trouble === 'connection-lost' && !over.aborted) return null;
    throw error;
  } finally {
    await link.close();
  }
}

/** Where the time was over before the first event came. */
async function look(link: TemporalLink, run: string, { store }: Session): Promise<RunView> {
  const observer = observe({ source: link, run, store, wait: false, signal: new AbortController().signal });
  await observer.done;
  return observer.view() ?? Promise.reject(await unknownIn(run, store, link));
}

function summaryOf(view: RunView): string {
  const steps = everyStepView(view.steps);
  const running = steps
    .filter(({ status }) => status === 'running')
    .map(({ path, doing }) => (doing === null ? path : `${path}: ${doing}`));
  return (
    `${view.run}: ${steps.filter(({ result }) => result !== null).length} of ${steps.length} steps ` +
    `done${running.length === 0 ? '' : `; ${running.slice(0, 3).join(', ')}`}`
  );
}
