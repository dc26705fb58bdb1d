import { openSession } from '../session.js';
import type { Terminal } from '../terminal.js';
import { serverSchedules } from './server-schedules.js';
import { attributesAt } from '../submit/start-run.js';
import type { ScheduleChanges } from './sync-schedules.js';
import { applyChanges, planChanges } from './sync-schedules.js';
import { triggeredDefinitions } from './triggered-definitions.js';

/**
 * Makes the server's schedules of this store equal to the definitions; `onPlanned` is told before anything is changed.
 * Throws where a definition has problems: nothing is changed then.
 */
export async function syncSchedules(
  { by, dryRun }: { by: string; dryRun: boolean },
  terminal: Terminal,
  onPlanned: (changes: ScheduleChanges) => void,
): Promise<ScheduleChanges> {
  const session = await openSession(terminal, { taskQueue: null });
  const { definitions, broken } = await triggeredDefinitions(session, terminal);
  const [first] = broken;
  // A schedule whose definition is broken for a while would be removed with all that is known of it.
  if (first !== undefined) throw first.problems;
  const link = await session.connect({ start: true });
  try {
    const { pollersOf } = await import('../../workers/connection/task-queue.js');
    await pollersOf(link, session.store);
    const there = await serverSchedules(link, session.store);
    const changes = await planChanges(definitions, there, session, {
      by,
      attributes: attributesAt(link),
      terminal,
    });
    onPlanned(changes);
    if (!dryRun) await applyChanges(changes, link, session);
    return changes;
  } finally {
    await link.close();
  }
}
