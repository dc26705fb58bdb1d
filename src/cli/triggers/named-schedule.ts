import { didYouMean } from '../../compiler/problems/did-you-mean.js';
import { NAME } from '../../plan/names.js';
import type { Follower } from '../../plan/triggers/follow.js';
import type { TemporalLink } from '../../workers/link/temporal-link.js';
import type { CliError } from '../exit-codes.js';
import { usageError } from '../exit-codes.js';
import { openExisting, openSession } from '../session.js';
import type { Session } from '../session.js';
import type { Terminal } from '../terminal.js';
import { linkTo } from './server-link.js';
import type { SealedSchedule, ServerSchedule } from './server-schedules.js';
import { serverSchedules } from './server-schedules.js';
import { triggeredDefinitions } from './triggered-definitions.js';

/**
 * Does something with the schedule of a definition, as the server has it, or with whom it follows. Throws a usage error
 * where it has neither; a host is started only for a name that may have one.
 */
export async function withSchedule<T>(
  name: string,
  terminal: Terminal,
  act: (schedule: ServerSchedule | SealedSchedule, link: TemporalLink) => Promise<T>,
  actOnFollower: (follower: Follower, store: Session['store']) => Promise<T>,
): Promise<T> {
  if (NAME.test(name)) await requireWorthStart(name, terminal);
  else throw unknownSchedule(name, []);
  const session = await openSession(terminal, { taskQueue: null });
  const link = await session.connect({ start: true });
  try {
    const { there, sealed } = await serverSchedules(link, session.store);
    const known = there.get(name) ?? sealed.get(name);
    if (known !== undefined) return await act(known, link);
    const followers = await session.store.readFollowers();
    const follower = followers.find(({ definition }) => definition === name);
    if (follower !== undefined) return await actOnFollower(follower, session.store);
    throw unknownSchedule(name, [...there.keys(), ...sealed.keys(), ...followers.map(({ definition }) => definition)]);
  } finally {
    await link.close();
  }
}

/**
 * Throws a usage error where no server is there to be asked, and none is worth a start: nothing that is known here has
 * the name. Starts nothing.
 */
async function requireWorthStart(name: string, terminal: Terminal): Promise<void> {
  const session = await openExisting(terminal, { taskQueue: null });
  if (session === null) throw unknownSchedule(name, []);
  const link = await linkTo(session);
  if (link !== null) return link.close();
  const mayHaveSchedules = session.mayKnowRuns();
  const { definitions, broken } = await triggeredDefinitions(session, terminal);
  const followers = await session.store.readFollowers();
  const names = [
    ...(mayHaveSchedules ? [...definitions, ...broken].map((one) => one.name) : []),
    ...followers.map(({ definition }) => definition),
  ];
  if (names.includes(name)) return;
  throw unknownSchedule(name, names, mayHaveSchedules ? OF_WHAT_IS_GONE : undefined);
}

const OF_WHAT_IS_GONE =
  'No definition here has it. Of one that is gone the server may have it, which is not running: ' +
  '`perdure server start`.';

function unknownSchedule(
  name: string,
  names: string[],
  hint = '`perdure schedules list` has them all; `sync` makes those of definitions.',
): CliError {
  return usageError(`There is no schedule \`${name}\`.`, didYouMean(name, names) ?? hint);
}
