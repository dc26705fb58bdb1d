import { CancellationScope, log, proxyActivities, proxyLocalActivities, workflowInfo } from '@temporalio/workflow';
import type { Activities } from '../../activities/contract.js';
import type { Gate } from '../../plan/gates/gate.js';
import { followsOf } from '../../plan/outcomes/follows.js';
import type { Follows, GateOfNotice, Notice, NoticeCall, NotifySettings } from '../../plan/gates/notice.js';
import { waysOf } from '../../plan/gates/notice.js';
import { unusedOf } from '../../plan/budget/ledger.js';
import type { RunOutcome } from '../../plan/result.js';
import type { Pause } from '../../plan/budget/steering.js';
import { isResumable } from '../../plan/budget/steering.js';
import type { RunContext } from '../state/context.js';
import { cut, toRunError } from '../failures.js';
import { commandOf } from './ui-details.js';

/** A notice that is not taken is sent again after half a second, 2 s, 8 s, 32 s, 2 min and 5 min. */
const { sendNotice } = proxyActivities<Activities>({
  startToCloseTimeout: '30s',
  retry: { initialInterval: '500ms', backoffCoefficient: 4, maximumInterval: '5m', maximumAttempts: 7 },
});

/**
 * Not a child workflow: that would send this run events of its own, at any time. That it cannot be started fails no
 * run.
 */
const { startNotice } = proxyLocalActivities<Activities>({
  startToCloseTimeout: '5s',
  retry: { initialInterval: '200ms', maximumAttempts: 3 },
});

/**
 * Tells one notice by all ways; each is tried again by itself. Fails, for Temporal's UI to show, when one was never
 * taken.
 */
export async function perdureNotice(notify: NotifySettings, told: Omit<NoticeCall, 'way'>): Promise<void> {
  const ends = await Promise.allSettled(waysOf(notify).map((way) => sendNotice({ ...told, way })));
  for (const end of ends) if (end.status === 'rejected') throw toRunError(end.reason);
}

/** Tells that a gate waits for people, or that it still does. */
export function noticeGate(
  context: RunContext,
  { path, kind, message, hash, since, deadline, approvers, options, reminders, escalated, ...rest }: Gate,
): void {
  const { run } = context.root;
  const gate = `${run}/${path}`;
  const command = commandOf({ kind, path, ...(options === undefined ? {} : { options }) }, run);
  const terms = {
    ...(deadline === undefined ? {} : { deadline }),
    ...(approvers === undefined ? {} : { approvers }),
    ...(options === undefined ? {} : { options }),
  };
  const own = context.path === '' ? path : path.slice(context.path.length + 1);
  const notice: Notice = {
    ...about(context),
    event: 'waiting',
    ...{ gate, kind, message, hash, command, ...terms },
    ...(reminders === undefined ? {} : { reminders }),
    ...(escalated === undefined ? {} : { escalated }),
    follows: { run_only: true, ...followsOf(context.plan, own), ...budgetOf(context) },
    ...pageOf(context, gate),
  };
  const { excluded } = rest;
  const shown = {
    path,
    kind,
    hash,
    since,
    ...terms,
    ...firstAsked(approvers, escalated),
    ...(excluded === undefined ? {} : { excluded }),
  };
  const { plan, made } = context.root;
  const left = { plan, nested: context.nested, path: own, ...(made ? { made } : {}) };
  const times = reminders === undefined && escalated === undefined ? [] : [reminders ?? 0, (escalated ?? []).length];
  void tell(context, [gate, since, ...times].join('~'), notice, { ...linkedGate(context, shown), left });
}

/** Who may decide, those first who were asked last: of many only the first have links. */
function firstAsked(approvers: string[] | undefined, escalated: string[] | undefined): { approvers?: string[] } {
  if (approvers === undefined || escalated === undefined) return {};
  return { approvers: [...new Set([...escalated, ...approvers])] };
}

/** What the run may still use of its own limits. */
function budgetOf({ account: { ledger } }: RunContext): Pick<Follows, 'budget'> {
  const { nanousd, tokens, steps } = unusedOf(ledger);
  const budget = {
    ...(nanousd === null ? {} : { usd: nanousd / 1e9 }),
    ...(tokens === null ? {} : { tokens }),
    ...(steps === null ? {} : { steps }),
  };
  return Object.keys(budget).length === 0 ? {} : { budget };
}

function pageOf({ settings: { pages } }: RunContext, address: string): { page?: string } {
  return pages === undefined ? {} : { page: `${pages}/gates/${address.split('/').map(encodeURIComponent).join('/')}` };
}

/** Where links to a gate lead; nothing where there are none. */
function linkedGate(
  { settings: { notify, pages } }: RunContext,
  gate: GateOfNotice['gate'],
): { asked: GateOfNotice } | undefined {
  if (notify?.links !== true || pages === undefined) return undefined;
  const { workflowId, firstExecutionRunId } = workflowInfo();
  return { asked: { pages, owner: { run: workflowId, first: firstExecutionRunId }, gate } };
}

/** Tells that a limit pauses the run. */
export function noticePause(context: RunContext, pause: Pause): void {
  const { cause, message, run, since } = pause;
  if (cause === 'request') return; // Whoever asked for it knows.
  void tell(context, `${run}~${cause}~${since}`, {
    ...about(context),
    event: 'paused',
    paused: run,
    limit: cause,
    message,
    command: `perdure ${isResumable(pause) ? 'resume' : 'budget'} ${run}`,
  });
}

/** Tells that a root run has ended, which it does right after this. */
export async function noticeEnd(
  context: RunContext,
  { status, error, spend }: Pick<RunOutcome, 'status' | 'error' | 'spend'>,
): Promise<void> {
  // A batch run of the root's own items has its path.
  if (context.path !== '' || context.items !== null) return;
  const { run } = context;
  await tell(context, `${run}~ended~${context.root.first}`, {
    ...about(context),
    event: 'ended',
    status,
    error: error === null ? null : cut(error),
    usd: spend.usd,
    steps: spend.steps,
    command: `perdure show ${run}`,
  });
}

function about({ root, plan, settings }: RunContext): Pick<Notice, 'run' | 'definition' | 'submitted_by' | 'at'> {
  return { run: root.run, definition: plan.name, submitted_by: settings.submitted_by, at: new Date().toISOString() };
}

/** Longer ids Temporal refuses. */
const ID_CHARACTERS = 900;

/**
 * Starts what tells it, beside this run. The id names what is told of: a gate that is shown again when the run
 * continues as new is not told of again.
 */
function tell(
  { settings: { notify, ...settings } }: RunContext,
  key: string,
  notice: Notice,
  more: Pick<NoticeCall, 'asked' | 'left'> = {},
): Promise<void> {
  if (notify === undefined || !notify.on.includes(notice.event)) return Promise.resolve();
  const workspace = settings.worktree?.project ?? settings.workspace;
  const start = (): Promise<void> =>
    startNotice({ id: key.slice(-ID_CHARACTERS), notify, told: { notice, workspace, ...more } });
  return CancellationScope.nonCancellable(start).catch((error: unknown) =>
    log.warn(`A notice could not be sent: ${String(error)}`),
  );
}
