import type { CommandSpec, Invocation } from '../command.js';
import { JSON_OPTION } from '../command.js';
import { EXIT } from '../exit-codes.js';
import type { ListedStatus } from '../observe/listed-status.js';
import { LISTED_STATUSES } from '../observe/listed-status.js';
import type { Palette } from '../text/colors.js';
import { plural } from '../text/format.js';
import { safeName } from '../text/safe-text.js';
import type { Session } from '../session.js';
import type { Terminal } from '../terminal.js';
import { print, printJson, tell, widthOf } from '../terminal.js';
import { asTyped, typedCommand } from '../text/own-name.js';

/** Of runs that have ended so many are listed. */
const ENDED = 100;

export const list: CommandSpec = {
  name: 'list',
  summary: 'list runs, or with --waiting what waits for people and how to answer it',
  arguments: [],
  options: [
    { flags: '--waiting', about: 'every open gate and every paused run', conflicts: 'status' },
    {
      flags: '--status <status>',
      about: 'only runs with this status; `open` are all that have not ended',
      choices: LISTED_STATUSES,
    },
    { flags: '--all', about: `all runs that have ended, not the last ${ENDED} alone`, conflicts: 'waiting' },
    JSON_OPTION,
  ],
  examples: ['perdure list', 'perdure list --waiting', 'perdure list --status error --all'],
  async run({ options, terminal }) {
    const { openExisting } = await import('../session.js');
    const session = await openExisting(terminal, { taskQueue: null });
    await (options.flag('waiting') ? tellWaiting : tellRuns)(session, { options, terminal });
    return EXIT.success;
  },
};

type Told = Pick<Invocation, 'options' | 'terminal'>;

function styleOf({ stdout, resultPalette }: Terminal): { now: number; width: number; palette: Palette } {
  return { now: Date.now(), width: widthOf(stdout), palette: resultPalette };
}

/** Without its server nobody knows what waits; a run without an end may. */
async function tellWaiting(session: Session | null, { options, terminal }: Told): Promise<void> {
  const { listGates, listOpen } = await import('../observe/list-runs.js');
  const { renderGateList } = await import('../render/lists.js');
  const { toGateJson } = await import('../render/json.js');
  const { pauseLines } = await import('../render/pause-lines.js');
  const { gates, paused, unlisted, serverIsDown } =
    session === null
      ? { gates: [], paused: [], unlisted: new Map<string, number>(), serverIsDown: false }
      : await listGates(session, { once: true });
  if (options.flag('json'))
    printJson(terminal, [...gates.map(toGateJson), ...paused.map((pause) => ({ ...pause, kind: 'pause' }))]);
  else if (gates.length > 0 || (paused.length === 0 && !serverIsDown))
    print(terminal, ...renderGateList(gates, styleOf(terminal)));
  if (!options.flag('json')) for (const pause of paused) print(terminal, safeName(pause.run), ...pauseLines(pause));
  for (const [run, count] of unlisted)
    tell(
      terminal,
      `\`${safeName(run)}\` has ${count} more open gates than it lists: ` +
        `\`${typedCommand('perdure show', [safeName(run)])}\` shows all.`,
    );
  if (session === null || !serverIsDown) return;
  const open = (await listOpen(session.store)).map(({ run }) => run);
  const known = open.length === 0 ? 'No run is known to be open.' : `What ${named(open)} may wait for is not known.`;
  tell(terminal, `The server is not running. ${known} \`${typedCommand('perdure server start', [])}\` starts it.`);
}

/** Ids in one sentence. */
const MOST_NAMED = 5;

function named(runs: string[]): string {
  const more = runs.length > MOST_NAMED ? ` and ${runs.length - MOST_NAMED} more` : '';
  return `${runs
    .slice(0, MOST_NAMED)
    .map((run) => `\`${safeName(run)}\``)
    .join(', ')}${more}`;
}

async function tellRuns(session: Session | null, { options, terminal }: Told): Promise<void> {
  const { listOpen, listRuns } = await import('../observe/list-runs.js');
  const { renderRunList } = await import('../render/lists.js');
  const status = LISTED_STATUSES.find((known) => known === options.text('status')) ?? null;
  const { runs, more, serverIsDown } =
    session === null
      ? { runs: [], more: 0, serverIsDown: false }
      : await listRuns(session, { ended: options.flag('all') ? Infinity : ENDED, status });
  if (options.flag('json')) printJson(terminal, runs);
  else if (runs.length > 0) print(terminal, renderRunList(runs, styleOf(terminal)).join('\n'));
  else if (!serverIsDown)
    print(
      terminal,
      status === null ? asTyped('No runs yet. `perdure run <definition>` starts one.') : `No run is \`${status}\`.`,
    );
  if (more !== 0) tell(terminal, moreText(more, status));
  else if (session !== null && status === null) await tellUnreadable(session, { runs, terminal });
  if (serverIsDown && session !== null) tell(terminal, withoutServer((await listOpen(session.store)).length));
}

/** Records that are damaged: a list without them would say that there never were such runs. */
async function tellUnreadable(
  session: Session,
  { runs, terminal }: { runs: { run: string }[]; terminal: Terminal },
): Promise<void> {
  const { unreadableRuns } = await import('../observe/ended-runs.js');
  const [first, ...others] = await unreadableRuns(session.store, runs);
  if (first === undefined) return;
  const records = others.length === 0 ? 'The record of' : 'The records of';
  tell(
    terminal,
    `${records} ${named([first, ...others])} cannot be read and ${others.length === 0 ? 'is' : 'are'} not listed: ` +
      `\`${typedCommand('perdure show', [safeName(first)])}\` says why.`,
  );
}

/** What is not listed, also where a program reads the list. */
function moreText(more: number | null, status: ListedStatus | null): string {
  const filter = status === null ? '' : `--status ${status} `;
  const are =
    more === null
      ? 'More runs that ended before these are'
      : `${plural(more, 'run')} that ended before these ${more === 1 ? 'is' : 'are'}`;
  return `${are} not listed: \`${typedCommand('perdure list', [], `${filter}--all`)}\` has all.`;
}

function withoutServer(open: number): string {
  const known =
    open === 0
      ? 'No run is known to be open.'
      : `Whether ` +
        `${open === 1 ? 'the one that is open works, waits, is' : `the ${open} that are open work, wait, are`} ` +
        `paused or ${open === 1 ? 'was' : 'were'} ended by force is not known.`;
  return `The server is not running. ${known} \`${typedCommand('perdure server start', [])}\` starts it.`;
}
