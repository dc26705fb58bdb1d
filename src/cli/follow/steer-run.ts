import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { WorkflowUpdateFailedError } from '@temporalio/client';
import { STEER } from '../../plan/names.js';
import type { Steer, SteerReceipt } from '../../plan/budget/steering.js';
import type { ExitCode } from '../exit-codes.js';
import { EXIT, refusal } from '../exit-codes.js';
import { additionWords } from './additions.js';
import { findRun } from '../observe/find-run.js';
import { isClosed } from '../observe/view/view.js';
import type { Config } from '../../compiler/project/config.js';
import { quotaIn } from '../../compiler/formats/quota.js';
import { openExisting, unknownRun } from '../session.js';
import type { Terminal } from '../terminal.js';
import { printJson, tell } from '../terminal.js';
import { sendUpdate } from './send-update.js';
import { asTyped } from '../text/own-name.js';
import { shellCommand } from '../../plan/text/shell-command.js';

/** What a person wants of a run, without its id. */
export type Wish = Steer extends infer S ? (S extends Steer ? Omit<S, 'id' | 'by'> : never) : never;

/** What `pause`, `resume` and `budget` were told. */
export interface SteerCommand {
  run: string;
  wish: Wish;
  by: string;
  /** Of the request: one id is done once; null makes a new one. */
  id: string | null;
  json: boolean;
}

/** Sends a request to the run and tells its answer. Throws a refusal with the reason. */
export async function steerRun({ run, wish, by, id, json }: SteerCommand, terminal: Terminal): Promise<ExitCode> {
  const session = await openExisting(terminal, { taskQueue: null });
  if (session === null) throw unknownRun(run);
  const { view, link } = await findRun(run, session);
  try {
    if (link === null || isClosed(view.status)) throw refusal(`The run \`${run}\` has ended: ${view.status}.`);
    const receipt = await steer(link.client, { run, wish: withQuota(wish, session.config), by, id });
    if (json) printJson(terminal, { run, status: receipt.status });
    else
      tell(
        terminal,
        asTyped(
          `${addedBy(wish)}${WORDS[receipt.status](run)} Follow it with \`${shellCommand('perdure watch', [run])}\`.`,
        ),
      );
    return EXIT.success;
  } finally {
    await link?.close();
  }
}

/** What was added stands before how the run is now: one that still waits for more is told as paused. */
function addedBy(wish: Wish): string {
  return wish.kind === 'budget' ? `Added to its limits: ${additionWords(wish.add)}. ` : '';
}

/** What is wanted, with the quota that the project has now: whoever resumes what that has paused may have raised it. */
export function withQuota(wish: Wish, config: Pick<Config, 'quota'>): Wish {
  if (wish.kind !== 'resume') return wish;
  const quota = quotaIn(config.quota);
  return quota === null ? wish : { ...wish, quota };
}

/** Sends a request to an open run and gives its answer. Throws a refusal with the reason. */
export async function steer(
  client: Pick<Client, 'workflow'>,
  { run, wish, by, id }: Omit<SteerCommand, 'json'>,
): Promise<SteerReceipt> {
  const request = id ?? randomUUID();
  try {
    return await sendUpdate<SteerReceipt, Steer>(client, {
      run,
      name: STEER,
      given: { ...wish, id: request, by },
      id: `steer-${request}`,
    });
  } catch (error) {
    if (!(error instanceof WorkflowUpdateFailedError)) throw error;
    throw refusal(error.cause?.message ?? error.message);
  }
}

const WORDS: Record<SteerReceipt['status'], (run: string) => string> = {
  running: (run) => `\`${run}\` goes on.`,
  paused: (run) => `\`${run}\` is paused: nothing new starts until \`${shellCommand('perdure resume', [run])}\`.`,
  stopping: (run) => `\`${run}\` stops: what runs ends, nothing new starts.`,
};
