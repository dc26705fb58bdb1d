import type { Store } from '../../store/store.js';

/**
 * How many questions of a closed run's tree were asked once more because their worker was lost, as a line for people;
 * null where none was.
 */
export async function askedAgainLine(store: Store, run: string): Promise<string | null> {
  const scope = (await store.readRun(run))?.journal;
  if (scope === undefined) return null;
  const lost = (await store.listAskedAgain(scope)).reduce((sum, one) => sum + one.lost, 0);
  if (lost === 0) return null;
  return lost === 1
    ? '1 question was asked again, for its worker was lost: it may have been paid twice.'
    : `${String(lost)} questions were asked again, for their workers were lost: they may have been paid twice.`;
}
