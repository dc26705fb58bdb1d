import { CancellationScope, defineSignal, getExternalWorkflowHandle } from '@temporalio/workflow';
import type { LedgerMail } from '../../plan/budget/lease-messages.js';
import { LEDGER } from '../../plan/names.js';
import type { MailLine } from '../state/account.js';

export const ledgerSignal = defineSignal<[LedgerMail]>(LEDGER);

/** A line to a run. `opened` resolves once it has been started; who has closed needs no telling. */
export function openLine(run: string, opened: Promise<unknown> | null): MailLine {
  let last: Promise<unknown> = opened ?? Promise.resolve();
  let waiting = opened === null ? 0 : 1;
  if (opened !== null)
    last = opened.then(
      () => {
        waiting -= 1;
      },
      () => {
        waiting -= 1;
      },
    );
  const deliver = (mail: LedgerMail): Promise<void> =>
    CancellationScope.nonCancellable(() => getExternalWorkflowHandle(run).signal(ledgerSignal, mail)).catch(
      () => undefined,
    );
  return {
    send(mail) {
      // The first goes out in this very task, so that a run that ends with it has said it.
      last = waiting === 0 ? deliver(mail) : last.then(() => deliver(mail));
      waiting += 1;
      last = last.then(() => {
        waiting -= 1;
      });
    },
    sent: () => last.then(() => undefined),
    isIdle: () => waiting === 0,
  };
}
