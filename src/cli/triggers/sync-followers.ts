import type { Follow, Follower } from '../../plan/triggers/follow.js';
import type { PreparedRun } from '../../plan/triggers/start.js';
import type { Hash } from '../../plan/values/value.js';
import { StoreFailure } from '../../store/store-failure.js';
import type { Store } from '../../store/store.js';
import type { Session } from '../session.js';
import type { ServerAttributes } from '../submit/start-run.js';
import type { Terminal } from '../terminal.js';
import { prepareTrigger, settledHash, sourceHash, storePrepared } from './prepare-trigger.js';
import { partOwn, projectMark, requireOwn } from './trigger-owner.js';
import type { TriggeredDefinition } from './triggered-definitions.js';

/** A definition with `on: run`, settled. */
interface WantedFollower {
  definition: TriggeredDefinition;
  follow: Follow;
  prepared: PreparedRun;
  project: string;
  source: Hash;
  settled: Hash;
}

/** What makes the followers of the store equal to the definitions. */
export interface FollowerChanges {
  created: WantedFollower[];
  changed: WantedFollower[];
  removed: Follower[];
  /** What other projects have synced: it is left alone. */
  others: Follower[];
  same: string[];
}

/** Those that were synced before; none where what is known of them is damaged, which is written anew then. */
export async function knownFollowers(store: Pick<Store, 'readFollowers'>): Promise<Follower[]> {
  try {
    return await store.readFollowers();
  } catch (error) {
    if (error instanceof StoreFailure && error.type === 'store-missing') return [];
    throw error;
  }
}

/** Settles every `on: run` of the definitions, and says what differs, as `planChanges` does. */
export async function planFollowers(
  definitions: TriggeredDefinition[],
  there: Follower[],
  session: Session,
  how: { by: string; attributes: ServerAttributes; terminal: Terminal },
): Promise<FollowerChanges> {
  const changes: FollowerChanges = { created: [], changed: [], removed: [], others: [], same: [] };
  const project = projectMark(session);
  const names = new Set<string>();
  for (const definition of definitions) {
    const { follow } = definition.compiled.triggers;
    if (follow === undefined) continue;
    names.add(definition.name);
    const prepared = await prepareTrigger(definition, follow.inputs, session, how);
    const settled = settledHash(prepared);
    const source = sourceHash(definition, 'follow');
    const wanted = { definition, follow, prepared, project, source, settled };
    const known = there.find((one) => one.definition === definition.name);
    requireOwn(definition.name, known, project);
    if (known === undefined) changes.created.push(wanted);
    else if (known.source === source && known.settled === settled && known.file === definition.file)
      changes.same.push(definition.name);
    else changes.changed.push(wanted);
  }
  const gone = there.filter(({ definition }) => !names.has(definition));
  return { ...changes, ...partOwn(gone, (one) => one, project) };
}

/**
 * Carries the changes out, all in one write: what a run is started with is in the store before. One that was paused
 * stays so.
 */
export async function applyFollowers(
  { created, changed, removed }: FollowerChanges,
  there: Follower[],
  store: Store,
): Promise<void> {
  if (created.length + changed.length + removed.length === 0) return;
  const gone = new Set(removed.map(({ definition }) => definition));
  const followers = new Map(there.filter((one) => !gone.has(one.definition)).map((one) => [one.definition, one]));
  for (const { definition, follow, prepared, project, source, settled } of [...created, ...changed]) {
    const { definitions, ends, when } = follow;
    const { name, file } = definition;
    const paused = followers.get(name)?.paused;
    followers.set(name, {
      ...{ definition: name, file, project, definitions, ends, when, source, settled },
      prepared: await storePrepared(prepared, definition, store),
      ...(paused === undefined ? {} : { paused }),
    });
  }
  await store.writeFollowers([...followers.values()]);
}
