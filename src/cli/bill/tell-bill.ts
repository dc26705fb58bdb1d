import type { PastRun } from '../../compiler/forecast/past.js';
import type { OpenGate, RunView } from '../observe/view/view.js';
import type { Session } from '../session.js';
import { safeLine } from '../text/safe-text.js';
import { wrap } from '../text/width.js';
import type { Terminal } from '../terminal.js';

/** Tells what follows an open gate of a root run, in lines; where that cannot be told, why. */
export type TellBill = (view: RunView, open: OpenGate) => Promise<string[]>;

/** Tells of the gates of a store: closed runs are read once for those that are told one after the other. */
export function createTellBill(session: Pick<Session, 'store' | 'config'>, { env }: Pick<Terminal, 'env'>): TellBill {
  const readPast = oncePast(session);
  return async (view, open) => {
    // Only a gate that is shown needs the compiler's forecasts.
    const { readBill } = await import('./read-bill.js');
    const { billLines } = await import('./bill-words.js');
    try {
      const bill = await readBill(view, open, { session, env, past: await readPast() });
      return billLines(bill, open.gate);
    } catch (error) {
      return [`What follows cannot be told: ${safeLine(error instanceof Error ? error.message : String(error))}`];
    }
  };
}

/** The lines of a bill below a gate: indented, and wrapped to `width` columns. */
export function indentBill(lines: string[], width: number): string[] {
  return lines.flatMap((line) => wrap(line, width - 4).map((part, index) => `${index === 0 ? '  ' : '    '}${part}`));
}

function oncePast({ store }: Pick<Session, 'store'>): () => Promise<readonly PastRun[]> {
  let past: (() => Promise<readonly PastRun[]>) | null = null;
  return async () => {
    const { createPast } = await import('../../workers/forecast/past.js');
    past ??= createPast(store);
    return past();
  };
}
