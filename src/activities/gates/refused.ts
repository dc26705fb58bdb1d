import { DECISIONS_LOG } from '../../plan/gates/gate.js';
import { safeName } from '../../plan/text/safe-name.js';
import { safeLine } from '../../plan/text/safe-text.js';
import type { LogLine } from '../../store/logs/line.js';
import type { Store } from '../../store/store.js';
import type { Activities } from '../contract.js';
import type { Dependencies } from '../dependencies.js';

/** A decision that was refused, as far as people want to know. */
export interface Refused {
  gate: string;
  /** Who it said it was. */
  by: string;
  reason: string;
}

/** Writes it to the log of the tree that a run belongs to (`perdure logs`). Throws `StoreFailure`. */
export async function noteRefused(store: Pick<Store, 'openLog'>, run: string, refused: Refused): Promise<void> {
  const { gate, by, reason } = refused;
  const log = store.openLog(run.split('/', 1)[0] ?? run, DECISIONS_LOG);
  // What somebody says of themselves is one name: it writes no line of its own.
  log.write('note', `refused: a decision of \`${safeName(gate)}\` by ${safeName(by)}: ${safeLine(reason)}\n`);
  await log.close();
}

/** What was refused in the tree of a run, oldest first: the lines of that log. */
export async function refusedIn(store: Pick<Store, 'readLog'>, run: string): Promise<LogLine[]> {
  const { lines } = await store.readLog(run, DECISIONS_LOG, 0);
  return lines;
}

/** Keeps what a run refused, for people to read. That it cannot be written holds nobody up: history has it as well. */
export function createNoteRefusal({ store }: Dependencies): Activities['noteRefusal'] {
  return async ({ run, decision, reason }) =>
    noteRefused(store, run, { gate: decision.gate, by: decision.by, reason }).catch(() => undefined);
}
