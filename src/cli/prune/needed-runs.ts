import type { RunRecord } from '../../plan/result.js';
import type { Store } from '../../store/store.js';

/**
 * Runs that open ones take work from: those that they are reruns of or go on with, and what these were reruns of. Their
 * records and work trees are needed until then, and by a rerun of what came of it.
 */
export async function neededBy(
  open: Iterable<string>,
  records: RunRecord[],
  store: Pick<Store, 'readSubmitted'>,
): Promise<Set<string>> {
  const rerunOf = new Map(records.map(({ run, rerun_of }) => [run, rerun_of]));
  const needed = new Set<string>();
  for (let next = [...open]; next.length > 0;) {
    const noted = await store.readSubmitted(next);
    const before = [...noted.map(({ after }) => after), ...next.map((run) => rerunOf.get(run))];
    next = [...new Set(before)].flatMap((run) => (run === undefined || needed.has(run) ? [] : [run]));
    for (const run of next) needed.add(run);
  }
  return needed;
}
