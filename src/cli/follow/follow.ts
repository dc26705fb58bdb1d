import type { Store } from '../../store/store.js';
import type { TemporalLink } from '../../workers/temporal-link.js';
import { grpcTrouble } from '../grpc.js';
import { unknownRun } from '../session.js';
import type { RunEvent } from '../observe/events.js';
import { observe } from '../observe/observer.js';
import type { OpenGate, RunView } from '../observe/view.js';
import { openGates } from '../observe/view.js';
import type { Terminal } from '../terminal.js';
import { tell } from '../terminal.js';
import { askGate } from './ask-gate.js';
import { decide } from './decide.js';
import { readGateContent } from './gate-content.js';
import type { Interrupts } from './interrupt.js';
import { listenForInterrupts } from './interrupt.js';
import type { Screen } from './screen.js';
import { createScreen } from './screen.js';

export interface FollowOptions {
  terminal: Terminal;
  store: Store;
  run: string;
  /** Who decides at gates. */
  by: string;
  /** End when the run waits for a person (`--no-wait`), instead of asking. */
  untilWaiting: boolean;
  /** The run was there before: say what it has done already. */
  joined: boolean;
  link: TemporalLink;
  /** What the host says goes above the tree. */
  progress: { tell: (line: string) => void };
  /** Connects again when the server went away: the run goes on, and so do we. */
  reconnect: () => Promise<TemporalLink>;
  onEvent?: (run: string, event: RunEvent) => void;
}

/** How following ended. Interrupted: the run goes on, or is cancelled when that was asked for. */
export type FollowEnd = { kind: 'closed' | 'waiting'; view: RunView } | { kind: 'interrupted'; cancelled: boolean };

/** Follows a run to its end: shows its tree, asks at gates on a terminal, survives the server's going away. */
export async function follow(options: FollowOptions): Promise<FollowEnd> {
  const interrupts = listenForInterrupts();
  const tellBefore = options.progress.tell;
  const following: Following = { ...options, interrupts, screen: createScreen(options.terminal, { uiUrl: runUrl(options.link, options.run), joined: options.joined }), answered: new Set(), asking: null, done: new AbortController() };
  options.progress.tell = (line) => following.screen.note(options.terminal.palette.dim(`  ${line}`));
  try {
    const view = await watch(following);
    following.screen.close();
    if (interrupts.signal.aborted) return { kind: 'interrupted', cancelled: await leave(following) };
    if (view === null) throw unknownRun(options.run);
    return { kind: view.endedAt === null ? 'waiting' : 'closed', view };
  } finally {
    following.screen.close();
    options.progress.tell = tellBefore;
    interrupts.close();
    if (following.link !== options.link) await following.link.close();
  }
}

/** Where Temporal's Web UI shows a run; null where that is not known. */
export function runUrl({ uiUrl, namespace }: TemporalLink, run: string): string | null {
  return uiUrl === null ? null : `${uiUrl}/namespaces/${encodeURIComponent(namespace)}/workflows/${encodeURIComponent(run)}`;
}

interface Following extends FollowOptions {
  interrupts: Interrupts;
  screen: Screen;
  /** Gates that were decided here, as they were shown. */
  answered: Set<string>;
  /** The gate that is being asked about; `gone` aborts when nothing is left to decide. */
  asking: { key: string; gone: AbortController } | null;
  /** Aborts when the run waits and nobody is to be asked. */
  done: AbortController;
}

/** Observes until the run closed, was interrupted or waits; connects again when the server went away. */
async function watch(following: Following): Promise<RunView | null> {
  const signal = AbortSignal.any([following.interrupts.signal, following.done.signal]);
  for (;;) {
    const observer = observe({
      source: following.link, run: following.run, store: following.store, wait: true, signal,
      onChange: () => react(following, observer.view()),
      ...(following.onEvent === undefined ? {} : { onEvent: following.onEvent }),
    });
    try {
      await observer.done;
      following.asking?.gone.abort();
      return observer.view();
    } catch (error) {
      if (grpcTrouble(error) !== 'connection-lost') throw grpcTrouble(error) === 'not-found' ? unknownRun(following.run) : error;
      following.progress.tell('the Temporal server went away; connecting again, the run is not lost');
      following.link = await following.reconnect();
    }
  }
}

function react(following: Following, view: RunView | null): void {
  if (view === null) return;
  following.screen.show(view);
  const { asking, answered, terminal, untilWaiting, done } = following;
  const gates = openGates(view);
  if (asking !== null && !gates.some((open) => keyOf(open) === asking.key)) asking.gone.abort();
  if (untilWaiting) {
    if (view.status === 'waiting') done.abort();
    return;
  }
  const next = gates.find((open) => !answered.has(keyOf(open)));
  if (terminal.interactive && asking === null && next !== undefined) {
    void ask(following, next).then(() => {
      following.asking = null;
      react(following, view);
    });
  }
}

function keyOf({ address, gate }: OpenGate): string {
  return `${address} ${gate.hash}`;
}

/** Asks about one gate. What goes wrong is told, and the gate stays open for another way to decide it. */
async function ask(following: Following, open: OpenGate): Promise<void> {
  const { terminal, screen, interrupts, answered, by } = following;
  const gone = new AbortController();
  const stop = (): void => gone.abort();
  following.asking = { key: keyOf(open), gone };
  interrupts.signal.addEventListener('abort', stop);
  answered.add(keyOf(open));
  screen.hold();
  try {
    const answer = await askGate(open, await readGateContent(open.gate, following.store), terminal, gone.signal);
    if (answer.kind === 'later') interrupts.interrupt();
    else if (answer.kind !== 'gone') {
      const comment = answer.kind === 'reject' ? answer.comment : null;
      const receipt = await decide(following.link.client, open, { decision: answer.kind, by, comment });
      tell(terminal, `  ${receipt.decision === 'approve' ? 'approved' : 'rejected'} by ${receipt.by}`);
    }
  } catch (error) {
    tell(terminal, `  ${error instanceof Error ? error.message : String(error)}`, `  Decide with \`perdure approve ${open.address}\`.`);
  } finally {
    interrupts.signal.removeEventListener('abort', stop);
    screen.release();
  }
}

/** Says that the run goes on; a second Ctrl-C in time cancels it. Gives whether it did. */
async function leave({ terminal, interrupts, link, run }: Following): Promise<boolean> {
  tell(terminal, '', `The run goes on. Come back with \`perdure watch ${run}\`.`, 'Press Ctrl-C again within 2 s to cancel it.');
  if (!(await interrupts.second())) return false;
  await link.client.workflow.getHandle(run).cancel();
  tell(terminal, `Cancelling \`${run}\`.`);
  return true;
}
