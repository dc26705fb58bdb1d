import { hostname } from 'node:os';
import { inWorkTree, toRunInput } from '../../activities/runs/run-start.js';
import type { Plan } from '../../plan/plan.js';
import { labelsOf, requirementKey, requirementsOf } from '../../plan/placement/requirement.js';
import type { Budgets } from '../../plan/budget/budgets.js';
import type { RunSettings } from '../../plan/run-input.js';
import type { WorkTreeSettings } from '../../plan/worktree.js';
import type { Value } from '../../plan/values/value.js';
import type { TemporalLink } from '../../workers/link/temporal-link.js';
import type { ExitCode } from '../exit-codes.js';
import { EXIT, refusal } from '../exit-codes.js';
import { conclude } from '../follow/conclude.js';
import type { CiReport } from '../ci/report.js';
import type { FollowEnd } from '../follow/follow.js';
import { follow, runUrl } from '../follow/follow.js';
import { listenForInterrupts } from '../follow/input/interrupt.js';
import { grpcTrouble } from '../grpc.js';
import { viewOfRecord } from '../observe/closed.js';
import { renderJoined } from '../render/screen.js';
import { narrateIn } from '../narration/narrate-session.js';
import type { SubmittedRun } from '../../store/records/submitted-files.js';
import type { Session } from '../session.js';
import type { Terminal } from '../terminal.js';
import { print, printJson, tell } from '../terminal.js';
import { askInSession } from './ask-in-session.js';
import type { Question } from './inject-context.js';
import { tellContext } from './tell-context.js';
import { unlessInterrupted } from './unless-interrupted.js';
import type { Compiled } from './prepare.js';
import { attributesAt, checkRecord, serverNote, startOrJoin } from './start-run.js';
import { offerTrees } from '../../store/worktrees/brought-trees.js';
import { CARRY_HINT, CarryTooLarge } from '../../store/worktrees/carried.js';
import { mainPlace } from '../../store/worktrees/places.js';
import { locate } from '../../store/folders/places.js';
import { asTyped } from '../text/own-name.js';
import { shellCommand } from '../../plan/text/shell-command.js';

/** Everything that `run` was told. */
export interface RunCommand {
  definition: string;
  request: string | undefined;
  pairs: string[];
  inputFile: string | null;
  id: string | null;
  detach: boolean;
  untilWaiting: boolean;
  rehearse: boolean;
  gates: RunSettings['gates'];
  limits: Budgets;
  /** The session to go on with, `new`, or null. */
  session?: string | null;
  /** It is run by a CI system, and reports to it. */
  ci?: CiReport;
  /** Dollars above which a person is asked before it starts. */
  askAbove?: number | null;
  taskQueue: string | null;
  by: string;
  json: boolean;
  /** Whether it is narrated; null leaves that to the definition. */
  narrate: boolean | null;
}

/** What is ready to be started. */
export interface Submission {
  id: string;
  compiled: Omit<Compiled, 'file'>;
  /** Puts the Plan and the input into the store, and gives the input's values. */
  values: () => Promise<Record<string, Value>>;
  session: Session;
  settings: RunSettings;
  /** What its session is told that it asks, once it has been started. */
  question?: Question | null;
  /** What it is about, in a few words. */
  description?: string | undefined;
  /** The run whose build it mends. */
  after?: string;
}

/** Starts the run, or joins the one that this submission means, and follows it. */
export async function submitRun(submission: Submission, command: RunCommand, terminal: Terminal): Promise<ExitCode> {
  const run = async (onEnd: OnEnd): Promise<ExitCode> =>
    (await joinClosed(submission, command, { terminal, onEnd })) ?? submit(submission, command, { terminal, onEnd });
  if (command.ci === undefined) return run(() => undefined);
  const { reportedTo } = await import('../ci/report.js');
  return reportedTo(command.ci, terminal, run);
}

/** Told how following ended, before that is said. */
type OnEnd = (end: FollowEnd) => void;

interface Told {
  terminal: Terminal;
  onEnd: OnEnd;
}

/** A run with this id that closed before is shown as it ended (decision 12); null when there is none. */
async function joinClosed(
  { id, compiled, values: store, session, settings, question = null }: Submission,
  { id: asked, json }: RunCommand,
  { terminal, onEnd }: Told,
): Promise<ExitCode | null> {
  const record = asked === null ? null : await session.store.readRun(id);
  if (record === null) return null;
  const values = await store();
  const { rehearsal } = settings;
  checkRecord({ run: id, plan: compiled.plan, input: values, rehearsal, storeId: session.store.id }, record);
  const view = await viewOfRecord(record, session.store);
  await tellContext({ run: id, joined: true, settings, question, store: session.store }, terminal);
  tell(terminal, ...renderJoined(view));
  onEnd({ kind: 'closed', view });
  return conclude({ kind: 'closed', view }, { run: id, terminal, store: session.store, json });
}

async function submit(submitted: Submission, command: RunCommand, { terminal, onEnd }: Told): Promise<ExitCode> {
  const { id, session, settings, question = null } = submitted;
  const narrate = narrateIn(session, command.narrate, terminal);
  const link = await unlessInterrupted(session.connect({ start: true }), listenForInterrupts(), {
    message: 'Nothing was started.',
    hint: null,
  });
  try {
    const perhaps = {
      message: `\`${id}\` was about to be started.`,
      hint:
        `\`${shellCommand('perdure watch', [id])}\` follows it if it was, ` +
        `\`${shellCommand('perdure cancel', [id])}\` stops it.`,
    };
    await tellLacking(submitted.compiled.plan, session.store, link, terminal);
    const { joined } = await unlessInterrupted(startSubmission(submitted, link), listenForInterrupts(), perhaps);
    await tellContext({ run: id, joined, settings, question, store: session.store }, terminal);
    if (command.detach) return detach(id, joined, { ...command, url: runUrl(link, id) }, terminal);
    const end = await follow({
      terminal,
      store: session.store,
      config: session.config,
      run: id,
      by: command.by,
      untilWaiting: command.untilWaiting,
      isElsewhere: session.isElsewhere,
      joined,
      link,
      progress: session.progress,
      reconnect: () => session.connect({ start: true }),
      narrate,
    });
    onEnd(end);
    return await conclude(end, { run: id, terminal, store: session.store, json: command.json });
  } finally {
    await link.close();
  }
}

/** Says which steps will wait because no worker that may take them now has the labels that they require. */
async function tellLacking(plan: Plan, store: Session['store'], link: TemporalLink, terminal: Terminal): Promise<void> {
  // Programs are looked for once they are required.
  const labels = requirementsOf(plan).map(labelsOf);
  const keys = new Set(labels.filter(({ length }) => length > 0).map(requirementKey));
  if (keys.size === 0) return;
  const { missingWorkers } = await import('../observe/missing-workers.js');
  const missing = missingWorkers(link, await store.listWorkers(), store);
  for (const key of keys) {
    const worker = await missing({ run: '', key, queue: link.taskQueue, pinned: null });
    if (worker !== null) tell(terminal, `A step requires ${worker}; none serves now.`);
  }
}

/** Starts the run, or joins the one that this submission means; a worker must be there. */
export async function startSubmission(submission: Submission, link: TemporalLink): Promise<{ joined: boolean }> {
  const { id, compiled, session, settings: chosen, values: store, after: mended, description, question } = submission;
  const { plan, files, kept } = compiled;
  const settings = inWorkTree(chosen, plan, { main: mainPlace(id), travels: session.store.homes !== null });
  const { pollersOf, requireHosts } = await import('../../workers/connection/task-queue.js');
  await pollersOf(link, session.store);
  await requireHosts(link, plan);
  await requireOneFolder(plan, settings, session);
  await keepStart({ id, plan, session, settings });
  if (settings.worktree?.travels !== undefined) await offer(id, settings.worktree, session.store);
  const values = await store();
  const { worksInFolder } = await import('../../activities/runs/one-folder.js');
  // Before it is started: from then on a run that closes may remove what no open run uses.
  for (const file of files) await session.store.noteUse(file, id);
  const { name: definition } = plan;
  const { rehearsal, submitted_by, reuse } = settings;
  const after = reuse?.run ?? mended ?? settings.worktree?.from;
  const server = await serverNote(link, session.store);
  // Also before: what was started is listed from then on, whatever ends.
  const isNew = await session.store.noteSubmitted({
    run: id,
    definition,
    ...(description === undefined ? {} : { description }),
    rehearsal,
    submitted_by,
    submitted_at: new Date().toISOString(),
    ...server,
    ...(after === undefined ? {} : { after }),
    ...(worksInFolder(plan, settings, session.store) ? { in_folder: true } : {}),
    ...keptNote(kept),
  });
  try {
    // Once more: a worker that came meanwhile has looked before this run was noted.
    await requireOneFolder(plan, settings, session);
    const start = (): Promise<{ joined: boolean }> =>
      startOrJoin(link, {
        run: id,
        plan,
        input: values,
        runInput: toRunInput(plan, values, { ...settings, ...attributesAt(link) }),
        storeId: session.store.id,
        description,
      });
    return await (question == null ? start() : askInSession(question, { run: id, store: session.store }, start));
  } catch (error) {
    // Of a connection that was lost meanwhile nobody knows whether it was started.
    if (isNew && grpcTrouble(error) !== 'connection-lost') await session.store.forgetSubmitted(id);
    throw error;
  }
}

/** Has the files of a run that travels go to the store. Throws a refusal where those beside git are too large. */
async function offer(
  run: string,
  { project, travels: _travels, within: _within, ...how }: WorkTreeSettings,
  store: Session['store'],
): Promise<void> {
  try {
    await offerTrees(store, { run, project: locate(store, project), ...how });
  } catch (error) {
    throw error instanceof CarryTooLarge ? refusal(error.message, CARRY_HINT) : error;
  }
}

function keptNote(kept: string[]): Pick<SubmittedRun, 'kept'> {
  return kept.length === 0 ? {} : { kept };
}

/** Throws a refusal for a run that works in the project's folder where workers have several of these. */
async function requireOneFolder(plan: Plan, settings: RunSettings, { store }: Session): Promise<void> {
  const { foldersFault, FOLDERS_HINT } = await import('../../activities/runs/one-folder.js');
  const fault = await foldersFault(plan, settings, store);
  if (fault !== null) throw refusal(fault, FOLDERS_HINT);
}

/** The files as the run finds them, where it may change some and its workers have them at hand. */
async function keepStart({
  id,
  plan,
  session: { config, elsewhere, store },
  settings,
}: Pick<Submission, 'id' | 'session' | 'settings'> & { plan: Plan }): Promise<void> {
  const { mayChangeWorkspace } = await import('../../plan/calls/reuse.js');
  const isWanted =
    config.workspace?.snapshots !== false &&
    settings.worktree === undefined && // what it changes stands in commits
    elsewhere === null &&
    !settings.rehearsal &&
    mayChangeWorkspace(plan);
  if (isWanted && (await isWorkersFolder(store)))
    await store.keepSnapshot(id, 'start', locate(store, settings.workspace));
}

/** Tells whether a worker has this folder: of another's files it would be a lie that the run found these. */
async function isWorkersFolder(store: Session['store']): Promise<boolean> {
  if (store.homes === null) return true;
  return (await store.listWorkers()).some(({ host, folder }) => host === hostname() && folder === store.folder);
}

function detach(
  run: string,
  joined: boolean,
  { url, json, narrate }: Pick<RunCommand, 'json' | 'narrate'> & { url: string | null },
  terminal: Terminal,
): ExitCode {
  if (json) printJson(terminal, { run, status: 'running' });
  else print(terminal, run);
  tell(
    terminal,
    // Who watches is told of it, and nobody does so far.
    asTyped(
      `${joined ? 'Joined' : 'Started'}. Follow it with ` +
        `\`${shellCommand('perdure watch', [run], narrate === true ? '--narrate' : '')}\`.`,
    ) + (url === null ? '' : `\n  Temporal ${url}`),
  );
  return EXIT.success;
}
