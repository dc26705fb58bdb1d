import type { JsonObject } from '../../plan/values/json.js';
import { isObject } from '../../plan/values/json.js';
import type { Plan } from '../../plan/plan.js';
import type { RunRecord } from '../../plan/result.js';
import type { Store } from '../../store/store.js';
import { usageError } from '../exit-codes.js';
import { specOfPlan } from '../observe/build-spec.js';
import type { Session } from '../session.js';
import { openSession, unknownRun } from '../session.js';
import type { Terminal } from '../terminal.js';

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
export async function openBuiltRun(
  run: string,
  { taskQueue, there }: { taskQueue: string | null; there: string },
  terminal: Terminal,
): Promise<BuiltRun> {
  const { store, project, elsewhere } = await openSession(terminal, { taskQueue, lookOnly: true });
  if (elsewhere !== null)
    throw usageError(`What run \`${run}\` built is in the store \`${store.id}\`, which is elsewhere.`, there);
  const record = await store.readRun(run);
  if (record === null) throw unknownRun(run);
  const found = await buildOf(record, store);
  if (found === null)
    throw usageError(
      `The run \`${run}\` built nothing: it is no run of a build spec.`,
      '`perdure list` shows the runs that are known here.',
    );
  return { store, project, record, ...found };
}

/** The build that a run was, or has mended; null where there is none. */
async function buildOf(record: RunRecord, store: Store): Promise<Pick<BuiltRun, 'build' | 'plan' | 'spec'> | null> {
  const plan = await store.getPlan(record.plan);
  const spec = await specOfPlan(plan, store);
  if (isObject(spec)) return { build: record, plan, spec };
  const from = plan.workspace?.from;
  const before = from === undefined ? null : await store.readRun(from);
  return before === null ? null : buildOf(before, store);
}
