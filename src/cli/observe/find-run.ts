import type { TemporalLink } from '../../workers/link/temporal-link.js';
import { grpcTrouble } from '../grpc.js';
import type { Session } from '../session.js';
import { requireRunAddress, unknownRun } from '../session.js';
import { viewOfRecord } from './closed.js';
import { unknownIn } from './lost-runs.js';
import { observe } from './observer.js';
import { requireOwnRun } from './own-runs.js';
import { markUnrecorded } from './unrecorded.js';
import type { RunView } from './view/view.js';
import { everyStepView, nestedIn, pathBelow, rootOf } from './view/view.js';

/** A run as it is now, and the link it was read through; null where the store alone knew it. */
export interface FoundRun {
  view: RunView;
  link: TemporalLink | null;
}

/**
 * Finds a run by its id, a nested one too. A closed run is read from the store, also when the server has forgotten it
 * or is not there; any other from its history, for which the host is started when it is not there (decision 7).
 * `withPending`: with what is tried again and how far it is. The caller closes the link. Throws a usage error for an
 * unknown run.
 */
export async function findRun(
  run: string,
  session: Session,
  { withPending = false }: { withPending?: boolean } = {},
): Promise<FoundRun> {
  const root = rootOf(run);
  requireRunAddress(run);
  const record = await session.store.readRun(root);
  if (record !== null) return { view: viewAt(await viewOfRecord(record, session.store), run), link: null };
  if (!session.mayKnowRuns()) throw await unknownIn(run, session.store, null);
  const link = await session.connect({ start: true });
  try {
    return { view: viewAt(await readRun(root, link, { session, withPending }), run), link };
  } catch (error) {
    try {
      throw grpcTrouble(error) === 'not-found' ? await unknownIn(run, session.store, link) : error;
    } finally {
      await link.close();
    }
  }
}

async function readRun(
  root: string,
  link: TemporalLink,
  { session, withPending }: { session: Session; withPending: boolean },
): Promise<RunView> {
  await requireOwnRun(root, link, session.store);
  const observer = observe({
    source: link,
    run: root,
    store: session.store,
    wait: false,
    withPending,
    signal: new AbortController().signal,
  });
  await observer.done;
  const view = observer.view();
  if (view === null) throw await unknownIn(root, session.store, link);
  return markUnrecorded(view, session.store);
}

/** The view of a run inside its root's. Throws a usage error where that has no such run. */
export function viewAt(root: RunView, run: string): RunView {
  if (root.run === run) return root;
  const path = pathBelow(run);
  const nested = everyStepView(root.steps)
    .flatMap(nestedIn)
    .find(({ path: own }) => path === own || path.startsWith(`${own}/`));
  if (nested === undefined) throw unknownRun(run);
  return viewAt(nested, run);
}
