import { setTimeout } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import type { ApplicationFailure } from '@temporalio/common';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import type { MailWay } from '../../plan/gates/mail-way.js';
import type { Follows, GateInPlan, Notice, NoticeCall, NoticeForecast, NoticeWay } from '../../plan/gates/notice.js';
import { followsInTree } from '../../plan/outcomes/follows.js';
import { NOTICE_LOG, NOTICE_WORKFLOW, addressVariable, filledAddress } from '../../plan/gates/notice.js';
import type { JsonObject } from '../../plan/values/json.js';
import { sha256 } from '../../store/hash.js';
import { safeName } from '../../plan/text/safe-name.js';
import { safeText } from '../../plan/text/safe-text.js';
import { errorCode } from '../../store/store-failure.js';
import type { Store } from '../../store/store.js';
import { timeLimit } from '../../store/time-limit.js';
import type { Activities } from '../contract.js';
import type { Credentials, Dependencies } from '../dependencies.js';
import { stepFailure, toFailure } from '../failures.js';
import { readAll, request } from '../models/http/http.js';
import { slackMessage, teamsMessage } from '../notices/chat-messages.js';
import { sendMail } from '../notices/send-mail.js';
import { noticeLinks } from '../notices/notice-links.js';
import { wordsOf } from '../notices/notice-words.js';
import { signedHeaders } from '../notices/webhook-signature.js';
import { createOutputCapture } from '../processes/output-capture.js';
import { startCommand } from '../commands/run-command.js';
import { ownOf } from '../../plan/values/own.js';

/** A program or an address that says nothing for so long has not taken it. */
const LIMIT_MS = 15_000;

/** Nobody is told later for the sake of a forecast. */
const FORECAST_MS = 5_000;

/** Of what a program said when it failed. */
const TOLD_BYTES = 1_000;

/** Where programs find the desktop that they show it on. */
const DESKTOP = ['DISPLAY', 'WAYLAND_DISPLAY', 'DBUS_SESSION_BUS_ADDRESS', 'XDG_RUNTIME_DIR'];

/** Tells one notice in one way. That it was not taken stands in the run's log, and Temporal sends it again. */
export function createSendNotice(dependencies: Dependencies): Activities['sendNotice'] {
  const { store } = dependencies;
  return async (call) => {
    try {
      await send({ ...call, notice: await filled(call, dependencies) }, dependencies);
    } catch (error) {
      const failure = toFailure(error);
      const log = store.openLog(call.notice.run, NOTICE_LOG);
      const { attempt } = Context.current().info;
      log.write('note', `notice \`${call.notice.event}\`, try ${attempt}: ${failure.message}\n`);
      await log.close();
      throw failure;
    }
  };
}

async function send(call: NoticeCall, { store, credentials }: Dependencies): Promise<void> {
  const { way, notice } = call;
  const signal = timeLimit(LIMIT_MS, Context.current().cancellationSignal);
  try {
    if ('command' in way) await run(call, way.command, store, signal);
    else if ('email' in way)
      await sendMail(way.email, wordsOf(notice), { id: ownId(), known: credentials(), limitMs: LIMIT_MS, signal });
    else await post(postOf(way, notice, credentials()), signal);
  } catch (error) {
    throw signal.aborted ? notTaken(`nobody took it in ${LIMIT_MS / 1000} s`) : error;
  }
}

/** The notice with what is made when it is sent: links, and the forecast of what is left. */
async function filled({ notice, way, asked, left, workspace }: NoticeCall, deps: Dependencies): Promise<Notice> {
  if (notice.event !== 'waiting') return notice;
  const links = asked === undefined ? [] : await noticeLinks(asked, nameOf(way), deps.store);
  const linked = { ...notice, ...(links.length === 0 ? {} : { links }) };
  if (left === undefined || notice.follows === undefined) return linked;
  const { run_only: _own, ...own } = notice.follows;
  const forecast = own.steps === 0 ? null : await forecastIn(left, workspace, deps);
  const tree = await inTree(left, notice, deps);
  const follows = tree === null ? notice.follows : { ...own, ...tree };
  return { ...linked, follows: { ...follows, ...(forecast === null ? {} : { forecast }) } };
}

/** What follows in all runs of the tree; null where the Plan of its root does not have the gate. */
async function inTree(
  { plan, made }: GateInPlan,
  { run, gate }: Extract<Notice, { event: 'waiting' }>,
  { store }: Dependencies,
): Promise<Pick<Follows, 'steps' | 'external'> | null> {
  const root = made === true ? null : await store.getPlan(plan).catch(() => null);
  return root === null ? null : followsInTree(root, gate.slice(run.length + 1));
}

/** People are told without it where it fails or takes long. */
async function forecastIn(
  left: GateInPlan,
  workspace: string,
  { forecastGate }: Dependencies,
): Promise<NoticeForecast | null> {
  const limit = new AbortController();
  const late = setTimeout(FORECAST_MS, null, { signal: limit.signal, ref: false }).catch(() => null);
  const forecast = forecastGate?.(left, workspace).catch(() => null) ?? null;
  return Promise.race([forecast, late]).finally(() => limit.abort());
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
      const value = ownOf(process.env, name);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** How the way is called, where nobody is named who decides by it. */
function nameOf(way: NoticeWay): string {
  return (['command', 'slack', 'teams', 'email'] as const).find((name) => name in way) ?? 'webhook';
}

interface Post {
  address: string;
  body: string;
  headers: Record<string, string>;
}

/** What is posted where. A webhook of ones own gets the notice as it is, a chat what people read of it. */
function postOf(
  way: Exclude<NoticeWay, { command: string[] } | { email: MailWay }>,
  notice: Notice,
  known: ReturnType<Credentials>,
): Post {
  if ('slack' in way) return chatPost(way.slack, slackMessage(wordsOf(notice)), known);
  if ('teams' in way) return chatPost(way.teams, teamsMessage(wordsOf(notice)), known);
  const { webhook, secret } = way;
  const body = JSON.stringify(shownNotice(notice));
  const headers = secret === undefined ? {} : signature(secret, body, known);
  return { address: addressOf(webhook, known), body, headers };
}

function chatPost(webhook: string, message: JsonObject, known: ReturnType<Credentials>): Post {
  return { address: addressOf(webhook, known), body: JSON.stringify(message), headers: {} };
}

/** The same for all tries to send one notice, so that a receiver takes it once. */
function ownId(): string {
  return `msg_${sha256(Context.current().info.workflowExecution?.workflowId ?? '').slice(-32)}`;
}

function signature(secret: string, body: string, known: ReturnType<Credentials>): Record<string, string> {
  const id = ownId();
  const name = addressVariable(secret) ?? '';
  try {
    return signedHeaders(ownOf(known, name) ?? '', { id, body, at: Date.now() });
  } catch (error) {
    throw stepFailure('provider-missing', `the variable \`${name}\`: ${error instanceof Error ? error.message : ''}`);
  }
}

function addressOf(webhook: string, known: ReturnType<Credentials>): string {
  const address = filledAddress(webhook, known);
  // An address may be a secret: no message names it (I13).
  if (address !== null) return address;
  throw stepFailure(
    'provider-missing',
    `expected the variable of \`${webhook}\` to hold an http or https address where the worker runs`,
  );
}

async function post({ address, ...sent }: Post, signal: AbortSignal): Promise<void> {
  const response = await request(address, { ...sent, signal }).catch((error: unknown) => {
    throw notTaken(`the webhook could not be reached (${errorCode(error) ?? 'no answer'})`);
  });
  await readAll(response).catch(() => undefined); // Its status says all.
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
        ...(notice.escalated === undefined ? {} : { escalated: notice.escalated.map(safeName) }),
        ...(notice.follows && { follows: { ...notice.follows, external: notice.follows.external.map(safeName) } }),
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
