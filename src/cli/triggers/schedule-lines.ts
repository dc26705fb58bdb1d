import { formatAge } from '../text/format.js';
import { safeLine, safeName } from '../text/safe-text.js';
import type { Palette } from '../text/colors.js';
import type { Drift, ListedSchedule } from './list-schedules.js';
import { followText } from '../../plan/triggers/follow.js';
import type { TriggerChanges } from './run-sync.js';

/** What `schedules sync` does, a line for each: made, changed, removed, left alone. */
export function changeLines({ schedules, followers }: TriggerChanges): string[] {
  const { created, changed, removed, others, same } = schedules;
  const written = (schedule: { written: string[]; zone: string }): string =>
    `${schedule.written.join('; ')} (${schedule.zone})`;
  return [
    ...created.map(({ definition, schedule }) => line('+', definition.name, written(schedule))),
    ...changed.map(({ wanted }) => line('~', wanted.definition.name, written(wanted.schedule))),
    ...removed.map(({ name }) => line('-', name, 'no definition has it')),
    ...same.map((name) => line('=', name, 'as it is')),
    ...others.map(({ name, call }) => line('·', name, ofOther(call.schedule))),
    ...followers.created.map(({ definition, follow }) => line('+', definition.name, followText(follow))),
    ...followers.changed.map(({ definition, follow }) => line('~', definition.name, followText(follow))),
    ...followers.removed.map(({ definition }) => line('-', definition, 'no definition has it')),
    ...followers.same.map((name) => line('=', name, 'as it is')),
    ...followers.others.map((one) => line('·', one.definition, ofOther(one))),
  ];
}

function ofOther({ project }: { project: string }): string {
  return `is of another project, ${project}`;
}

function line(mark: string, name: string, what: string): string {
  return `${mark} ${safeName(name)}  ${safeLine(what)}`;
}

const DRIFTS: Record<Drift, string> = {
  new: 'not in the server yet: perdure schedules sync',
  changed: 'the definition has changed since: perdure schedules sync',
  removed: 'no definition has it any more: perdure schedules sync',
  other: 'is of another project with the same store',
  broken: 'the definition has problems: perdure validate',
  resealed: 'not encrypted with the first key yet: perdure schedules sync',
  sealed: 'encrypted with a key that is not here: add it to `encryption.keys`, or remove the schedule',
};

/** Schedules as people read them: when, how it stands, what ran last; below, how it differs from its definition. */
export function scheduleLines(listed: ListedSchedule[], { now, palette }: { now: number; palette: Palette }): string[] {
  return listed.flatMap((one) => {
    const { kind, name, schedule, zone, state, note, drift, skipped, missed } = one;
    const inZone = kind === 'run' ? '' : ` (${zone ?? 'UTC'})`;
    const when = schedule.length === 0 ? '' : `  ${safeLine(`${schedule.join('; ')}${inZone}`)}`;
    const counts = [
      ...(skipped === 0 ? [] : [`${skipped} skipped while a run was open`]),
      ...(missed === 0 ? [] : [`${missed} missed`]),
    ];
    const details = [
      ...(note === null ? [] : [note]),
      ...(drift === null ? [] : [DRIFTS[drift]]),
      [...nextOf(one), ...lastOf(one, now), ...counts].join(' · '),
    ].filter((text) => text !== '');
    return [
      `${markOf(one, palette)} ${palette.bold(safeName(name))}${when}  ${state}`,
      ...details.map((text) => `    ${palette.dim(safeLine(text))}`),
    ];
  });
}

function markOf({ state, drift }: ListedSchedule, { tone }: Palette): string {
  if (drift !== null && drift !== 'other') return tone('attention', '!');
  return state === 'active' ? tone('good', '✓') : state === 'paused' ? tone('attention', '‖') : tone('quiet', '·');
}

function nextOf({ next, state }: ListedSchedule): string[] {
  const [first] = next;
  return first === undefined || state !== 'active' ? [] : [`next ${first.slice(0, 19).replace('T', ' ')} UTC`];
}

function lastOf({ recent }: ListedSchedule, now: number): string[] {
  const [last] = recent;
  return last === undefined ? [] : [`last ${last.run}, ${formatAge(last.due, now)}`];
}
