import type { Store } from '../../store/store.js';
import type { LogLine } from '../../store/logs/line.js';
import type { ExitCode } from '../exit-codes.js';
import { EXIT, usageError } from '../exit-codes.js';
import { grpcTrouble } from '../grpc.js';
import { listenForInterrupts } from './input/interrupt.js';
import { createJsonList } from '../render/json-list.js';
import { safeName, safeText } from '../text/safe-text.js';
import type { Session } from '../session.js';
import { openExisting, unknownRun } from '../session.js';
import type { Terminal } from '../terminal.js';
import { print, tell } from '../terminal.js';
import type { TemporalLink } from '../../workers/link/temporal-link.js';
import { describe } from '../observe/as-of-now.js';
import { findRun } from '../observe/find-run.js';
import { unknownIn } from '../observe/lost-runs.js';
import type { StepView } from '../observe/view/view.js';
import { everyStepView, nestedIn, pathBelow, rootOf } from '../observe/view/view.js';

/** What `logs` was told. */
export interface LogsCommand {
  run: string;
  step: string | null;
  follow: boolean;
  json: boolean;
}

/** How often a followed log is looked at. */
const LOOK_MS = 200;
/** So many looks after another the server is not asked whether a run has ended that says nothing. */
const QUIET_LOOKS = 10;

/** Prints what the steps of a run wrote, from the store; with `follow` until the run has ended. */
export async function printLogs({ run, step, follow, json }: LogsCommand, terminal: Terminal): Promise<ExitCode> {
  const session = await openExisting(terminal, { taskQueue: null });
  if (session === null) throw unknownRun(run);
  const { store } = session;
  const root = rootOf(run);
  if ((await store.listLogs(root)).length === 0) await (await findRun(run, session)).link?.close();
  const prefix = [pathBelow(run), step ?? ''].filter((part) => part !== '').join('/');
  // A step of a run that goes on may still begin.
  const isOpen = follow && (await store.readRun(root)) === null;
  if (!isOpen && prefix !== '') await checkPath(session, root, prefix);
  const open = isOpen ? await openRun(root, session) : null;
  const offsets = new Map<string, number>();
  try {
    const sink = json ? jsonSink(terminal) : textSink(terminal, prefix);
    const isWhole = await copyAll({ store, root, prefix, offsets, sink }, open);
    if (!isWhole) return EXIT.interrupted;
  } finally {
    await open?.link.close();
  }
  if (offsets.size === 0) {
    if (isOpen && prefix !== '') await checkPath(session, root, prefix);
    tell(terminal, 'Nothing was written.');
  }
  return EXIT.success;
}

/** The way to a run that has not ended, another one once its server went away. */
interface OpenRun {
  link: TemporalLink;
  connect: () => Promise<TemporalLink>;
}

/** Its host is started where it is not there. */
async function openRun(root: string, session: Session): Promise<OpenRun> {
  if (!session.mayKnowRuns()) throw await unknownIn(root, session.store, null);
  const connect = (): Promise<TemporalLink> => session.connect({ start: true });
  return { link: await connect(), connect };
}

/** Copies what is written, until the run has ended where it is open. False where it was interrupted. */
async function copyAll(copy: Parameters<typeof copyNew>[0], open: OpenRun | null): Promise<boolean> {
  const interrupts = listenForInterrupts();
  try {
    for (let quiet = 0; ;) {
      const ended = open === null || (await hasEnded(copy, open, quiet));
      const count = await copyNew(copy);
      if (ended && count === 0) return true;
      if (interrupts.signal.aborted) return false;
      quiet = count === 0 ? quiet + 1 : 0;
      if (count === 0) await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  } finally {
    copy.sink.end();
    interrupts.close();
  }
}

/** Tells whether a run has ended: it has left a record, or others have ended it by force. */
async function hasEnded(
  { store, root }: { store: Store; root: string },
  open: OpenRun,
  quiet: number,
): Promise<boolean> {
  if ((await store.readRun(root)) !== null) return true;
  if (quiet % QUIET_LOOKS !== QUIET_LOOKS - 1) return false;
  try {
    const now = await describe(open.link, root);
    return now === null || now === 'elsewhere' || now.status.name !== 'RUNNING';
  } catch (error) {
    if (grpcTrouble(error) !== 'connection-lost') throw error;
    await open.link.close();
    open.link = await open.connect();
    return false;
  }
}

/** Refuses what is no step of the run. One that has written nothing has no log. */
async function checkPath(session: Session, root: string, prefix: string): Promise<void> {
  const paths = await session.store.listLogs(root);
  if (paths.some((path) => isBelow(path, prefix))) return;
  const { view, link } = await findRun(root, session);
  await link?.close();
  if (pathsIn(view.steps).some((path) => isBelow(path, prefix))) return;
  const known = paths.map((path) => `\`${path}\``).join(', ');
  throw usageError(
    `The run \`${root}\` has no log of a step \`${prefix}\`.`,
    known === '' ? 'No step of it has written anything yet.' : `There are ${known}.`,
  );
}

function pathsIn(steps: StepView[]): string[] {
  return everyStepView(steps).flatMap((step) => [
    step.path,
    ...nestedIn(step).flatMap((nested) => pathsIn(nested.steps)),
  ]);
}

function isBelow(path: string, prefix: string): boolean {
  return prefix === '' || path === prefix || path.startsWith(`${prefix}/`);
}

/** Prints what was written since the last look; gives how many pieces that were. */
async function copyNew({
  store,
  root,
  prefix,
  offsets,
  sink,
}: {
  store: Store;
  root: string;
  prefix: string;
  offsets: Map<string, number>;
  sink: Sink;
}): Promise<number> {
  let count = 0;
  for (const path of (await store.listLogs(root)).filter((candidate) => isBelow(candidate, prefix))) {
    const { lines, next } = await store.readLog(root, path, offsets.get(path) ?? 0);
    offsets.set(path, next);
    for (const line of lines) sink.write(path, line);
    count += lines.length;
  }
  return count;
}

interface Sink {
  write(path: string, line: LogLine): void;
  end(): void;
}

function jsonSink(terminal: Terminal): Sink {
  const list = createJsonList(terminal);
  return { write: (path, line) => list.add({ path, ...line }), end: () => list.end() };
}

/** Text as it was written, line by line; each line names its step where several may write. */
function textSink(terminal: Terminal, only: string): Sink {
  const unfinished = new Map<string, { path: string; text: string }>();
  const put = (path: string, line: string): void => {
    const text = safeText(line.replace(/\r$/, ''));
    print(terminal, path === only ? text : `${terminal.resultPalette.dim(`${safeName(path)} │`)} ${text}`);
  };
  return {
    write(path, { stream, text }) {
      if (stream === 'note') {
        // A note is a line of its own; what a model was saying before it has ended.
        const words = unfinished.get(`text ${path}`);
        unfinished.delete(`text ${path}`);
        if (words !== undefined && words.text !== '') put(path, words.text);
        for (const line of text.replace(/\n$/, '').split('\n')) put(path, line);
        return;
      }
      const key = `${stream} ${path}`;
      const lines = `${unfinished.get(key)?.text ?? ''}${text}`.split('\n');
      unfinished.set(key, { path, text: lines.pop() ?? '' });
      for (const line of lines) put(path, line);
    },
    end() {
      for (const { path, text } of unfinished.values()) if (text !== '') put(path, text);
    },
  };
}
