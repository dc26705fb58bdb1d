import { hash } from 'node:crypto';
import { runIdOf } from '../../plan/run-id.js';
import type { Follower } from '../../plan/triggers/follow.js';
import { followText } from '../../plan/triggers/follow.js';
import type { TemporalLink } from '../../workers/link/temporal-link.js';
import type { Session, Workspace } from '../session.js';
import { projectMark } from '../submit/project-mark.js';
import type { Terminal } from '../terminal.js';
import type { ServerSchedule } from './server-schedules.js';
import { serverSchedules } from './server-schedules.js';
import { knownFollowers } from './sync-followers.js';
import { sourceHash } from './prepare-trigger.js';
import type { BrokenDefinition, TriggeredDefinition } from './triggered-definitions.js';
import { triggeredDefinitions } from './triggered-definitions.js';

/** How the server's schedule differs from its definition; null where it does not. */
export type Drift = 'new' | 'changed' | 'removed' | 'other' | 'broken';

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
  const followers = session === null ? [] : await knownFollowers(session.store);
  const project = session === null ? null : projectMark(session);
  // Where nothing was ever run there is no server that could have one.
  const there =
    session === null
      ? new Map<string, ServerSchedule>()
      : link === null
        ? null
        : await serverSchedules(link, session.store);
  const listed = definitions.flatMap((definition): ListedSchedule[] => {
    const { schedule } = definition.compiled.triggers;
    if (schedule === undefined) return [];
    const known = there?.get(definition.name);
    const drift =
      there === null
        ? null
        : known === undefined
          ? 'new'
          : isChanged(known, sourceHash(definition, 'schedule'))
            ? 'changed'
            : null;
    const { name, file } = definition;
    const { written, zone, overlap } = schedule;
    return [
      { kind: 'schedule', name, file, schedule: written, zone, overlap, drift, ...stateOf(known, there !== null) },
    ];
  });
  const named = new Set(listed.map(({ name }) => name));
  for (const { name, file } of broken) {
    const known = there?.get(name);
    if (named.has(name) || (known === undefined && followers.some((one) => one.definition === name))) continue;
    named.add(name);
    listed.push({
      kind: 'schedule',
      name,
      file,
      schedule: [],
      zone: null,
      overlap: null,
      drift: 'broken',
      ...stateOf(known, there !== null),
    });
  }
  for (const known of there?.values() ?? []) {
    if (named.has(known.name)) continue;
    const { file } = known.call.schedule;
    const isOwn = known.call.schedule.project === project;
    listed.push({
      kind: 'schedule',
      name: known.name,
      file,
      schedule: [],
      zone: null,
      overlap: null,
      drift: isOwn ? 'removed' : 'other',
      ...stateOf(known, true),
    });
  }
  listed.push(...listedFollowers({ definitions, broken }, followers, project));
  return listed.sort((a, b) => (a.name < b.name ? -1 : 1));
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

function isChanged({ call }: ServerSchedule, source: string): boolean {
  return call.schedule.source !== source;
}

function stateOf(
  known: ServerSchedule | undefined,
  isAsked: boolean,
): Pick<ListedSchedule, 'state' | 'note' | 'next' | 'recent' | 'skipped' | 'missed'> {
  if (known === undefined)
    return { state: isAsked ? 'absent' : 'unknown', note: null, next: [], recent: [], skipped: 0, missed: 0 };
  const { state, info } = known.description;
  return {
    state: state.paused ? 'paused' : info.nextActionTimes.length === 0 ? 'ended' : 'active',
    note: state.paused && state.note !== undefined && state.note !== '' ? state.note : null,
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
