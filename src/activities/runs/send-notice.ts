import { Context } from '@temporalio/activity';
import type { ApplicationFailure } from '@temporalio/common';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import type { Notice, NoticeCall } from '../../plan/gates/notice.js';
import { NOTICE_LOG, NOTICE_WORKFLOW, filledAddress } from '../../plan/gates/notice.js';
import { safeName } from '../../plan/text/safe-name.js';
import { safeText } from '../../plan/text/safe-text.js';
import { errorCode } from '../../store/store-failure.js';
import type { Store } from '../../store/store.js';
import type { Activities } from '../contract.js';
import type { Credentials, Dependencies } from '../dependencies.js';
import { stepFailure, toFailure } from '../failures.js';
import { readAll, request } from '../models/http/http.js';
import { createOutputCapture } from '../processes/output-capture.js';
import { startCommand } from '../commands/run-command.js';

/** A program or an address that says nothing for so long has not taken it. */
const LIMIT_MS = 15_000;

/** Of what a program said when it failed. */
const TOLD_BYTES = 1_000;

/** Where programs find the desktop that they show it on. */
const DESKTOP = ['DISPLAY', 'WAYLAND_DISPLAY', 'DBUS_SESSION_BUS_ADDRESS', 'XDG_RUNTIME_DIR'];

/** Tells one notice in one way. That it was not taken stands in the run's log, and Temporal sends it again. */
export function createSendNotice({ store, credentials }: Dependencies): Activities['sendNotice'] {
  return async (call) => {
    const { way, notice } = call;
    const signal = AbortSignal.any([Context.current().cancellationSignal, AbortSignal.timeout(LIMIT_MS)]);
    try {
      await ('command' in way ? run(call, way.command, store, signal) : post(way.webhook, notice, credentials, signal));
    } catch (error) {
      const failure = signal.aborted ? notTaken(`nobody took it in ${LIMIT_MS / 1000} s`) : toFailure(error);
      const log = store.openLog(notice.run, NOTICE_LOG);
      log.write('note', `notice \`${notice.event}\`, try ${Context.current().info.attempt}: ${failure.message}\n`);
      await log.close();
      throw failure;
    }
  };
}

async function run(
  { notice, workspace }: NoticeCall,
  argv: string[],
  store: Store,
  signal: AbortSignal,
): Promise<void> {
  const said = createOutputCapture(TOLD_BYTES);
  const hear = (chunk: Buffer): void => said.add(chunk);
  const end = await startCommand(
    { argv, cwd: workspace, env: desktopVariables(), stdin: JSON.stringify(shownNotice(notice)) },
    { store: store.id, run: notice.run },
    { signal, onStdout: hear, onStderr: hear },
  );
  const text = said.text().trim();
  if (end.code !== 0)
    throw notTaken(
      `\`${argv[0] ?? ''}\` ended with ` +
        `${end.signal ?? `exit code ${String(end.code)}`}${text === '' ? '' : `: ${text}`}`,
    );
}

/** What a program needs to reach the person's desktop. */
function desktopVariables(): Record<string, string> {
  return Object.fromEntries(
    DESKTOP.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

async function post(webhook: string, notice: Notice, credentials: Credentials, signal: AbortSignal): Promise<void> {
  const address = filledAddress(webhook, credentials());
  // An address may be a secret: no message names it (I13).
  if (address === null)
    throw stepFailure(
      'provider-missing',
      `expected the variable of \`${webhook}\` to hold an http or https address where the worker runs`,
    );
  const response = await request(address, { body: JSON.stringify(shownNotice(notice)), signal }).catch(
    (error: unknown) => {
      throw notTaken(`the webhook could not be reached (${errorCode(error) ?? 'no answer'})`);
    },
  );
  await readAll(response);
  const { statusCode = 0 } = response;
  if (statusCode < 200 || statusCode > 299) throw notTaken(`the webhook answered with status ${statusCode}`);
}

/** A notice as people read it in a chat or a mail. Names of gates and options stay: an answer repeats them. */
function shownNotice(notice: Notice): Notice {
  const { definition, submitted_by } = notice;
  const about = { definition: safeName(definition), submitted_by: safeName(submitted_by) };
  switch (notice.event) {
    case 'waiting':
      return {
        ...notice,
        ...about,
        message: safeText(notice.message),
        ...(notice.approvers === undefined ? {} : { approvers: notice.approvers.map(safeName) }),
      };
    case 'paused':
      return { ...notice, ...about, message: safeText(notice.message) };
    case 'ended':
      return { ...notice, ...about, error: notice.error === null ? null : safeText(notice.error) };
  }
}

/** Whoever is told may be there the next time. */
function notTaken(message: string): ApplicationFailure {
  return stepFailure('tool-failed', message, { afterMs: null });
}

/** Starts what tells a notice, on the run's own task queue. An id that was used before says that it is told already. */
export function createStartNotice(): Activities['startNotice'] {
  return async ({ id, notify, told }) => {
    const {
      client,
      info: { taskQueue },
    } = Context.current();
    try {
      await client.workflow.start(NOTICE_WORKFLOW, {
        workflowId: id,
        taskQueue,
        args: [notify, told],
        workflowIdReusePolicy: 'REJECT_DUPLICATE',
        staticSummary: `${told.notice.event}: ${told.notice.run}`,
      });
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    }
  };
}
