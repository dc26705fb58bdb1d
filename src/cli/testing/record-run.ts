import { existsSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { isObject } from '../../plan/values/json.js';
import type { Json } from '../../plan/values/json.js';
import { USUAL_FAILURE } from '../../plan/agents/recorded-answers.js';
import type { RunRecord } from '../../plan/result.js';
import type { ExitCode } from '../exit-codes.js';
import { EXIT, usageError } from '../exit-codes.js';
import { viewOfRecord } from '../observe/closed.js';
import type { RunView } from '../observe/view/view.js';
import { toRunResult } from '../render/json.js';
import type { Session } from '../session.js';
import { openExisting, unknownRun } from '../session.js';
import { inlineValues } from '../../activities/values/inline-values.js';
import type { Terminal } from '../terminal.js';
import { print, printJson, tell } from '../terminal.js';
import { earlierTries } from './earlier-tries.js';
import { answersOf } from './recorded-answers.js';
import { journalOf, unanswered } from './recorded-journal.js';
import type { EarlierTries } from './recorded-run.js';
import { endsOf, flowOf, gatesOf } from './recorded-run.js';
import type { Recording } from './recording.js';
import { recordingText, requireNew, requireReadable } from './recording.js';
import { typedCommand } from '../text/own-name.js';
import { writeWhole } from '../write-whole.js';

interface RecordCommand {
  run: string;
  to: string | null;
  /** Whether commands are recorded, so that none runs in the test. */
  commands: boolean;
  json: boolean;
}

/** An output above this many bytes of JSON is not compared. */
const OUTPUT_BYTES = 4_096;

/** Writes what the models of a closed run answered, and how it ended, as a test of its definition. */
export async function recordRun({ run, to, commands, json }: RecordCommand, terminal: Terminal): Promise<ExitCode> {
  const session = await openExisting(terminal, { taskQueue: null });
  const record = (await session?.store.readRun(run)) ?? null;
  if (session === null || record === null)
    throw session !== null && session.mayKnowRuns()
      ? usageError(
          `There is no closed run \`${run}\`.`,
          'Only a run that has ended can be recorded: `perdure list` shows them.',
        )
      : unknownRun(run);
  if (record.definition === undefined)
    throw usageError(`The run \`${run}\` came from no file: there is no definition to test.`);
  if (record.status === 'cancelled')
    throw usageError(
      `The run \`${run}\` was cancelled: a test of it would not end so by itself.`,
      'Record one that came to its own end: `perdure list` shows them.',
    );
  const { root } = session.project;
  const file = to ?? relative(terminal.cwd, join(root, 'recordings', `${record.plan_name}.yml`));
  requireNew(file, terminal.cwd);
  const view = await viewOfRecord(record, session.store);
  const earlier = await earlierTries(view, session);
  if (earlier === null)
    tell(
      terminal,
      'Of steps with several tries only the last one is recorded: the server has no history of the others.',
    );
  const recording = await recordingOf(record, { view, earlier }, session, commands);
  const missing = unanswered(view, recording.answers);
  const text = recordingText(recording, run);
  requireReadable(text, run);
  writeWhole(resolve(terminal.cwd, file), text);
  if (json) printJson(terminal, { file, answers: recording.answers.length, missing });
  else print(terminal, file);
  if (missing.length > 0) tell(terminal, missingText(missing));
  tell(
    terminal,
    `${recording.answers.length} ${recording.answers.length === 1 ? 'answer' : 'answers'}. Look at it, change ` +
      `what it expects, then: ${typedCommand('perdure test', [file])}`,
  );
  return EXIT.success;
}

/** What to do about steps whose answers nobody has any more. */
function missingText(steps: string[]): string {
  const [named, more] = [steps.slice(0, 3).map((step) => `\`${step}\``), steps.length - 3];
  return (
    `What models answered in ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''} is not kept any more: ` +
    'write it into the file under `answers:`, or run the definition anew and record that run.'
  );
}

/** A definition that was named, and not given as a file, is one by its name still. */
function isFile(root: string, { definition }: RunRecord): boolean {
  return definition !== undefined && existsSync(join(root, definition));
}

async function recordingOf(
  record: RunRecord,
  { view, earlier }: { view: RunView; earlier: EarlierTries },
  { store, project: { root } }: Session,
  withCommands: boolean,
): Promise<Recording> {
  const result = await toRunResult(view, store);
  const gates = await gatesOf(view, store);
  const devices = record.rehearsal
    ? []
    : await endsOf(view, store, { kinds: ['flash', 'serial'], usual: USUAL_FAILURE.device, earlier });
  const output =
    JSON.stringify(result.output).length <= OUTPUT_BYTES && record.status === 'success'
      ? { output: result.output }
      : {};
  return {
    definition: isFile(root, record) ? (record.definition ?? '') : record.plan_name,
    input: await inlineValues(record.input, store),
    expect: { status: record.status, steps: statusesOf(result.steps), flow: flowOf(view), ...output },
    answers: answersOf(view, await journalOf(record, view, store), earlier),
    ...(gates.length === 0 ? {} : { gates }),
    ...(withCommands
      ? { commands: await endsOf(view, store, { kinds: ['command'], usual: USUAL_FAILURE.command, earlier }) }
      : {}),
    ...(devices.length === 0 ? {} : { devices }),
  };
}

/** Statuses of a run's own steps, by their ids or numbers. */
export function statusesOf(steps: Json[]): Record<string, string> {
  return Object.fromEntries(
    steps.filter(isObject).map((step) => [String(step['id'] ?? step['step_index']), String(step['status'])]),
  );
}
