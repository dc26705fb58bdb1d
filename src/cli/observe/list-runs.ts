import { INTERPRETER, MEMO, RUN_ID } from '../../plan/names.js';
import type { RunRecord, RunStatus } from '../../plan/result.js';
import { asOfNow } from './as-of-now.js';
import type { Lacking } from './lacking-workers.js';
import { lackingWorkers } from './lacking-workers.js';
import type { WantedEnds } from './ended-runs.js';
import { latestRecords, readEnded, recordsOf } from './ended-runs.js';
import type { ListedStatus } from './listed-status.js';
import { isEnd } from './listed-status.js';
import { lostRuns } from './lost-runs.js';
import { gatesIn, pauseIn } from './memo.js';
import { ownRuns } from './own-runs.js';
import type { Pause } from '../../plan/budget/steering.js';
import type { SubmittedRun } from '../../store/records/submitted-files.js';
import type { Store } from '../../store/store.js';
import type { Execution } from '../../workers/link/list-executions.js';
import { STATUS, listExecutions } from '../../workers/link/list-executions.js';
import type { TemporalLink } from '../../workers/link/temporal-link.js';
import type { Session } from '../session.js';
import type { OpenGate } from './view/view.js';
import { rootOf } from './view/view.js';

/** Tells whether a listed run is of this status; one that is `open` in a filter is in any that is no end. */
export function hasStatus({ status, ended_at }: ListedRun, wanted: string): boolean {
  return status === wanted || (wanted === 'open' && ended_at === null);
}

/** A root run in a list. */
export interface ListedRun {
  run: string;
  definition: string;
  /** What it is about, in a few words, where somebody said it. */
  description?: string;
  status: ListedStatus;
  rehearsal: boolean;
  submitted_by: string | null;
  /** What it spent; null where only its end can say. */
  usd: number | null;
  started_at: string;
  ended_at: string | null;
  /** What of its steps waits for a worker that is not there, in words; absent where nothing does. */
  waits_for?: string[];
  /** Where it was given to, in words, where the server that is asked does not know it. */
  lost?: string;
}

/** A run that is paused, by a limit or by request. */
export interface PausedRun extends Pause {
  run: string;
}

export interface Listing {
  /** Paused runs, the longest paused first. */
  paused: PausedRun[];
  /** Those that have not ended, the latest first; then those that have, the last ended first. */
  runs: ListedRun[];
  /** How many more there are that have ended; null for some, of which nobody has counted those of the status. */
  more: number | null;
  /** The longest waiting first. */
  gates: OpenGate[];
  /** How many gates each run does not list, because it has so many; by workflow id. */
  unlisted: Map<string, number>;
  /** There may be open runs that nobody could be asked about. */
  serverIsDown: boolean;
}

/** Open runs of the whole tree, because gates may be anywhere in it. */
const OPEN_QUERY = `WorkflowType = '${INTERPRETER}' AND ExecutionStatus = 'Running'`;

/**
 * All that waits for people, over all runs, without a worker (decision 5). `once`: for who does not look again, also of
 * runs that the server does not list yet.
 */
export async function listGates(
  session: Session,
  { once = false }: { once?: boolean } = {},
): Promise<Omit<Listing, 'runs' | 'more'> & { /** Ids of open runs. */ open: string[] }> {
  const unrecorded = async (): Promise<string[]> => (once ? idsOf(await listOpen(session.store)) : []);
  const read = await readExecutions(session, { unrecorded, also: async () => null });
  const executions = read === null ? null : read.executions.filter(({ status }) => status.name === 'RUNNING');
  return {
    ...waitingIn(executions ?? []),
    paused: pausedIn(executions ?? []),
    serverIsDown: executions === null,
    open: (executions ?? []).map(({ workflowId }) => workflowId),
  };
}

/** The latest first. */
function idsOf(open: ListedRun[]): string[] {
  return latestFirst(open).map(({ run }) => run);
}

function waitingIn(executions: Execution[]): Pick<Listing, 'gates' | 'unlisted'> {
  const gates = executions.flatMap(gatesOf).sort((a, b) => (a.gate.since < b.gate.since ? -1 : 1));
  const unlisted = executions
    .filter(({ status }) => status.name === 'RUNNING')
    .map(({ workflowId, memo }) => [workflowId, memo?.[MEMO.unlisted]] as const);
  return {
    gates,
    unlisted: new Map(
      unlisted.filter((entry): entry is [string, number] => typeof entry[1] === 'number' && entry[1] > 0),
    ),
  };
}

/** What of all runs is listed: of those that have ended so many at most, and those alone of a status. */
export interface Wanted {
  ended?: number;
  status?: ListedStatus | null;
}

/**
 * The runs that are known here, each once: those of the server, and the closed ones of the store. It starts nothing;
 * where the server is not running it says so, and runs that were submitted and have left no record are `open`. So are
 * those that the server does not know. What is not listed is not read.
 */
export async function listRuns(
  session: Session,
  { ended: most = Infinity, status = null }: Wanted = {},
): Promise<Listing> {
  const { store } = session;
  const ends: WantedEnds = { most, status: status !== null && isEnd(status) ? status : null };
  const closed = new Map((await latestRecords(store, ends)).map((record) => [record.run, fromRecord(record)]));
  // While the server is asked: of ten thousand open runs both take a moment.
  const submitted = store.listUnrecorded();
  const [unrecorded, read] = await Promise.all([
    submitted,
    readExecutions(session, {
      ends,
      unrecorded: async () => idsOf(openOf(await submitted)),
      also: async (link, found) => ({
        lacking: await lackingOf(session)(link, found),
        lost: await lostRuns(besideThose(found, await submitted, ends), link, store),
      }),
    }),
  ]);
  const { executions, unread, also } = read ?? NOTHING_TOLD;
  const roots = executions.filter(({ workflowId }) => !workflowId.includes('/'));
  if (most < Infinity)
    for (const record of await recordsOf(store, endedBeside(closed, roots))) closed.set(record.run, fromRecord(record));
  const { gates, unlisted } = waitingIn(executions);
  const waiting = new Set(gates.map(({ address }) => rootOf(address)));
  const served = roots
    .filter(({ workflowId }) => !closed.has(workflowId))
    .map((execution) => fromExecution(execution, waiting.has(execution.workflowId)));
  const { lacking, lost } = also ?? { lacking: null, lost: await lostUnasked(unrecorded, read === null, store) };
  const open = read === null ? unrecorded : unrecorded.filter(({ run }) => lost.has(run));
  const all = [...closed.values(), ...openOf(open), ...served];
  const { runs, left } = cut(
    all.filter((run) => status === null || hasStatus(run, status)),
    most,
  );
  const beside = async (): Promise<number> =>
    Math.max(0, (await store.countRuns()) - closed.size) + Math.max(0, unread);
  return {
    runs: await withWords(runs, { store, unrecorded, lacking, lost }),
    more: left === 0 ? 0 : status === null ? left + (await beside()) : null,
    ...{ gates, unlisted, paused: pausedIn(executions), serverIsDown: read === null },
  };
}

/** Of runs that were submitted those that the server has not listed; none where only runs that ended are wanted. */
function besideThose(listed: Execution[], submitted: SubmittedRun[], { status }: WantedEnds): SubmittedRun[] {
  if (status !== null) return [];
  const known = new Set(listed.map(({ workflowId }) => workflowId));
  return submitted.filter(({ run }) => !known.has(run));
}

/**
 * The same where no server was asked: this folder's has no database or, where it `isDown`, may know those that it was
 * given.
 */
function lostUnasked(submitted: SubmittedRun[], isDown: boolean, store: Store): Promise<Map<string, string>> {
  const others = store.homes === null ? submitted.filter(({ server }) => server !== undefined) : [];
  return lostRuns(isDown ? others : submitted, null, store);
}

/**
 * Of what the server says to have ended that which is not among the records: those were written since, are of runs
 * whose turn comes later, or are none.
 */
function endedBeside(closed: ReadonlyMap<string, ListedRun>, roots: Execution[]): string[] {
  return roots
    .filter(({ workflowId, closeTime }) => closeTime !== undefined && !closed.has(workflowId))
    .map(({ workflowId }) => workflowId);
}

/** Runs in their order, of those that have ended the last so many. */
function cut(all: ListedRun[], most: number): { runs: ListedRun[]; /** How many were cut off. */ left: number } {
  const open = all.filter(({ ended_at }) => ended_at === null);
  const ended = all.filter(({ ended_at }) => ended_at !== null);
  ended.sort((a, b) => ((a.ended_at ?? '') > (b.ended_at ?? '') ? -1 : 1));
  const runs = [...latestFirst(open), ...ended.slice(0, most)];
  return { runs, left: Math.max(0, ended.length - most) };
}

function latestFirst(runs: ListedRun[]): ListedRun[] {
  return runs.sort((a, b) => (a.started_at > b.started_at ? -1 : 1));
}

interface Words {
  store: Pick<Store, 'readSubmitted'>;
  unrecorded: SubmittedRun[];
  lacking: Map<string, Lacking> | null;
  lost: Map<string, string>;
}

/** The same with what they are about, what they wait for, and where they are. */
async function withWords(runs: ListedRun[], { store, unrecorded, lacking, lost }: Words): Promise<ListedRun[]> {
  const known = new Map(unrecorded.map((submitted) => [submitted.run, submitted]));
  const others = await store.readSubmitted(runs.map(({ run }) => run).filter((run) => !known.has(run)));
  for (const submitted of others) known.set(submitted.run, submitted);
  return runs.map((listed) => {
    const description = known.get(listed.run)?.description;
    // The server lists a run as open for a moment after it has closed.
    const waits = listed.ended_at === null ? lacking?.get(listed.run)?.waits : undefined;
    const away = listed.ended_at === null ? lost.get(listed.run) : undefined;
    return {
      ...listed,
      ...(description === undefined ? {} : { description }),
      ...(waits === undefined ? {} : { waits_for: waits }),
      ...(away === undefined ? {} : { lost: away }),
    };
  });
}

/** What open runs wait for that no worker meets, by root run; nothing where nobody can be asked. */
export async function listLacking(session: Session): Promise<Map<string, Lacking>> {
  return (await readExecutions(session, { also: lackingOf(session) }))?.also ?? new Map();
}

function lackingOf({ store }: Session): AlsoRead<Map<string, Lacking>> {
  return (link, executions) => lackingWorkers(link, store, executions);
}

/** The runs that were submitted here and have left no record of their end. */
export async function listOpen(store: Pick<Store, 'listUnrecorded'>): Promise<ListedRun[]> {
  return openOf(await store.listUnrecorded());
}

function openOf(unrecorded: SubmittedRun[]): ListedRun[] {
  return unrecorded.map(({ run, definition, rehearsal, submitted_by, submitted_at }) => ({
    ...{ run, definition, rehearsal, submitted_by },
    status: 'open',
    usd: null,
    started_at: submitted_at,
    ended_at: null,
  }));
}

/** What else is read of the runs that were found, through the same link. */
type AlsoRead<T> = (link: TemporalLink, executions: Execution[]) => Promise<T>;

interface Asked<T> {
  /** Root runs that have ended are read too. */
  ends?: WantedEnds;
  /** Root runs that have left no record, the latest first, where those count that the server does not list yet. */
  unrecorded?: () => Promise<string[]>;
  also: AlsoRead<T>;
}

/** What the server told. */
interface Told<T> {
  executions: Execution[];
  /** How many have ended and left no record, beside those. */
  unread: number;
  also: T | null;
}

const NOTHING_TOLD: Told<never> = { executions: [], unread: 0, also: null };

/** Open runs, and what else is asked for; null when a server may know runs but is not running. */
async function readExecutions<T>(
  session: Session,
  { ends, unrecorded = async () => [], also }: Asked<T>,
): Promise<Told<T> | null> {
  if (!session.mayKnowRuns()) return NOTHING_TOLD;
  let link: TemporalLink;
  try {
    link = await session.connect({ start: false });
  } catch (error) {
    if (error instanceof Error && error.name === 'UnavailableError' && !session.isElsewhere) return null;
    throw error;
  }
  try {
    const open = ownRuns(await listExecutions(link, OPEN_QUERY), link, session.store);
    // After those that are open: one that ends meanwhile is in both, and not in none.
    const ended = ends === undefined ? { found: [], unread: 0 } : await readEnded(link, ends);
    // Another id was given by another program, and no store and no command takes it.
    const found = [...open, ...ownRuns(ended.found, link, session.store)].filter(({ workflowId }) =>
      RUN_ID.test(rootOf(workflowId)),
    );
    const executions = ownRuns(await asOfNow(link, lastLinks(found), await unrecorded()), link, session.store);
    return { executions, unread: ended.unread, also: await also(link, executions) };
  } finally {
    await link.close();
  }
}

/**
 * Of each run the last of its Temporal runs: one that has continued as new is a chain of them (I12). The others stay in
 * the list for as long as the server keeps them, and for a moment as running.
 */
export function lastLinks<T extends Pick<Execution, 'workflowId' | 'startTime' | 'status'>>(executions: T[]): T[] {
  const last = new Map<string, T>();
  for (const execution of executions) {
    const known = last.get(execution.workflowId);
    if (known === undefined || isAfter(execution, known)) last.set(execution.workflowId, execution);
  }
  return [...last.values()];
}

type Begun = Pick<Execution, 'startTime' | 'status'>;

/** A chain's last link has not continued; only a clock that was set back begins it before another. */
function isAfter(one: Begun, other: Begun): boolean {
  const [isLast, wasLast] = [one, other].map(({ status }) => status.name !== 'CONTINUED_AS_NEW');
  return isLast === wasLast ? one.startTime > other.startTime : isLast === true;
}

function pausedIn(executions: Execution[]): PausedRun[] {
  const paused = executions
    .filter(({ status }) => status.name === 'RUNNING')
    .flatMap(({ workflowId, memo }) => {
      const pause = pauseIn(memo);
      return pause === null ? [] : [{ ...pause, run: workflowId }];
    });
  return paused.sort((a, b) => (a.since < b.since ? -1 : 1));
}

function gatesOf({ workflowId, status, memo }: Execution): OpenGate[] {
  if (status.name !== 'RUNNING') return [];
  return gatesIn(memo).map((gate) => ({ address: `${rootOf(workflowId)}/${gate.path}`, owner: workflowId, gate }));
}

function fromRecord({
  run,
  plan_name,
  status,
  rehearsal,
  submitted_by,
  spend,
  started_at,
  ended_at,
}: RunRecord): ListedRun {
  return { run, definition: plan_name, status, rehearsal, submitted_by, usd: spend.usd, started_at, ended_at };
}

const ENDS: Record<string, RunStatus> = {
  COMPLETED: 'success',
  FAILED: 'error',
  CANCELLED: 'cancelled',
  TERMINATED: 'cancelled',
  TIMED_OUT: 'timeout',
};

/** How one ended that left no record; null where it has not. To the server, one that ended in part has completed. */
function endIn({ status, typedSearchAttributes }: Execution): RunStatus | null {
  const end = ENDS[status.name] ?? null;
  return end === 'success' && typedSearchAttributes.get(STATUS) === 'partial' ? 'partial' : end;
}

function fromExecution(execution: Execution, waits: boolean): ListedRun {
  const { workflowId, memo, startTime, closeTime } = execution;
  const submitter = memo?.[MEMO.submittedBy];
  const definition = memo?.[MEMO.definition];
  return {
    run: workflowId,
    definition: typeof definition === 'string' ? definition : '',
    status: endIn(execution) ?? (pauseIn(memo) !== null ? 'paused' : waits ? 'waiting' : 'running'),
    rehearsal: memo?.[MEMO.rehearsal] === true,
    submitted_by: typeof submitter === 'string' ? submitter : null,
    usd: null,
    started_at: submittedBefore(startTime, memo?.[MEMO.submittedAt]),
    ended_at: closeTime?.toISOString() ?? null,
  };
}

/** When a run began: before this Temporal run, if it has continued as new. A memo may hold anything. */
function submittedBefore(startTime: Date, submitted: unknown): string {
  const at = typeof submitted === 'string' ? Date.parse(submitted) : NaN;
  return (at < startTime.getTime() ? new Date(at) : startTime).toISOString();
}
