import { hash } from 'node:crypto';
import { Context } from '@temporalio/activity';
import type { Plan } from '../../plan/plan.js';
import type { BegunRun, PreparedRun } from '../../plan/triggers/start.js';
import type { JsonObject } from '../../plan/values/json.js';
import { isObject } from '../../plan/values/json.js';
import type { Value } from '../../plan/values/value.js';
import { isStored } from '../../plan/values/value.js';
import { locate } from '../../store/folders/places.js';
import type { Store } from '../../store/store.js';
import { CARRY_HINT, carryFault } from '../../store/worktrees/carried.js';
import { mainPlace } from '../../store/worktrees/places.js';
import type { Activities } from '../contract.js';
import type { Dependencies } from '../dependencies.js';
import { stepFailure } from '../failures.js';
import { runIdOf } from '../../plan/run-id.js';
import { foldersFault, worksInFolder } from '../runs/one-folder.js';
import { attributesOf, detailsOf, inWorkTree, memoOf, summaryOf, toRunInput } from '../runs/run-start.js';
import { serverIdOf } from '../runs/server-id.js';
import { TOLD, storeContext } from '../runs/told-context.js';
import { givenInput } from './event-input.js';
import { noteNotBegun } from './not-begun.js';

/**
 * Does for a run that nobody submits what a command does for one before it starts it: gives it an id and its input, and
 * writes down what is known of it. The same starter begins the same run, however often it is asked.
 */
export function createBeginRun({ store, notesServer }: Dependencies): Activities['beginRun'] {
  return async ({ prepared: ref, starter, event: happened }) => {
    // `schedules sync` and its like put nothing else there
    const prepared = (await store.get(ref)) as unknown as PreparedRun;
    const plan = await store.getPlan(prepared.plan);
    const run = runIdOf(plan.name, hash('sha256', starter, 'buffer'));
    if ((await store.readRun(run)) !== null) return { run, joined: true };
    const event = await eventOf(happened, store);
    const description = descriptionOf(event);
    const refuse = async (why: string): Promise<never> => {
      await noteNotBegun(run, why, { prepared, plan, description, store });
      throw stepFailure('value-invalid', why);
    };
    const read = await givenInput(prepared, { plan, event, store });
    if ('fault' in read) return refuse(read.fault);
    const given = read.input;
    const settings = await settingsFor(prepared, { plan, run, given, store });
    const torn = await foldersFault(plan, settings, store);
    if (torn !== null) return refuse(torn);
    const { worktree } = settings;
    const large = worktree?.travels === undefined ? null : carryFault(locate(store, worktree.project), worktree);
    if (large !== null) return refuse(`${large} ${CARRY_HINT}`);
    const values: Record<string, Value> = {};
    for (const [name, value] of Object.entries(given)) values[name] = await store.put(value);
    for (const file of prepared.files) await store.noteUse(file, run);
    await store.noteSubmitted({
      run,
      definition: plan.name,
      description,
      rehearsal: settings.rehearsal,
      submitted_by: settings.submitted_by,
      submitted_at: new Date().toISOString(),
      ...(worktree?.from === undefined ? {} : { after: worktree.from }),
      ...(notesServer ? { server: await serverIdOf(Context.current().client) } : {}),
      ...(worksInFolder(plan, settings, store) ? { in_folder: true } : {}),
      ...(prepared.kept === undefined ? {} : { kept: prepared.kept }),
    });
    const begun: BegunRun = {
      run,
      input: toRunInput(plan, values, settings),
      summary: summaryOf(plan, settings.rehearsal, description),
      details: detailsOf(settings, run),
      memo: memoOf(plan, values, { settings, storeId: store.id }),
      ...(settings.search_attributes ? { attributes: attributesOf(plan, run, settings) } : {}),
    };
    return begun;
  };
}

/** What holds for the run, with the files as it finds them and what its agents are told. */
async function settingsFor(
  { settings: settled, snapshot, memories }: PreparedRun,
  { plan, run, given, store }: { plan: Plan; run: string; given: JsonObject; store: Store },
): Promise<PreparedRun['settings']> {
  const root = locate(store, settled.workspace);
  const most = { ...TOLD, memories };
  const told = await storeContext({ plan, input: given, root, session: null, most }, store);
  // As the run found them, who asks again must not change.
  if (snapshot && (await store.snapshotOf(run, 'start')) === null) await store.keepSnapshot(run, 'start', root);
  const trace = settled.trace === undefined ? {} : { trace: { id: hash('sha256', `trace ${run}`).slice(0, 32) } };
  return inWorkTree({ ...settled, ...trace, ...told }, plan, {
    main: mainPlace(run),
    travels: store.homes !== null,
  });
}

async function eventOf(event: Value, store: Store): Promise<JsonObject> {
  const value = isStored(event) ? await store.get(event.ref) : event.value;
  return isObject(value) ? value : {};
}

/** In a few words: by what it was started. */
function descriptionOf({ id, time, run }: JsonObject): string {
  if (run !== undefined) return `after ${String(run)}`;
  const at = `${String(time).slice(0, 19).replace('T', ' ')} UTC`;
  return id === undefined ? `by schedule, for ${at}` : `by webhook, at ${at}`;
}
