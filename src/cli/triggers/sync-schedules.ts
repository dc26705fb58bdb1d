import type { ScheduleDescription } from '@temporalio/client';
import { ScheduleAlreadyRunning } from '@temporalio/client';
import type { Schedule } from '../../plan/triggers/schedule.js';
import type { PreparedRun, ScheduledCall } from '../../plan/triggers/start.js';
import { canonicalJson } from '../../plan/values/json.js';
import type { TemporalLink } from '../../workers/link/temporal-link.js';
import { scheduleId } from '../../workers/connection/list-schedules.js';
import { usageError } from '../exit-codes.js';
import type { Session } from '../session.js';
import { projectMark } from '../submit/project-mark.js';
import type { ServerAttributes } from '../submit/start-run.js';
import type { Terminal } from '../terminal.js';
import { prepareTrigger, settledHash, sourceHash, storePrepared } from './prepare-trigger.js';
import { scheduleOptions } from './schedule-options.js';
import { openNote, sealNote } from './schedule-note.js';
import type { ServerSchedule, ServerSchedules } from './server-schedules.js';
import { requireOpened } from './server-schedules.js';
import { partOwn, requireOwn } from './trigger-owner.js';
import type { TriggeredDefinition } from './triggered-definitions.js';

/** A schedule as its definition has it, settled. */
interface WantedSchedule {
  definition: TriggeredDefinition;
  schedule: Schedule;
  prepared: PreparedRun;
  identity: ScheduledCall['schedule'];
}

/** What makes the server's schedules equal to the definitions. */
export interface ScheduleChanges {
  created: WantedSchedule[];
  changed: { wanted: WantedSchedule; there: ServerSchedule }[];
  removed: ServerSchedule[];
  /** What other projects have synced: it is left alone. */
  others: ServerSchedule[];
  same: string[];
}

/**
 * Settles every schedule of the definitions, and says what differs, also by what it is encrypted with: `key` writes
 * now, null none. Nothing is changed or stored. Throws a usage error where one would take the place of another
 * project's, and a KeyError where nobody here can tell.
 */
export async function planChanges(
  definitions: TriggeredDefinition[],
  { there, sealed }: ServerSchedules,
  session: Session,
  how: { by: string; attributes: ServerAttributes; terminal: Terminal; key: string | null },
): Promise<ScheduleChanges> {
  const changes: ScheduleChanges = { created: [], changed: [], removed: [], others: [], same: [] };
  const project = projectMark(session);
  const names = new Set<string>();
  for (const definition of definitions) {
    const { schedule } = definition.compiled.triggers;
    if (schedule === undefined) continue;
    names.add(definition.name);
    const closed = sealed.get(definition.name);
    if (closed !== undefined) requireOpened(closed);
    const wanted = await settleSchedule(definition, schedule, session, how);
    const known = there.get(definition.name);
    requireOwn(definition.name, known?.call.schedule, project);
    if (known === undefined) changes.created.push(wanted);
    else if (known.key === how.key && canonicalJson({ ...known.call.schedule }) === canonicalJson(wanted.identity))
      changes.same.push(definition.name);
    else changes.changed.push({ wanted, there: known });
  }
  const gone = [...there.values()].filter(({ name }) => !names.has(name));
  return { ...changes, ...partOwn(gone, ({ call }) => call.schedule, project) };
}

async function settleSchedule(
  definition: TriggeredDefinition,
  schedule: Schedule,
  session: Session,
  how: { by: string; attributes: ServerAttributes; terminal: Terminal },
): Promise<WantedSchedule> {
  const prepared = await prepareTrigger(definition, schedule.inputs, session, how);
  const identity = {
    definition: definition.name,
    file: definition.file,
    project: projectMark(session),
    source: sourceHash(definition, 'schedule'),
    settled: settledHash(prepared),
  };
  return { definition, schedule, prepared, identity };
}

/**
 * Carries the changes out. What a schedule starts is in the store before the schedule is in the server. A schedule that
 * was paused stays so. Cut short, it is done by the next time.
 */
export async function applyChanges(
  { created, changed, removed }: ScheduleChanges,
  link: TemporalLink,
  { store }: Pick<Session, 'store'>,
): Promise<void> {
  const place = { store, taskQueue: link.taskQueue };
  for (const wanted of created) {
    const options = scheduleOptions(wanted.schedule, await callOf(wanted, store), place);
    const scheduleAt = scheduleId(store, wanted.definition.name);
    await link.client.schedule.create({ scheduleId: scheduleAt, ...options }).catch(async (error: unknown) => {
      // Two that sync at once.
      if (!(error instanceof ScheduleAlreadyRunning)) throw toldOf(error, wanted);
      await link.client.schedule.getHandle(scheduleAt).update((before) => {
        const [call] = (before.action.args ?? []) as (ScheduledCall | undefined)[]; // our id: a sync made it
        requireOwn(wanted.definition.name, call?.schedule, wanted.identity.project);
        return { ...options, state: stateOf(before, link) };
      });
    });
  }
  for (const { wanted, there } of changed) {
    const options = scheduleOptions(wanted.schedule, await callOf(wanted, store), place);
    await there.handle
      .update((before) => ({ ...options, state: stateOf(before, link) }))
      .catch((error: unknown) => {
        throw toldOf(error, wanted);
      });
  }
  for (const { handle } of removed) await handle.delete();
}

/** How a schedule stands, with its note encrypted as all of it is now. */
function stateOf({ state }: ScheduleDescription, { keys }: TemporalLink): ScheduleDescription['state'] {
  return state.note === undefined ? state : { ...state, note: sealNote(openNote(state.note, keys), keys) };
}

/** A usage error where the server does not take a schedule as it is: it may know fewer zones. Else the error itself. */
function toldOf(error: unknown, { definition: { name, file } }: WantedSchedule): unknown {
  // The SDK makes one of an invalid argument.
  if (!(error instanceof TypeError)) return error;
  return usageError(
    `The server does not take the schedule of \`${name}\`: ${error.message}.`,
    `It stands in ${file}, under \`schedule\`. Mended, \`perdure schedules sync\` does what is left.`,
  );
}

async function callOf(
  { definition, prepared, identity }: WantedSchedule,
  store: Session['store'],
): Promise<ScheduledCall> {
  return { prepared: await storePrepared(prepared, definition, store), schedule: identity };
}
