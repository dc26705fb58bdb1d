import type { Store } from '../../store/store.js';
import type { FoundRun } from './find-run.js';

/** Ends that a run writes down itself; one that was ended by force leaves nothing. */
const WRITTEN: ReadonlySet<string> = new Set(['success', 'partial', 'error']);

/**
 * Tells what is missing of a run that the server alone knows to have ended, where the store is a database. A record
 * outlives its run's history, unless the database was brought back to a moment before.
 */
export function unrecordedLines({ view, link }: FoundRun, { homes }: Pick<Store, 'homes'>): string[] {
  // What the store has a record of is read without a server.
  if (homes === null || link === null || view.path !== '' || !WRITTEN.has(view.status)) return [];
  return [
    `The store has no record of the end of \`${view.run}\`: it was pruned, or the store was brought back to a moment ` +
      'before. Values and files of it may be missing, or be those of then.',
  ];
}
