import { personRefusal } from '../../plan/gates/gate.js';
import type { Pause, Warning } from '../../plan/budget/steering.js';
import type { Store } from '../../store/store.js';
import type { TemporalLink } from '../../workers/link/temporal-link.js';
import { grpcTrouble } from '../grpc.js';
import type { TellBill } from '../bill/tell-bill.js';
import { createTellBill } from '../bill/tell-bill.js';
import type { Session } from '../session.js';
import type { RunEvent } from '../observe/history/run-event.js';
import { unknownIn } from '../observe/lost-runs.js';
import { requireOwnRun } from '../observe/own-runs.js';
import { observe } from '../observe/observer.js';
import type { OpenGate, RunView } from '../observe/view/view.js';
import { openGates, openingOf } from '../observe/view/view.js';
import { answerCommands } from '../render/gate-words.js';
import { pauseLines } from '../render/pause-lines.js';
import { safeLine } from '../text/safe-text.js';
import type { Terminal } from '../terminal.js';
import { readingWidthOf, tell, widthOf } from '../terminal.js';
import type { Answer } from './ask-gate.js';
import { askGate } from './ask-gate.js';
import type { Says } from './decide.js';
import { decide, receiptText } from './decide.js';
import { readGateContent, shownIn } from './gate-content.js';
import type { Interrupts } from './input/interrupt.js';
import { listenForInterrupts } from './input/interrupt.js';
import { gateLines } from './plain-lines.js';
import type { NarrationLine } from '../../plan/narration/record.js';
import type { NarrateRun } from '../narration/narrate-session.js';
import type { Narration } from '../narration/narrate.js';
import { narrationLines } from '../render/narration.js';
import type { Screen } from './screen.js';
import { createScreen } from './screen.js';
import type { LackingTeller } from './tell-lacking.js';
import { tellLacking } from './tell-lacking.js';
import { listenToModels } from './words.js';
import { asTyped } from '../text/own-name.js';
import { shellCommand } from '../../plan/text/shell-command.js';

export interface FollowOptions {
  terminal: Terminal;
  store: Store;
  /** Prices and programs, by which is told what follows a gate. */
  config: Session['config'];
  run: string;
  /** Who decides at gates. */
  by: string;
  /** End when the run waits for a person (`--no-wait`), instead of asking. */
  untilWaiting: boolean;
  /** The store is on another machine: models are not listened to. */
  isElsewhere: boolean;
  /** The run was there before: say what it has done already. */
  joined: boolean;
  link: TemporalLink;
  /** What the host says goes above the tree. */
  progress: { tell: (line: string) => void };
  /** Connects again when the server went away: the run goes on, and so do we. */
  reconnect: () => Promise<TemporalLink>;
  onEvent?: (run: string, event: RunEvent) => void;
  /** Tells of the run, where that is wanted. */
  narrate?: NarrateRun;
  onNarration?: (line: NarrationLine) => void;
}

/** How following ended. Interrupted: the run goes on, or is cancelled when that was asked for. */
export type FollowEnd = { kind: 'closed' | 'waiting'; view: RunView } | { kind: 'interrupted'; cancelled: boolean };

/** Follows a run to its end: shows its tree, asks at gates on a terminal, survives the server's going away. */
export async function follow(options: FollowOptions): Promise<FollowEnd> {
  const interrupts = listenForInterrupts();
  const tellBefore = options.progress.tell;
  const following: Following = {
    ...options,
    interrupts,
    screen: createScreen(options.terminal, {
      uiUrl: runUrl(options.link, options.run),
      joined: options.joined,
      listen: () => (options.isElsewhere ? null : listenToModels(options.store)),
      read: (open) => shownIn(open, options.store),
    }),
    lacking: tellLacking({
      store: options.store,
      link: () => following.link,
      tell: (line) => following.screen.note(`! ${safeLine(line)}`),
    }),
    tellBill: createTellBill(options, options.terminal),
    answered: new Set(),
    asking: null,
    toldPause: undefined,
    toldWarnings: 0,
    done: new AbortController(),
    narration: null,
    view: null,
  };
  options.progress.tell = (line) => following.screen.note(options.terminal.palette.dim(`  ${line}`));
  try {
    const view = await watch(following);
    following.lacking.close();
    await following.narration?.close(interrupts.signal.aborted ? null : view);
    following.screen.close();
    await following.screen.shown();
    if (interrupts.signal.aborted) return { kind: 'interrupted', cancelled: await leave(following) };
    if (view === null) throw await unknownIn(options.run, options.store, following.link);
    return { kind: view.endedAt === null ? 'waiting' : 'closed', view };
  } finally {
    following.lacking.close();
    await following.narration?.close(null);
    following.screen.close();
    options.progress.tell = tellBefore;
    interrupts.close();
    if (following.link !== options.link) await following.link.close();
  }
}

/** Where Temporal's Web UI shows a run; null where that is not known. */
export function runUrl({ uiUrl, namespace }: TemporalLink, run: string): string | null {
  return uiUrl === null
    ? null
    : `${uiUrl}/namespaces/${encodeURIComponent(namespace)}/workflows/${encodeURIComponent(run)}`;
}

interface Following extends FollowOptions {
  interrupts: Interrupts;
  screen: Screen;
  lacking: LackingTeller;
  tellBill: TellBill;
  /** Gates that were decided here, as they were shown. */
  answered: Set<string>;
  /** The gate that is being asked about; `gone` aborts when nothing is left to decide. */
  asking: { key: string; gone: AbortController } | null;
  /** Since when the pause is that was told. */
  toldPause: string | undefined;
  /** How many warnings were told. */
  toldWarnings: number;
  /** Aborts when the run waits and nobody is to be asked. */
  done: AbortController;
  /** Null before it is known whether the run is narrated, and where it is not. */
  narration: Narration | null;
  /** The run as it was last seen; null before. */
  view: RunView | null;
}

/** Observes until the run closed, was interrupted or waits; connects again when the server went away. */
async function watch(following: Following): Promise<RunView | null> {
  const signal = AbortSignal.any([following.interrupts.signal, following.done.signal]);
  for (;;) {
    try {
      await requireOwnRun(following.run, following.link, following.store);
      const observer = observe({
        source: following.link,
        run: following.run,
        store: following.store,
        wait: true,
        signal,
        onChange: () => react(following, observer.view()),
        onEvent: (run, event) => {
          hear(following, run, event);
          following.onEvent?.(run, event);
        },
      });
      await observer.done;
      following.asking?.gone.abort();
      return observer.view();
    } catch (error) {
      if (grpcTrouble(error) !== 'connection-lost')
        throw grpcTrouble(error) === 'not-found'
          ? await unknownIn(following.run, following.store, following.link)
          : error;
      following.progress.tell('the Temporal server went away; connecting again, the run is not lost');
      following.link = await following.reconnect();
    }
  }
}

/** Says once how a paused run goes on; a screen that draws shows it all the time. */
function tellPause(following: Following, pause: Pause | null): void {
  if (pause?.since === following.toldPause) return;
  following.toldPause = pause?.since;
  if (pause !== null && !following.terminal.interactive)
    pauseLines(pause).forEach((line) => following.screen.note(line));
}

/** Says of each limit once that most of it is used. */
function tellWarnings(following: Following, warnings: Warning[]): void {
  for (const { message } of warnings.slice(following.toldWarnings)) following.screen.note(`! ${safeLine(message)}`);
  following.toldWarnings = Math.max(following.toldWarnings, warnings.length);
}

/** A run is told of from its first event on, where that is wanted. */
function hear(following: Following, run: string, event: RunEvent): void {
  if (event.kind === 'run-started' && run === following.run)
    following.narration ??=
      following.narrate?.(run, event.input.plan.narrate === true, (line) => {
        following.onNarration?.(line);
        tellNarration(following, line);
      }) ?? null;
  following.narration?.hear(event);
}

function tellNarration({ terminal, screen }: Following, line: NarrationLine): void {
  for (const one of narrationLines(line, readingWidthOf(terminal.stderr), terminal.palette)) screen.note(one);
}

function react(following: Following, view: RunView | null): void {
  if (view === null) return;
  following.view = view;
  following.screen.show(view);
  following.lacking.see(view);
  following.narration?.see(view);
  const { asking, answered, terminal, untilWaiting, done } = following;
  const gates = openGates(view);
  tellPause(following, view.pause ?? null);
  if (!following.terminal.interactive) tellWarnings(following, view.warnings ?? []);
  if (asking !== null && !gates.some((open) => openingOf(open) === asking.key)) asking.gone.abort();
  if (untilWaiting) {
    if (view.status === 'waiting' || view.status === 'paused') done.abort();
    return;
  }
  if (terminal.interactive)
    askNext(
      following,
      view,
      gates.filter((open) => !answered.has(openingOf(open))),
    );
}

/** Asks about the first gate that this person may answer, and tells of those that are for others. */
function askNext(following: Following, view: RunView, unanswered: OpenGate[]): void {
  const isForOthers = ({ gate }: OpenGate): boolean => personRefusal(following.by, gate) !== null;
  for (const open of unanswered.filter(isForOthers)) tellOthers(following, open);
  const next = unanswered.find((open) => !isForOthers(open));
  // Who leaves is asked nothing more.
  if (following.asking !== null || next === undefined || following.interrupts.signal.aborted) return;
  void ask(following, view, next).then(() => {
    following.asking = null;
    react(following, following.view);
  });
}

/** A gate that is for others is not asked about here: they are told how to answer it. */
function tellOthers({ answered, screen, store, terminal }: Following, open: OpenGate): void {
  answered.add(openingOf(open));
  void shownIn(open, store).then((content) =>
    screen.note(gateLines(open, content, widthOf(terminal.stderr)).join('\n')),
  );
}

/** Asks about one gate. What goes wrong is told, and the gate stays open for another way to decide it. */
async function ask(following: Following, view: RunView, open: OpenGate): Promise<void> {
  const { terminal, screen, interrupts, answered, by } = following;
  const gone = new AbortController();
  const stop = (): void => gone.abort();
  following.asking = { key: openingOf(open), gone };
  interrupts.signal.addEventListener('abort', stop);
  answered.add(openingOf(open));
  screen.hold();
  try {
    const content = await readGateContent(open, following.store);
    const bill = await following.tellBill(view, open);
    const answer = await askGate({ open, content, bill }, terminal, gone.signal);
    if (answer.kind === 'later') interrupts.interrupt();
    else if (answer.kind !== 'gone') {
      const { link, store } = following;
      const receipt = await decide(link.client, open, await saysOf(answer, by, store), store);
      tell(terminal, `  ${receiptText(receipt)}`);
    }
  } catch (error) {
    tell(
      terminal,
      `  ${error instanceof Error ? error.message : String(error)}`,
      '  Decide with:',
      ...answerCommands(open).map((command) => `    ${command}`),
    );
  } finally {
    interrupts.signal.removeEventListener('abort', stop);
    screen.release();
  }
}

/** What was typed or edited is stored where it is too big for history (I6). */
async function saysOf(answer: Exclude<Answer, { kind: 'later' | 'gone' }>, by: string, store: Store): Promise<Says> {
  const said = { by, via: 'terminal' as const };
  if (answer.kind === 'reject') return { ...said, decision: answer.kind, comment: answer.comment };
  if (answer.kind === 'answer') return { ...said, decision: answer.kind, value: await store.put(answer.value) };
  return {
    ...said,
    decision: answer.kind,
    ...(answer.edited === undefined ? {} : { edit: await store.put(answer.edited) }),
  };
}

/** Says that the run goes on; a second Ctrl-C in time cancels it. Gives whether it did. */
async function leave({ terminal, interrupts, link, run }: Following): Promise<boolean> {
  tell(
    terminal,
    '',
    asTyped(`The run goes on. Come back with \`${shellCommand('perdure watch', [run])}\`.`),
    'Press Ctrl-C again within 2 s to cancel it.',
  );
  if (!(await interrupts.second())) return false;
  await link.client.workflow.getHandle(run).cancel();
  tell(terminal, `Cancelling \`${run}\`.`);
  return true;
}
