import { pollersAt } from '../../workers/connection/task-queue.js';
import type { TemporalLink } from '../../workers/link/temporal-link.js';
import type { ExitCode } from '../exit-codes.js';
import { EXIT, refusal } from '../exit-codes.js';
import { findRun } from '../observe/find-run.js';
import { isClosed } from '../observe/view/view.js';
import { openExisting, unknownRun } from '../session.js';
import type { Terminal } from '../terminal.js';
import { printJson, tell } from '../terminal.js';
import { asTyped } from '../text/own-name.js';
import { shellCommand } from '../../plan/text/shell-command.js';

/** Asks for a run's cancellation; where no worker can carry it out, says that it is recorded and what it waits for. */
export async function cancelRun(run: string, json: boolean, terminal: Terminal): Promise<ExitCode> {
  const session = await openExisting(terminal, { taskQueue: null });
  if (session === null) throw unknownRun(run);
  const { view, link } = await findRun(run, session);
  if (link === null || isClosed(view.status)) {
    await link?.close();
    // Cancelling twice is cancelling once.
    if (view.status !== 'cancelled') throw refusal(`The run \`${run}\` has ended already: ${view.status}.`);
    if (json) printJson(terminal, { run, status: view.status });
    tell(terminal, `\`${run}\` is cancelled already.`);
    return EXIT.success;
  }
  try {
    const hasWorker = await requestCancel(run, link);
    if (json) printJson(terminal, { run, status: view.status });
    tell(
      terminal,
      hasWorker
        ? asTyped(`Cancelling \`${run}\`. Watch it end with \`${shellCommand('perdure watch', [run])}\`.`)
        : `The cancellation of \`${run}\` is recorded. It waits for a worker at the task queue ` +
            asTyped(`\`${link.taskQueue}\`: start one with \`perdure worker\`.`),
    );
    return EXIT.success;
  } finally {
    await link.close();
  }
}

/** Asks for the cancellation of an open run, and tells whether a worker is there that carries it out. */
export async function requestCancel(run: string, link: TemporalLink): Promise<boolean> {
  await link.client.workflow.getHandle(run).cancel();
  return (await pollersAt(link.connection, link.namespace, link.taskQueue)).length > 0;
}
