import type { CommandSpec, Invocation } from '../command.js';
import { AS_OPTION, JSON_OPTION, checkWords } from '../command.js';
import type { TriggerChanges } from '../triggers/run-sync.js';
import type { TemporalLink } from '../../workers/link/temporal-link.js';
import type { Range } from '../triggers/backfill-schedule.js';
import type { SealedSchedule, ServerSchedule } from '../triggers/server-schedules.js';
import type { FollowerChanges } from '../triggers/sync-followers.js';
import type { ExitCode } from '../exit-codes.js';
import { EXIT, usageError } from '../exit-codes.js';
import { actingName, print, printJson, tell } from '../terminal.js';
import { isDay, isMoment } from '../../plan/text/moment.js';
import { shellCommand } from '../../plan/text/shell-command.js';

const ACTIONS = ['list', 'sync', 'pause', 'resume', 'trigger', 'backfill', 'remove'] as const;
type Action = (typeof ACTIONS)[number];

export const schedules: CommandSpec = {
  name: 'schedules',
  summary: 'runs that start by themselves: list, sync with the definitions, pause, trigger, make up for',
  arguments: [
    { syntax: '<action>', about: 'what to do', choices: [...ACTIONS] },
    { syntax: '[name]', about: 'the definition whose schedule, or `on: run`, is meant' },
  ],
  options: [
    { flags: '--dry-run', about: 'of `sync`: say what would change, and change nothing' },
    { flags: '--note <text>', about: 'of `pause`: why, for people', free: true },
    { flags: '--from <time>', about: 'of `backfill`: start what was due since then; ISO 8601 with its offset' },
    { flags: '--to <time>', about: 'of `backfill`: until then; now by default' },
    { flags: '--all', about: 'of `backfill`: also where more than a hundred were due' },
    AS_OPTION,
    JSON_OPTION,
  ],
  examples: [
    'perdure schedules list',
    'perdure schedules sync --dry-run',
    'perdure schedules pause nightly-report --note "until the migration is done"',
    'perdure schedules trigger nightly-report',
    'perdure schedules backfill nightly-report --from 2026-11-20T00:00:00Z',
  ],
  async run(invocation) {
    const [action, name] = invocation.arguments;
    checkWords('schedules', invocation.arguments, { list: 0, sync: 0 });
    const chosen = ACTIONS.find((one) => one === action) ?? 'list';
    if (chosen === 'list') return list(invocation);
    if (chosen === 'sync') return sync(invocation);
    if (name === undefined || name === '')
      throw usageError(
        `Expected the name of a definition${name === undefined ? '' : ', got an empty text'}.`,
        '`perdure schedules list` has those with a schedule.',
      );
    return actOn(chosen, name, invocation);
  },
};

async function list({ options, terminal }: Invocation): Promise<ExitCode> {
  const { openExisting, openWorkspace } = await import('../session.js');
  const { listSchedules } = await import('../triggers/list-schedules.js');
  const { scheduleLines } = await import('../triggers/schedule-lines.js');
  const { linkTo } = await import('../triggers/server-link.js');
  const workspace = await openWorkspace(terminal);
  const session = await openExisting(terminal, { taskQueue: null, workspace });
  const link = session === null ? null : await linkTo(session);
  try {
    const listed = await listSchedules(workspace, { session, link }, terminal);
    if (options.flag('json')) printJson(terminal, listed);
    else if (listed.length === 0) print(terminal, 'No definition has a `schedule:` or `on: {run: …}`.');
    else print(terminal, ...scheduleLines(listed, { now: Date.now(), palette: terminal.resultPalette }));
    if (session !== null && link === null)
      tell(terminal, 'The server is not running, so nothing starts by itself. `perdure up` keeps it there.');
    return EXIT.success;
  } finally {
    await link?.close();
  }
}

async function sync({ options, terminal }: Invocation): Promise<ExitCode> {
  const { syncSchedules } = await import('../triggers/run-sync.js');
  const { changeLines } = await import('../triggers/schedule-lines.js');
  const dryRun = options.flag('dry-run');
  const json = options.flag('json');
  const by = actingName(options.text('as'));
  const changes = await syncSchedules({ by, dryRun }, terminal, (planned) => {
    if (!json) print(terminal, ...changeLines(planned));
  });
  const names = changedNames(changes);
  if (json) printJson(terminal, names);
  const count = names.created.length + names.changed.length + names.removed.length;
  const { schedules: planned } = changes;
  const there = planned.created.length + planned.changed.length + planned.same.length;
  if (count + names.same.length === 0)
    tell(terminal, 'No definition has a `schedule:` or `on: {run: …}`, and the server has none.');
  else if (count === 0) tell(terminal, 'The server has what the definitions say.');
  else if (dryRun) tell(terminal, 'Nothing was changed.');
  else tell(terminal, `Done.${there === 0 ? '' : ` ${keptBy(changes)}`}`);
  return EXIT.success;
}

/** What has to be there for schedules to be carried out. */
function keptBy({ isElsewhere }: TriggerChanges): string {
  return isElsewhere ? 'Runs begin while a worker is there.' : 'The host stays while there are schedules.';
}

function changedNames({ schedules: planned, followers }: TriggerChanges): Record<keyof FollowerChanges, string[]> {
  const nameOf = ({ definition }: { definition: { name: string } }): string => definition.name;
  return {
    created: [...planned.created, ...followers.created].map(nameOf),
    changed: [...planned.changed.map(({ wanted }) => wanted), ...followers.changed].map(nameOf),
    removed: [...planned.removed.map(({ name }) => name), ...followers.removed.map(({ definition }) => definition)],
    same: [...planned.same, ...followers.same],
    others: [...planned.others.map(({ name }) => name), ...followers.others.map(({ definition }) => definition)],
  };
}

async function actOn(
  action: Exclude<Action, 'list' | 'sync'>,
  name: string,
  { options, terminal }: Invocation,
): Promise<ExitCode> {
  const { withSchedule } = await import('../triggers/named-schedule.js');
  const json = options.flag('json');
  const range = action === 'backfill' ? rangeOf(options.text('from'), options.text('to')) : null;
  const said = `by ${actingName(options.text('as'))}`;
  const note = `${options.text('note') ?? 'paused'} (${said})`;
  const done = (words: string): ExitCode => {
    if (json) printJson(terminal, { name, done: action });
    else tell(terminal, words);
    return EXIT.success;
  };
  const onSchedule = async (known: ServerSchedule | SealedSchedule, link: TemporalLink): Promise<ExitCode> => {
    const { requireOpened } = await import('../triggers/server-schedules.js');
    const { sealNote } = await import('../triggers/schedule-note.js');
    const { handle } = known;
    if (action === 'trigger') {
      const schedule = requireOpened(known);
      const { triggerSchedule } = await import('../triggers/trigger-schedule.js');
      const { run, waits, skipped } = await triggerSchedule(schedule);
      if (json) printJson(terminal, { name, run, waits });
      else if (run !== null) print(terminal, run);
      if (run === null) tell(terminal, waits ? WAITS : skipped ? 'Skipped: a run of it is open.' : LOST);
      return run === null && !waits ? EXIT.ended : EXIT.success;
    }
    if (action === 'pause') await handle.pause(sealNote(note, link.keys));
    if (action === 'resume') await handle.unpause(sealNote(`resumed ${said}`, link.keys));
    if (action === 'remove') await handle.delete();
    if (range !== null) {
      const { backfillSchedule } = await import('../triggers/backfill-schedule.js');
      await backfillSchedule(requireOpened(known), range, { link, all: options.flag('all') });
    }
    return done(DONE[action]);
  };
  return withSchedule(name, terminal, onSchedule, async (follower, store) => {
    const { changeFollower } = await import('../triggers/named-follower.js');
    if (action === 'trigger' || action === 'backfill')
      throw usageError(
        `\`${name}\` starts when runs end: there is nothing to ${action === 'trigger' ? 'trigger' : 'make up for'}.`,
        `Start it yourself: \`${shellCommand('perdure run', [name])}\`.`,
      );
    await changeFollower(follower, action === 'pause' ? { kind: action, note } : { kind: action }, store);
    return done(FOLLOWER_DONE[action]);
  });
}

const WAITS = 'A run of it is open: the next one starts when that has ended.';
const LOST =
  'No run was seen to start within 10 s: look at `perdure list` before you trigger it again. Of two that are ' +
  'triggered in one second the server takes one.';

const DONE: Record<Exclude<Action, 'list' | 'sync' | 'trigger'>, string> = {
  pause: 'Paused. A run that is open goes on.',
  resume: 'Resumed. What was due meanwhile is not made up for; `backfill` does that.',
  backfill: 'Asked for. What has run already is not run again.',
  remove: 'Removed from the server. A run that is open goes on; `sync` makes it anew while a definition has it.',
};

const FOLLOWER_DONE = {
  pause: 'Paused. A run that is open goes on.',
  resume: 'Resumed. What has ended meanwhile is not made up for.',
  remove: 'Removed. A run that is open goes on; `sync` makes it anew while a definition has it.',
};

function rangeOf(from: string | null, to: string | null): Range {
  if (from === null) throw usageError('Expected `--from`: since when to start what was due.');
  const start = timeOf('from', from);
  const end = to === null ? new Date() : timeOf('to', to);
  if (end <= start) throw usageError('Expected `--to` to be after `--from`.');
  return { start, end };
}

function timeOf(flag: string, typed: string): Date {
  // Without an offset a time of the day would be another one on another machine.
  if (isDay(typed) || isMoment(typed)) return new Date(typed);
  throw usageError(`Expected \`--${flag}\` to be a time such as \`2026-11-20T00:00:00Z\`, got \`${typed}\`.`);
}
