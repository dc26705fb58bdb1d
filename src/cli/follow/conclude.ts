import { toText } from '../../plan/values/json.js';
import type { RunStatus } from '../../plan/result.js';
import type { Value } from '../../plan/values/value.js';
import type { Store } from '../../store/store.js';
import { loadValue } from '../../store/transcript.js';
import type { ExitCode } from '../exit-codes.js';
import { EXIT } from '../exit-codes.js';
import { viewOfRecord } from '../observe/closed.js';
import { markUnrecorded } from '../observe/unrecorded.js';
import type { RunView } from '../observe/view/view.js';
import { isClosed, openGates } from '../observe/view/view.js';
import { toRunResult } from '../render/json.js';
import { renderEnding } from '../render/screen.js';
import type { Terminal } from '../terminal.js';
import { printJson, printResult, tell, widthOf } from '../terminal.js';
import type { FollowEnd } from './follow.js';
import { shownIn } from './gate-content.js';
import { gateLines } from './plain-lines.js';

/** Says how following ended: the ending on stderr, the result alone on stdout, or one RunResult for `--json`. */
export async function conclude(
  end: FollowEnd,
  { run, terminal, store, json }: { run: string; terminal: Terminal; store: Store; json: boolean },
): Promise<ExitCode> {
  if (end.kind === 'interrupted') {
    if (json) printJson(terminal, { run, status: 'running' satisfies RunStatus });
    return EXIT.interrupted;
  }
  const { view } = end;
  if (json) printJson(terminal, await toRunResult(await asRecorded(view, store), store));
  if (end.kind === 'waiting') {
    if (terminal.interactive)
      for (const open of openGates(view))
        tell(terminal, ...gateLines(open, await shownIn(open, store), widthOf(terminal.stderr)));
    return EXIT.waiting;
  }
  const told = await markUnrecorded(view, store);
  tell(terminal, '', ...renderEnding(told, widthOf(terminal.stderr), terminal.palette));
  if (!json) await printOutput(view, terminal, store);
  return exitOf(view.status);
}

/** A run that has ended as `show` tells of it: its record's times are the run's own, not those of the server. */
async function asRecorded(view: RunView, store: Store): Promise<RunView> {
  const record = isClosed(view.status) ? await store.readRun(view.run).catch(() => null) : null;
  return record === null ? view : viewOfRecord(record, store);
}

/** The exit code for a run in this status. */
export function exitOf(status: RunStatus): ExitCode {
  return status === 'success' ? EXIT.success : status === 'waiting' || status === 'paused' ? EXIT.waiting : EXIT.ended;
}

/** The run's output alone: safe on a terminal, byte for byte where another program reads it. */
async function printOutput(view: RunView, terminal: Terminal, store: Store): Promise<void> {
  const text = await resultText(view.output, store);
  if (text !== null) printResult(terminal, `${terminal.stdout.isTTY ? text.trimEnd() : text.replace(/\n$/, '')}\n`);
}

/** A result as it is printed: a text as it is, anything else as JSON; null when there is nothing to print. */
export async function resultText(value: Value | null, store: Store): Promise<string | null> {
  const json = await loadValue(value, store);
  return json === null || json === '' ? null : toText(json);
}
