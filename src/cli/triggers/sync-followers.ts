import type { Follow, Follower, FollowersChange } from '../../plan/triggers/follow.js';
import type { PreparedRun } from '../../plan/triggers/start.js';
import type { Hash } from '../../plan/values/value.js';
import { soundFollowers } from '../../store/records/follower-files.js';
import type { Store } from '../../store/store.js';
import type { Session } from '../session.js';
import { projectMark } from '../submit/project-mark.js';
import type { ServerAttributes } from '../submit/start-run.js';
import type { Terminal } from '../terminal.js';
import { prepareTrigger, settledHash, sourceHash, storePrepared } from './prepare-trigger.js';
import { partOwn, requireOwn } from './trigger-owner.js';
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
export function knownFollowers(store: Pick<Store, 'readFollowers'>): Promise<Follower[]> {
  return soundFollowers(() => store.readFollowers());
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
 * stays so. Throws a usage error where another project has synced one of the names meanwhile.
 */
export async function applyFollowers({ created, changed, removed }: FollowerChanges, store: Store): Promise<void> {
  if (created.length + changed.length + removed.length === 0) return;
  const put: NonNullable<FollowersChange['put']> = [];
  for (const { definition, follow, prepared, project, source, settled } of [...created, ...changed]) {
    const { definitions, ends, when } = follow;
    const { name, file } = definition;
    put.push({
      ...{ definition: name, file, project, definitions, ends, when, source, settled },
      prepared: await storePrepared(prepared, definition, store),
    });
  }
  const remove = removed.map(({ definition, project }) => ({ definition, project }));
  const now = await store.changeFollowers({ put, remove });
  for (const { definition, project } of put)
    requireOwn(
      definition,
      now.find((one) => one.definition === definition),
      project,
    );
}
