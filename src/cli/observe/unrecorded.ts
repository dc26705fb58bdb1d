import type { Store } from '../../store/store.js';
import type { CliError } from '../exit-codes.js';
import { usageError } from '../exit-codes.js';
import { shellCommand } from '../../plan/text/shell-command.js';
import { safeName } from '../text/safe-text.js';
import type { RunView } from './view/view.js';
import { isClosed, rootOf } from './view/view.js';

/** Ends that a run writes down itself; one that was ended by force leaves nothing. */
const WRITTEN: ReadonlySet<string> = new Set(['success', 'partial', 'error']);

/**
 * Tells what is missing of a run that the server alone knows to have ended, where the store is a database. A record
 * outlives its run's history, unless the database was brought back to a moment before.
 */
export function unrecordedLines(
  { view, link }: { view: RunView; link: object | null },
  { homes }: Pick<Store, 'homes'>,
): string[] {
  // What the store has a record of is read without a server.
  if (homes === null || link === null || view.path !== '' || !WRITTEN.has(view.status)) return [];
  return [
    `The store has no record of the end of \`${view.run}\`: it was pruned, or the store was brought back to a moment ` +
      'before. Values and files of it may be missing, or be those of then.',
  ];
}

/** The view of a run, marked where it has ended and left no record. One that cannot be read is there. */
export async function markUnrecorded(view: RunView, store: Pick<Store, 'readRun'>): Promise<RunView> {
  if (!isClosed(view.status)) return view;
  const isMissing = await store.readRun(rootOf(view.run)).then(
    (record) => record === null,
    () => false,
  );
  return isMissing ? { ...view, unrecorded: true } : view;
}

/** The refusal of what needs the record of a run that has ended and left none. */
export function withoutRecord({ run, status, definition }: Pick<RunView, 'run' | 'status' | 'definition'>): CliError {
  return usageError(
    `The run \`${run}\` ended without a record of what it had done: ${status}.`,
    definition === undefined
      ? 'Start it anew with `perdure run`.'
      : `Start it anew with \`${shellCommand('perdure run', [safeName(definition)], '…')}\`.`,
  );
}
