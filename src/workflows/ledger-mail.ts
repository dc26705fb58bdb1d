import { CancellationScope, defineSignal, getExternalWorkflowHandle } from '@temporalio/workflow';
import type { Downward, Upward } from '../plan/ledger.js';
import { LEDGER } from '../plan/names.js';
import type { Climate } from '../plan/steering.js';

/** What runs of one tree say to each other about their budget, by signal. */
export type LedgerMail = { from: string } & ({ up: Upward } | { down: Downward } | { climate: Climate });

export const ledgerSignal = defineSignal<[LedgerMail]>(LEDGER);

/** Sends to one run, one signal after the other: Temporal delivers two that are under way at once in any order. */
export interface MailLine {
  send(mail: LedgerMail): void;
  /** Resolves when all that was sent so far has arrived, or can no more. */
  sent(): Promise<void>;
  /** Whether it has. */
  isIdle(): boolean;
}

/** A line to a run. `opened` resolves once it has been started; who has closed needs no telling. */
export function openLine(run: string, opened: Promise<unknown> | null): MailLine {
  let last: Promise<unknown> = opened ?? Promise.resolve();
  let waiting = opened === null ? 0 : 1;
  if (opened !== null) last = opened.then(() => { waiting -= 1; }, () => { waiting -= 1; });
  const deliver = (mail: LedgerMail): Promise<void> =>
    CancellationScope.nonCancellable(() => getExternalWorkflowHandle(run).signal(ledgerSignal, mail)).catch(() => undefined);
  return {
    send(mail) {
      // The first goes out in this very task, so that a run that ends with it has said it.
      last = waiting === 0 ? deliver(mail) : last.then(() => deliver(mail));
      waiting += 1;
      last = last.then(() => { waiting -= 1; });
    },
    sent: () => last.then(() => undefined),
    isIdle: () => waiting === 0,
  };
}

/** Whether something received from outside has the form of such mail (S46: signals come from anyone). */
export function isLedgerMail(value: unknown): value is LedgerMail {
  if (typeof value !== 'object' || value === null) return false;
  const { from, up, down, climate } = value as Record<string, unknown>;
  if (typeof from !== 'string') return false;
  if (isRecord(up)) return isUpward(up);
  if (isRecord(down)) return down['kind'] === 'grant' ? isCount(down['seq']) && isCount(down['claim']) && isAmounts(down['amounts']) : down['kind'] === 'recall' && isAmounts(down['want']);
  return isRecord(climate) && ['pause', 'stop', 'degrade'].every((key) => key in climate);
}

function isUpward({ kind, seen, back, want, like, seq, ...lists }: Record<string, unknown>): boolean {
  if (!isCount(seen) || !isAmounts(back)) return false;
  if (kind === 'claim') return isCount(seq) && isAmounts(want) && isAmounts(like) && Array.isArray(lists['busy']);
  return kind === 'release' && ['done', 'busy', 'final'].every((key) => Array.isArray(lists[key]));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function isCount(value: unknown): boolean {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

function isAmounts(value: unknown): boolean {
  return isRecord(value) && ['steps', 'nanousd', 'tokens', 'slots'].every((resource) => isCount(value[resource]));
}
