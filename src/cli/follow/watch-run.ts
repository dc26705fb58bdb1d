import type { ExitCode } from '../exit-codes.js';
import { EXIT } from '../exit-codes.js';
import { viewOfRecord } from '../observe/closed.js';
import { viewAt } from '../observe/find-run.js';
import { unknownIn } from '../observe/lost-runs.js';
import type { RunEvent } from '../observe/history/run-event.js';
import { rootOf } from '../observe/view/view.js';
import type { NarrationLine } from '../../plan/narration/record.js';
import { narrateIn } from '../narration/narrate-session.js';
import type { JsonList } from '../render/json-list.js';
import { createJsonList } from '../render/json-list.js';
import { renderRun } from '../render/screen.js';
import { openExisting, requireRunAddress, unknownRun } from '../session.js';
import type { Terminal } from '../terminal.js';
import { tell, widthOf } from '../terminal.js';
import { conclude, exitOf } from './conclude.js';
import type { FollowEnd } from './follow.js';
import { follow } from './follow.js';

/** What `watch` was told. */
export interface WatchCommand {
  run: string;
  untilWaiting: boolean;
  by: string;
  json: boolean;
  /** Whether it is narrated; null leaves that to the definition. */
  narrate: boolean | null;
}

/** Follows a run from where it is. One that has closed is shown as it ended. */
export async function watchRun(
  { run, untilWaiting, by, json, narrate }: WatchCommand,
  terminal: Terminal,
): Promise<ExitCode> {
  const session = await openExisting(terminal, { taskQueue: null });
  if (session === null) throw unknownRun(run);
  requireRunAddress(run);
  const { store } = session;
  const record = await store.readRun(rootOf(run));
  const narrated = narrateIn(session, narrate, terminal);
  const list = json ? createJsonList(terminal) : null;
  if (record !== null) {
    const view = viewAt(await viewOfRecord(record, store), run);
    list?.add({ run, kind: 'run-ended', at: record.ended_at, status: view.status, error: view.error });
    list?.end();
    if (list !== null) return exitOf(view.status);
    const style = { now: Date.now(), width: widthOf(terminal.stderr), palette: terminal.palette };
    tell(terminal, ...renderRun({ ...view, status: 'running' }, null, style).slice(0, -2));
    return conclude({ kind: 'closed', view }, { run, terminal, store, json });
  }
  if (!session.mayKnowRuns()) throw await unknownIn(run, store, null);
  const link = await session.connect({ start: true });
  let last: object | null = null;
  try {
    const end = await follow({
      terminal,
      store,
      config: session.config,
      run,
      by,
      untilWaiting,
      isElsewhere: session.isElsewhere,
      joined: false,
      link,
      progress: session.progress,
      reconnect: () => session.connect({ start: true }),
      narrate: narrated,
      ...(list === null
        ? {}
        : {
            onEvent: (of: string, event: RunEvent) => {
              const item = { run: of, ...withoutPlan(event) };
              // What is said of a run comes before its end.
              if (of === run && event.kind === 'run-ended') last = item;
              else list.add(item);
            },
            onNarration: (line: NarrationLine) => addNarration(list, run, line),
          }),
    });
    if (last !== null) list?.add(last);
    list?.end();
    return list === null ? await conclude(end, { run, terminal, store, json }) : exitOfEnd(end);
  } finally {
    await link.close();
  }
}

/** What was said is an event like others; what was asked for it is none. */
function addNarration(list: JsonList, run: string, line: NarrationLine): void {
  if (line.kind !== 'message' && line.kind !== 'lesson') return;
  const { key: _key, ...said } = line;
  list.add({ run, ...said });
}

function exitOfEnd(end: FollowEnd): ExitCode {
  if (end.kind === 'interrupted') return EXIT.interrupted;
  return end.kind === 'waiting' ? EXIT.waiting : exitOf(end.view.status);
}

/** An event as `--json` prints it: the Plan is named, not repeated. */
function withoutPlan(event: RunEvent): object {
  if (event.kind !== 'run-started') return event;
  const { plan, input } = event.input;
  return { kind: event.kind, at: event.at, plan: plan.hash, name: plan.name, input };
}
