import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Plan } from '../../../plan/plan.js';
import type { Budgets } from '../../../plan/budget/budgets.js';
import { runsAnew } from '../../../plan/calls/reuse.js';
import type { RunRecord } from '../../../plan/result.js';
import type { ReuseSettings, RunSettings } from '../../../plan/run-input.js';
import type { Value } from '../../../plan/values/value.js';
import type { ExitCode } from '../../exit-codes.js';
import { EXIT, usageError } from '../../exit-codes.js';
import { findRun } from '../../observe/find-run.js';
import { withoutRecord } from '../../observe/unrecorded.js';
import { isClosed, rootOf } from '../../observe/view/view.js';
import type { Session } from '../../session.js';
import { openExisting, openSession, unknownRun } from '../../session.js';
import type { Terminal } from '../../terminal.js';
import { print, printJson, tell } from '../../terminal.js';
import type { Compiled } from '../prepare.js';
import { compile, settle, storeTexts } from '../prepare.js';
import { freshPaths } from './rerun-from.js';
import type { Session as Conversation } from '../../../store/records/session-files.js';
import { conversationOf } from '../conversation.js';
import { inlineValues } from '../../../activities/values/inline-values.js';
import { injectContext } from '../inject-context.js';
import type { RerunForecast } from './rerun-forecast.js';
import { forecastLine, toForecast } from './rerun-forecast.js';
import type { Ancestor } from './rerun-lineage.js';
import type { Store } from '../../../store/store.js';
import { doneOutside, lineageOf, sourcesOf } from './rerun-lineage.js';
import { inputFor, limitsFor } from './rerun-input.js';
import { newRunId } from '../run-id.js';
import type { Submission } from '../submit-run.js';
import { submitRun } from '../submit-run.js';
import { shellCommand } from '../../../plan/text/shell-command.js';

/** Everything that `rerun` was told. */
export interface RerunCommand {
  run: string;
  from: string | null;
  again: boolean;
  dryRun: boolean;
  id: string | null;
  detach: boolean;
  untilWaiting: boolean;
  gates: RunSettings['gates'];
  /** As they were typed; those that were not are as in the run that is done again. */
  limits: Budgets;
  taskQueue: string | null;
  by: string;
  json: boolean;
  narrate: boolean | null;
}

/** What a rerun is told that is not about who follows it. */
export type RerunChoices = Pick<RerunCommand, 'run' | 'from' | 'again' | 'id' | 'gates' | 'limits' | 'by'>;

/** A rerun that can be started, and what it would do then. */
export interface PreparedRerun {
  submission: Submission;
  /** Of the run that is done again. */
  record: RunRecord;
  forecast: RerunForecast;
  /** Files that no step names have changed since. */
  changed: boolean;
}

/**
 * Starts a run that takes over every result of a closed one whose content is unchanged (decision 14). The definition is
 * taken as it is now, and as it was where its file is gone. Throws a usage error where that cannot be.
 */
export async function rerunRun(command: RerunCommand, terminal: Terminal): Promise<ExitCode> {
  if ((await openExisting(terminal, command)) === null) throw unknownRun(command.run);
  const session = await openSession(terminal, command);
  const { submission, record, forecast, changed } = await prepareRerun(command, session, terminal);
  if (command.dryRun && command.json) printJson(terminal, { ...forecast });
  else (command.dryRun ? print : tell)(terminal, `  ${forecastLine(forecast, submission.compiled.plan)}`);
  if (changed) tell(terminal, `  ${CHANGED_FILES}`);
  if (command.dryRun) return EXIT.success;
  const given = { definition: record.plan_name, request: undefined, pairs: [], inputFile: null };
  return submitRun(submission, { ...command, ...given, rehearse: record.rehearsal }, terminal);
}

export const CHANGED_FILES =
  'The workspace has changed since, or that is not known: commands that do not name what they read run anew.';

/** Finds out what a rerun would do; starts nothing. Throws a usage error where it cannot be. */
export async function prepareRerun(
  choices: RerunChoices,
  session: Session,
  terminal: Terminal,
): Promise<PreparedRerun> {
  const { store } = session;
  if (session.elsewhere !== null)
    throw usageError(
      `A rerun reads files of the store \`${store.id}\`, which is elsewhere.`,
      'Run it where that store is.',
    );
  const record = await recordOf(choices.run, session);
  if (choices.id !== null) await requireFree(choices.id, choices.run, store);
  const compiled = await definitionOf(record, session, terminal);
  const { plan } = compiled;
  const before = await store.getPlan(record.plan);
  const input = await inputFor({ record, before, plan }, store);
  const lineage = await lineageOf(record, store);
  const reuse = await reuseFor(choices, plan, lineage, store);
  const id = choices.id ?? newRunId(plan.name);
  const conversation = await conversationOf(
    lineage.map((one) => one.record),
    store,
  );
  const limits = limitsFor(choices.limits, record, before, session.config);
  const wanted = { choices: { ...choices, limits }, record, conversation, compiled, input, reuse };
  const settings = await settingsFor(wanted, session, terminal);
  await storeTexts(compiled, store);
  const forecast = await toForecast(
    { store, plan, input, settings },
    lineage.map(({ view }) => view),
  );
  const submission = { id, compiled, session, settings, values: () => Promise.resolve(input) };
  return { submission, record, forecast, changed: reuse.changed };
}

/** A run that has the id already is joined (decision 12) where it is a rerun of the same run. */
async function requireFree(id: string, run: string, store: Store): Promise<void> {
  const [record, [submitted]] = [await store.readRun(id), await store.readSubmitted([id])];
  if (record === null && submitted === undefined) return;
  if ((record === null ? submitted?.after : record.rerun_of) === run) return;
  throw usageError(
    `There is a run \`${id}\` already, and it is no rerun of \`${run}\`.`,
    `See it with \`${shellCommand('perdure show', [id])}\`, or choose another id.`,
  );
}

interface Wanted {
  choices: RerunChoices;
  record: RunRecord;
  /** The session of the first run: its program plays again. */
  conversation: Conversation | null;
  compiled: Pick<Compiled, 'plan' | 'texts'>;
  input: Record<string, Value>;
  reuse: ReuseSettings;
}

/** Who plays, what is reused, and what is injected: as for a new run, but for the context of the run before. */
async function settingsFor(
  { choices: { by, gates, limits }, record, conversation, compiled: { plan, texts }, input, reuse }: Wanted,
  session: Session,
  terminal: Terminal,
): Promise<RunSettings> {
  const choices = { rehearse: record.rehearsal, by, gates, limits, conversation, texts };
  const settings: RunSettings = {
    ...(await settle(plan, choices, session, terminal)),
    ...(record.definition === undefined ? {} : { definition: record.definition }),
    reuse,
  };
  const values = await inlineValues(input, session.store);
  const given = { plan, input: values, settings, session: null, earlier: record.context };
  return (await injectContext(given, session)).settings;
}

async function recordOf(run: string, session: Session): Promise<RunRecord> {
  const root = rootOf(run);
  if (root !== run)
    throw usageError(
      `Expected a whole run, got the nested run \`${run}\`.`,
      `Run \`${shellCommand('perdure rerun', [root])}\`: what has not changed in it is not done again.`,
    );
  const record = await session.store.readRun(run);
  if (record !== null) return record;
  const { view, link } = await findRun(run, session);
  await link?.close();
  if (isClosed(view.status)) throw withoutRecord(view);
  throw usageError(
    `The run \`${run}\` has not ended: ${view.status}.`,
    `Follow it with \`${shellCommand('perdure watch', [run])}\`, or end it with ` +
      `\`${shellCommand('perdure cancel', [run])}\`.`,
  );
}

async function definitionOf(record: RunRecord, session: Session, terminal: Terminal): Promise<Submission['compiled']> {
  const { definition } = record;
  const file =
    definition === undefined
      ? null
      : ([join(session.project.root, definition), definition].find((path) => existsSync(path)) ?? null);
  if (file !== null) return compile(file, session, terminal, { given: Object.keys(record.input) });
  const plan = await session.store.getPlan(record.plan);
  if (definition !== undefined) tell(terminal, `The definition \`${definition}\` is gone: it is run as it was.`);
  return { plan, texts: new Map(), inputPaths: {}, files: [], kept: [], triggers: {} };
}

async function reuseFor(
  { from, again }: Pick<RerunChoices, 'from' | 'again'>,
  plan: Plan,
  lineage: Ancestor[],
  store: Store,
): Promise<ReuseSettings> {
  const done = await doneOutside(lineage, store);
  const fresh = from === null ? [] : freshPaths(plan, from);
  const repeated = again ? undefined : done.find((path) => runsAnew(path, fresh));
  if (repeated !== undefined)
    throw usageError(
      `\`--from ${from ?? ''}\` would repeat \`${repeated}\`, whose effect is external and has happened.`,
      'Add `--again` if it is to be repeated.',
    );
  const [source, ...earlier] = await sourcesOf(plan, lineage, store);
  return {
    run: lineage[0]?.record.run ?? '',
    from: '',
    changed: false,
    ...source,
    ...(earlier.length === 0 ? {} : { earlier }),
    fresh,
    ...(plan.workspace === undefined ? {} : { in_tree: true as const }),
    ...(again ? { done: null, happened: done } : { done }),
  };
}
