import { hash } from 'node:crypto';
import { runIdOf } from '../../plan/run-id.js';
import type { Follower } from '../../plan/triggers/follow.js';
import { followText } from '../../plan/triggers/follow.js';
import type { KeyRing } from '../../store/encryption/key-ring.js';
import type { TemporalLink } from '../../workers/link/temporal-link.js';
import type { Session, Workspace } from '../session.js';
import { projectMark } from '../submit/project-mark.js';
import type { Terminal } from '../terminal.js';
import { openNote } from './schedule-note.js';
import type { SealedSchedule, ServerSchedule, ServerSchedules } from './server-schedules.js';
import { serverSchedules } from './server-schedules.js';
import { knownFollowers } from './sync-followers.js';
import { sourceHash } from './prepare-trigger.js';
import type { BrokenDefinition, TriggeredDefinition } from './triggered-definitions.js';
import { triggeredDefinitions } from './triggered-definitions.js';

/** How the server's schedule differs from its definition; null where it does not. */
export type Drift = 'new' | 'changed' | 'removed' | 'other' | 'broken' | 'resealed' | 'sealed';

/** A schedule in a list, or what starts when runs end. */
export interface ListedSchedule {
  kind: 'schedule' | 'run';
  name: string;
  /** From the project's root. */
  file: string;
  /** As it is written; of one that is only in the server, nothing. */
  schedule: string[];
  zone: string | null;
  overlap: string | null;
  /** `unknown`: the server is not there to say. */
  state: 'active' | 'paused' | 'ended' | 'absent' | 'unknown';
  /** Why it was paused, where somebody said so. */
  note: string | null;
  /** Null where it is not known. */
  drift: Drift | null;
  /** When the next runs are due; ISO 8601, UTC. */
  next: string[];
  /** The last runs, the latest first. */
  recent: { run: string; due: string }[];
  /** Starts that were due while a run was open, and before what is made up for. */
  skipped: number;
  missed: number;
}

/** What a list is made of: `known` is null where no server answers, `keys` are those that are here. */
interface Sources {
  definitions: TriggeredDefinition[];
  broken: BrokenDefinition[];
  followers: Follower[];
  project: string | null;
  known: ServerSchedules | null;
  keys: KeyRing | null;
}

/**
 * Every schedule of the definitions and of the server, and what starts when runs end. Starts nothing; `link` is null
 * where no server answers.
 */
export async function listSchedules(
  workspace: Workspace,
  { session, link }: { session: Session | null; link: TemporalLink | null },
  terminal: Terminal,
): Promise<ListedSchedule[]> {
  const { definitions, broken } = await triggeredDefinitions(workspace, terminal);
  const found = { definitions, broken, keys: link?.keys ?? null };
  if (session === null) {
    // Where nothing was ever run there is no server that could have one.
    const known = { there: new Map<string, ServerSchedule>(), sealed: new Map<string, SealedSchedule>() };
    return listOf({ ...found, followers: [], project: null, known });
  }
  return listOf({
    ...found,
    followers: await knownFollowers(session.store),
    project: projectMark(session),
    known: link === null ? null : await serverSchedules(link, session.store),
  });
}

function listOf(sources: Sources): ListedSchedule[] {
  const { definitions, broken, followers, project } = sources;
  const listed = listedDefinitions(sources);
  const named = new Set(listed.map(({ name }) => name));
  for (const one of [...listedBroken(sources), ...listedRest(sources)]) {
    if (named.has(one.name)) continue;
    named.add(one.name);
    listed.push(one);
  }
  listed.push(...listedFollowers({ definitions, broken }, followers, project));
  return listed.sort((a, b) => (a.name < b.name ? -1 : 1));
}

function listedDefinitions({ definitions, known, keys }: Sources): ListedSchedule[] {
  return definitions.flatMap((definition): ListedSchedule[] => {
    const { schedule } = definition.compiled.triggers;
    if (schedule === undefined) return [];
    const { name, file } = definition;
    const { written, zone, overlap } = schedule;
    const drift = known === null ? null : driftOf(definition, known, keys);
    return [
      { kind: 'schedule', name, file, schedule: written, zone, overlap, drift, ...stateOf(name, { known, keys }) },
    ];
  });
}

function listedBroken({ broken, followers, known, keys }: Sources): ListedSchedule[] {
  return broken.flatMap(({ name, file }): ListedSchedule[] =>
    known?.there.has(name) !== true && followers.some((one) => one.definition === name)
      ? []
      : [unwritten({ name, file, drift: 'broken' }, { known, keys })],
  );
}

/** What is only in the server. */
function listedRest({ project, known, keys }: Sources): ListedSchedule[] {
  const { there, sealed }: Pick<ServerSchedules, 'there' | 'sealed'> = known ?? { there: new Map(), sealed: new Map() };
  return [
    ...[...there.values()].map(({ name, call: { schedule } }) => {
      const drift = schedule.project === project ? ('removed' as const) : ('other' as const);
      return unwritten({ name, file: schedule.file, drift }, { known, keys });
    }),
    ...[...sealed.keys()].map((name) => unwritten({ name, file: '', drift: 'sealed' }, { known, keys })),
  ];
}

/** A schedule of which no definition that can be read says when it is due. */
function unwritten(
  one: Pick<ListedSchedule, 'name' | 'file' | 'drift'>,
  from: Pick<Sources, 'known' | 'keys'>,
): ListedSchedule {
  return { kind: 'schedule', schedule: [], zone: null, overlap: null, ...one, ...stateOf(one.name, from) };
}

/** What starts when runs end: those of the definitions, and those that the store alone has. */
function listedFollowers(
  { definitions, broken }: { definitions: TriggeredDefinition[]; broken: BrokenDefinition[] },
  followers: Follower[],
  project: string | null,
): ListedSchedule[] {
  const following = definitions.filter(({ compiled }) => compiled.triggers.follow !== undefined);
  const names = new Set([...following, ...followers.map(({ definition: name }) => ({ name }))].map(({ name }) => name));
  return [...names].flatMap((name): ListedSchedule[] => {
    const definition = following.find((one) => one.name === name);
    const known = followers.find((one) => one.definition === name);
    const said = definition?.compiled.triggers.follow ?? known;
    if (said === undefined) return [];
    const isBroken = definition === undefined && broken.some((one) => one.name === name);
    return [
      {
        kind: 'run',
        name,
        file: definition?.file ?? known?.file ?? '',
        schedule: [followText(said)],
        ...{ zone: null, overlap: null },
        drift: isBroken ? 'broken' : followerDrift(definition, known, project),
        state: known === undefined ? 'absent' : known.paused === undefined ? 'active' : 'paused',
        note: known?.paused ?? null,
        ...{ next: [], recent: [], skipped: 0, missed: 0 },
      },
    ];
  });
}

function followerDrift(
  definition: TriggeredDefinition | undefined,
  known: Follower | undefined,
  project: string | null,
): Drift | null {
  if (definition === undefined) return known?.project === project ? 'removed' : 'other';
  if (known === undefined) return 'new';
  return known.source === sourceHash(definition, 'follow') ? null : 'changed';
}

function driftOf(
  definition: TriggeredDefinition,
  { there, sealed }: ServerSchedules,
  keys: KeyRing | null,
): Drift | null {
  if (sealed.has(definition.name)) return 'sealed';
  const known = there.get(definition.name);
  if (known === undefined) return 'new';
  if (known.call.schedule.source !== sourceHash(definition, 'schedule')) return 'changed';
  return known.key === (keys?.ids[0] ?? null) ? null : 'resealed';
}

function stateOf(
  name: string,
  { known: all, keys }: Pick<Sources, 'known' | 'keys'>,
): Pick<ListedSchedule, 'state' | 'note' | 'next' | 'recent' | 'skipped' | 'missed'> {
  const known = all?.there.get(name);
  if (known === undefined) {
    const isAsked = all !== null && !all.sealed.has(name);
    return { state: isAsked ? 'absent' : 'unknown', note: null, next: [], recent: [], skipped: 0, missed: 0 };
  }
  const { state, info } = known.description;
  return {
    state: state.paused ? 'paused' : info.nextActionTimes.length === 0 ? 'ended' : 'active',
    note: state.paused && state.note !== undefined && state.note !== '' ? openNote(state.note, keys) : null,
    next: info.nextActionTimes.map((time) => time.toISOString()),
    recent: recentRuns(known),
    skipped: info.numActionsSkippedOverlap,
    missed: info.numActionsMissedCatchupWindow,
  };
}

/** The runs that the server remembers to have started by a schedule, the latest first. */
export function recentRuns({
  name,
  description,
}: Pick<ServerSchedule, 'name' | 'description'>): ListedSchedule['recent'] {
  return description.info.recentActions
    .map(({ scheduledAt, action }) => ({
      run: startedRun(name, action.workflow.workflowId),
      due: scheduledAt.toISOString(),
    }))
    .reverse();
}

/** The run that a starter of this id starts, as `beginRun` names it. */
export function startedRun(name: string, starter: string): string {
  return runIdOf(name, hash('sha256', starter, 'buffer'));
}
