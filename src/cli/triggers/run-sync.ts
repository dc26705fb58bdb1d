import type { TemporalLink } from '../../workers/link/temporal-link.js';
import type { Session } from '../session.js';
import { openSession, openWorkspace } from '../session.js';
import type { Terminal } from '../terminal.js';
import type { ServerSchedules } from './server-schedules.js';
import { serverSchedules } from './server-schedules.js';
import { attributesAt } from '../submit/start-run.js';
import type { FollowerChanges } from './sync-followers.js';
import { applyFollowers, knownFollowers, planFollowers } from './sync-followers.js';
import type { ScheduleChanges } from './sync-schedules.js';
import { applyChanges, planChanges } from './sync-schedules.js';
import { triggeredDefinitions } from './triggered-definitions.js';

/** What differs between the definitions, and what the server and the store have. */
export interface TriggerChanges {
  schedules: ScheduleChanges;
  followers: FollowerChanges;
  /** Whether the server is one elsewhere, for which no host of ours stays. */
  isElsewhere: boolean;
}

/**
 * Makes the server's schedules of this store, and what starts when its runs end, equal to the definitions; `onPlanned`
 * is told before anything is changed. Throws where a definition has problems: nothing is changed then. A dry run starts
 * the server only where it may have schedules.
 */
export async function syncSchedules(
  { by, dryRun }: { by: string; dryRun: boolean },
  terminal: Terminal,
  onPlanned: (changes: TriggerChanges) => void,
): Promise<TriggerChanges> {
  const workspace = await openWorkspace(terminal);
  const { definitions, broken } = await triggeredDefinitions(workspace, terminal);
  const [first] = broken;
  // A schedule whose definition is broken for a while would be removed with all that is known of it.
  if (first !== undefined) throw first.problems;
  const session = await openSession(terminal, { taskQueue: null, lookOnly: dryRun, workspace });
  const link = dryRun && !session.mayKnowRuns() ? null : await session.connect({ start: true });
  try {
    const known = link === null ? NONE : await schedulesAt(link, session);
    const followers = await knownFollowers(session.store);
    const attributes = link === null ? { search_attributes: true } : attributesAt(link);
    const how = { by, attributes, terminal, key: link?.keys?.ids[0] ?? null };
    const changes = {
      schedules: await planChanges(definitions, known, session, how),
      followers: await planFollowers(definitions, followers, session, how),
      isElsewhere: session.isElsewhere,
    };
    onPlanned(changes);
    if (dryRun || link === null) return changes;
    await applyChanges(changes.schedules, link, session);
    await applyFollowers(changes.followers, session.store);
    return changes;
  } finally {
    await link?.close();
  }
}

const NONE: ServerSchedules = { there: new Map(), sealed: new Map() };

async function schedulesAt(link: TemporalLink, { store }: Session): Promise<ServerSchedules> {
  const { pollersOf } = await import('../../workers/connection/task-queue.js');
  await pollersOf(link, store);
  return serverSchedules(link, store);
}
