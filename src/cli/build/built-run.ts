import type { JsonObject } from '../../plan/values/json.js';
import { isObject } from '../../plan/values/json.js';
import type { Plan } from '../../plan/plan.js';
import type { RunRecord } from '../../plan/result.js';
import type { Store } from '../../store/store.js';
import type { CliError } from '../exit-codes.js';
import { refusal, usageError } from '../exit-codes.js';
import { specOfPlan } from '../observe/build-spec.js';
import { findRun } from '../observe/find-run.js';
import { withoutRecord } from '../observe/unrecorded.js';
import { isClosed, rootOf } from '../observe/view/view.js';
import type { Session } from '../session.js';
import { openSession } from '../session.js';
import type { Terminal } from '../terminal.js';
import { shellCommand } from '../../plan/text/shell-command.js';

/** A run that has built something, and where it is kept. */
export interface BuiltRun extends Pick<Session, 'store' | 'project'> {
  /** Of the run that was named, and of the build: these are two where that run has mended a build. */
  record: RunRecord;
  build: RunRecord;
  /** Of the build. */
  plan: Plan;
  spec: JsonObject;
}

/**
 * The run of a build spec by its name, or by that of a run that has mended it. Throws where there is none, where it
 * built nothing, and with `there` as what to do where its store is elsewhere.
 */
export async function openBuiltRun(run: string, asked: Asked, terminal: Terminal): Promise<BuiltRun> {
  return builtRunIn(await openStoreOf(run, asked, terminal), run);
}

/** The same in a session that is open. */
export async function builtRunIn(session: Session, run: string): Promise<BuiltRun> {
  const { store, project } = session;
  const record = (await store.readRun(run)) ?? (await requireEnded(run, session));
  const found = await buildOf(record, store);
  if (found === null) throw builtNothing(run);
  return { store, project, record, ...found };
}

/** The record of a run that has none yet. Throws where there is no such run, and where it goes on. */
async function requireEnded(run: string, session: Session): Promise<RunRecord> {
  const { view, link } = await findRun(run, session);
  await link?.close();
  const record = await session.store.readRun(run); // it may have ended meanwhile
  if (record !== null) return record;
  if (isClosed(view.status) && view.path === '') throw withoutRecord(view);
  throw rootOf(run) === run
    ? refusal(`\`${run}\` has not ended.`, `Follow it with \`${shellCommand('perdure watch', [run])}\`.`)
    : builtNothing(run);
}

/** Which store is looked into, and what to do where that is elsewhere. */
interface Asked {
  taskQueue: string | null;
  there: string;
}

/** The session whose store has what a run built; throws where that is elsewhere. */
export async function openStoreOf(run: string, { taskQueue, there }: Asked, terminal: Terminal): Promise<Session> {
  const session = await openSession(terminal, { taskQueue, lookOnly: true });
  if (session.elsewhere === null) return session;
  throw usageError(`What run \`${run}\` built is in the store \`${session.store.id}\`, which is elsewhere.`, there);
}

/** The refusal of a run that is none of a build spec. */
export function builtNothing(run: string): CliError {
  return usageError(
    `The run \`${run}\` built nothing: it is no run of a build spec.`,
    '`perdure list` shows the runs that are known here.',
  );
}

/** The build that a run was, or has mended; null where there is none. */
async function buildOf(record: RunRecord, store: Store): Promise<Pick<BuiltRun, 'build' | 'plan' | 'spec'> | null> {
  const plan = await store.getPlan(record.plan);
  const spec = await specOfPlan(plan, store);
  if (isObject(spec)) return { build: record, plan, spec };
  const before = await mendedBy(plan, store);
  return before === null ? null : buildOf(before, store);
}

/** Tells whether a run of this Plan builds something, or mends what another has built. */
export async function isBuild(plan: Plan, store: Store): Promise<boolean> {
  if (isObject(await specOfPlan(plan, store))) return true;
  const before = await mendedBy(plan, store);
  return before !== null && (await buildOf(before, store)) !== null;
}

/** The run whose work a run of this Plan goes on with; null for none. */
async function mendedBy({ workspace }: Plan, store: Store): Promise<RunRecord | null> {
  return workspace?.from === undefined ? null : store.readRun(workspace.from);
}
