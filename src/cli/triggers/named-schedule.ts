import { didYouMean } from '../../compiler/problems/did-you-mean.js';
import type { Follower } from '../../plan/triggers/follow.js';
import type { TemporalLink } from '../../workers/link/temporal-link.js';
import { usageError } from '../exit-codes.js';
import { openSession } from '../session.js';
import type { Session } from '../session.js';
import type { Terminal } from '../terminal.js';
import type { ServerSchedule } from './server-schedules.js';
import { serverSchedules } from './server-schedules.js';

/**
 * Does something with the schedule of a definition, as the server has it, or with whom it follows. Throws a usage error
 * where it has neither.
 */
export async function withSchedule<T>(
  name: string,
  terminal: Terminal,
  act: (schedule: ServerSchedule, link: TemporalLink) => Promise<T>,
  actOnFollower: (follower: Follower, store: Session['store']) => Promise<T>,
): Promise<T> {
  const session = await openSession(terminal, { taskQueue: null });
  const link = await session.connect({ start: true });
  try {
    const there = await serverSchedules(link, session.store);
    const known = there.get(name);
    if (known !== undefined) return await act(known, link);
    const followers = await session.store.readFollowers();
    const follower = followers.find(({ definition }) => definition === name);
    if (follower !== undefined) return await actOnFollower(follower, session.store);
    throw usageError(
      `The server has no schedule \`${name}\`.`,
      didYouMean(name, [...there.keys(), ...followers.map(({ definition }) => definition)]) ??
        '`perdure schedules list` has them all; `sync` makes those of definitions.',
    );
  } finally {
    await link.close();
  }
}
