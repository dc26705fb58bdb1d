import type { TemporalLink } from '../../workers/link/temporal-link.js';
import type { Session } from '../session.js';

/** The way to a server that is there; null where our own is not running. Starts nothing. */
export async function linkTo(session: Session): Promise<TemporalLink | null> {
  if (!session.mayKnowRuns()) return null;
  try {
    return await session.connect({ start: false });
  } catch (error) {
    if (error instanceof Error && error.name === 'UnavailableError' && !session.isElsewhere) return null;
    throw error;
  }
}
