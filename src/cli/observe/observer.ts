import { setMaxListeners } from 'node:events';
import { isBatchRun } from '../../plan/schedule/batch-run.js';
import type { RunRecord } from '../../plan/result.js';
import type { ReadRunInput } from '../../plan/run-input.js';
import type { Store } from '../../store/store.js';
import type { PendingActivity } from './assemble.js';
import { assemble } from './assemble.js';
import type { RunEvent } from './history/run-event.js';
import { createTranslator } from './history/events.js';
import type { RunFold } from './fold/run-fold.js';
import { applyBatchEvent, applyEvent, openFold } from './fold/fold.js';
import { stepAt } from './fold/run-fold.js';
import type { HistorySource } from './history/history.js';
import { readHistory } from './history/history.js';
import { readPending } from './pending.js';
import { readTitleTexts } from './titles.js';
import { readCarried, readTruth } from './view/truth.js';
import type { RunView } from './view/view.js';

/** How often attempts, failures and heartbeats are asked for while somebody watches (decision 5). */
const PENDING_INTERVAL_MS = 1_000;

/**
 * Histories of nested runs that had succeeded when the run was first looked at; of more the run itself tells how they
 * ended.
 */
const MOST_SUCCEEDED = 100;

export interface Observer {
  /** The tree as it is known now; null before the first event came. */
  view(): RunView | null;
  /**
   * Ends when the root run has closed and all of it was read, or when the signal aborts; throws what the server says.
   */
  done: Promise<void>;
}

export interface ObserveOptions {
  source: HistorySource;
  run: string;
  store: Store;
  /** Go on until the run has closed; else read what there is. */
  wait: boolean;
  /** Of what is only read: ask also what is tried again and how far it is, a question for each open run of the tree. */
  withPending?: boolean;
  signal: AbortSignal;
  onChange?: () => void;
  /** Every event of every run in the tree, as it is read. */
  onEvent?: (run: string, event: RunEvent) => void;
}

/** Follows a run and all that is nested in it: one long poll for each open run of the tree (decision 5). */
export function observe(options: ObserveOptions): Observer {
  const folds = new Map<string, RunFold>();
  const pending = new Map<string, PendingActivity>();
  const stop = new AbortController();
  const signal = AbortSignal.any([options.signal, stop.signal]);
  // One listener for each open run of the tree is no leak.
  setMaxListeners(0, signal);
  const tree: Tree = {
    ...options,
    signal,
    folds,
    pending,
    batches: new Set(),
    succeeded: 0,
    onChange: options.onChange ?? (() => undefined),
    onEvent: options.onEvent ?? (() => undefined),
  };
  const watching = options.wait ? watchPending(tree) : null;
  const done = observeRun(tree, { run: options.run, link: '', part: options.run })
    .finally(() => {
      if (options.wait) stop.abort();
    })
    // Which runs are open is known only then.
    .then(() => watching ?? (options.withPending === true ? readAllPending(tree) : undefined));
  return {
    done: done.catch((error: unknown) => {
      if (!options.signal.aborted) throw error;
    }),
    view: () => {
      const root = folds.get(options.run);
      return root === undefined ? null : assemble(root, { folds, pending });
    },
  };
}

interface Tree extends ObserveOptions {
  folds: Map<string, RunFold>;
  pending: Map<string, PendingActivity>;
  /** Batch runs that are open. */
  batches: Set<string>;
  /** How many histories of nested runs were read that had succeeded. */
  succeeded: number;
  onChange: () => void;
  onEvent: (run: string, event: RunEvent) => void;
}

/** A run whose history is read, and the run that its events tell of: for a batch that is the one which started it. */
interface Observed {
  run: string;
  /** Temporal's own run id; empty for the newest. */
  link: string;
  part: string;
}

async function observeRun(tree: Tree, { run, link, part }: Observed): Promise<void> {
  const translate = createTranslator();
  const nested: Promise<void>[] = [];
  for await (const page of readHistory(tree.source, { workflowId: run, runId: link }, tree)) {
    const events = page.flatMap(translate);
    const succeeded = new Set(
      events.map((event) => (event.kind === 'nested-ended' && event.outcome?.status === 'success' ? event.run : null)),
    );
    for (const event of events) {
      if (event.kind === 'nested-started' && isToBeRead(tree, event.run, succeeded))
        nested.push(
          keep(observeRun(tree, { run: event.run, link: event.link, part: isBatchRun(event.run) ? part : event.run })),
        );
      takeEvent(tree, { run, part }, event);
      if (event.kind !== 'run-started' || run !== part) continue;
      await takeTitles(tree, run, event.input);
      await takeCarried(tree, run, event.input);
    }
    tree.onChange();
  }
  await Promise.all(nested);
  if (run === part) await takeResults(tree, run);
}

/** A foreach of thousands is shown at once. What a batch run does is told by nobody else. */
function isToBeRead(tree: Tree, run: string, succeeded: Set<string | null>): boolean {
  if (isBatchRun(run) || !succeeded.has(run)) return true;
  tree.succeeded += 1;
  return tree.succeeded <= MOST_SUCCEEDED;
}

/** A promise that is awaited later: a failure until then is no unhandled one. */
function keep(promise: Promise<void>): Promise<void> {
  promise.catch(() => undefined);
  return promise;
}

function takeEvent(tree: Tree, { run, part }: Pick<Observed, 'run' | 'part'>, event: RunEvent): void {
  const fold = tree.folds.get(part);
  // A chain's next link goes on with the fold of the one before, which knows more than what travelled along; another
  // try of a nested run starts afresh.
  if (run !== part) {
    if (event.kind === 'run-started') tree.batches.add(run);
    if (event.kind === 'run-ended') tree.batches.delete(run);
    if (fold !== undefined) applyBatchEvent(fold, run, event);
  } else if (event.kind === 'run-started' && (fold === undefined || event.input.carried === null))
    tree.folds.set(run, openFold(run, event));
  else if (fold !== undefined) applyEvent(fold, event);
  tree.onEvent(run, event);
}

/** Titles of steps may begin with texts that stand in the store. */
async function takeTitles(tree: Tree, run: string, { plan, carried }: ReadRunInput): Promise<void> {
  const fold = tree.folds.get(run);
  if (fold === undefined || (carried !== null && fold.titleTexts.size > 0)) return;
  fold.titleTexts = await readTitleTexts(plan, plan.agents, tree.store);
}

/** What a run had written before it continued as new, where nothing else is known of it. */
async function takeCarried(tree: Tree, run: string, input: ReadRunInput): Promise<void> {
  const fold = tree.folds.get(run);
  const { carried, plan, path } = input;
  if (fold?.input !== input || carried === null) return; // the fold goes on from the link before
  fold.truth = await readCarried(tree.store, plan, {
    path,
    carried,
    stepAt: (place) => stepAt(fold, place)?.step ?? null,
  }).catch(() => fold.truth);
}

/**
 * What the interpreter wrote is the truth about a closed run; a store that lacks it leaves what history says. Of one
 * that was cancelled the history does not say what it came to.
 */
async function takeResults(tree: Tree, run: string): Promise<void> {
  const fold = tree.folds.get(run);
  if (fold === undefined || fold.outcome === null) return;
  const record = fold.outcome.pages.length > 0 ? null : await tree.store.readRun(run).catch(() => null);
  if (fold.untold && record !== null && isRecordOf(record, fold)) {
    fold.outcome = record;
    fold.untold = false;
  }
  fold.truth = await readTruth(tree.store, fold.input.plan, fold.input.path, record?.pages ?? fold.outcome.pages).catch(
    () => fold.truth,
  );
  tree.onChange();
}

/** An earlier try of a nested run may have left a record under the same id. */
function isRecordOf({ ended_at }: RunRecord, { startedAt, endedAt }: RunFold): boolean {
  const ended = Date.parse(ended_at);
  return ended >= Date.parse(startedAt) && (endedAt === null || ended <= Date.parse(endedAt));
}

async function watchPending(tree: Tree): Promise<void> {
  while (!tree.signal.aborted) {
    await readAllPending(tree);
    await pause(PENDING_INTERVAL_MS, tree.signal);
  }
}

async function readAllPending(tree: Tree): Promise<void> {
  const open = [
    ...[...tree.folds.values()].filter(({ outcome }) => outcome === null).map(({ run }) => run),
    ...tree.batches,
  ];
  const read = await Promise.all(open.map((run) => readPending(tree.source, run, tree.signal)));
  tree.pending.clear();
  for (const [path, activity] of read.flat()) tree.pending.set(path, activity);
  if (read.flat().length > 0) tree.onChange();
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end);
  });
}
