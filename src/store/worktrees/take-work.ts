import { isWithin } from '../../plan/calls/reuse.js';
import type { DoneWork } from './done-work.js';
import { doneBy, keepDone } from './done-work.js';
import type { BranchCommit, Trees } from './branch.js';
import { addCommit, commitsOf, messageOf, opened, tipOf, withBranch } from './branch.js';
import { bringHome } from './commit-tree.js';
import type { LeaseOptions } from '../folders/lease.js';
import { beginningOf, openTrees } from './make-trees.js';
import { mergeTrees, takeObjects, treeOf } from './merge.js';

/** A step of a rerun whose work may have been done before. */
export interface WantedWork {
  run: string;
  /** Its path, and its try. */
  step: string;
  try: number;
  /** Of all that it is asked with: the same key is the same work. */
  key: string;
  /** Paths of the steps before it: what they have committed, it has seen. */
  after: string[];
  /** The runs that may have done it, the latest first. */
  from: string[];
}

/** What was taken over, and from which run. */
export interface TakenWork extends Pick<DoneWork, 'commit' | 'output'> {
  from: string;
}

/**
 * Takes over what an earlier run did for a step: its commit, brought onto this run's branch, and its output. Null where
 * that cannot be: it was not done, the files that it began with are not these, or its changes do not fit any more.
 */
export async function takeWork(
  stateDir: string,
  wanted: WantedWork,
  options: LeaseOptions = {},
): Promise<TakenWork | null> {
  const trees = await opened(stateDir, wanted.run);
  return withBranch(trees, options, async (lease) => {
    for (const from of wanted.from) {
      const before = await openTrees(stateDir, from);
      const done = before === null ? null : await doneBy(before.places, wanted.key);
      if (before === null || done === null) continue;
      const taken = await takeFrom(trees, { before, done, from, wanted, require: lease.require });
      if (taken !== null) return { commit: taken.commit, output: taken.output, from };
    }
    return null;
  });
}

/** What is taken over: from whose trees, and what they did. */
interface Source {
  before: Trees;
  done: DoneWork;
  from: string;
  wanted: WantedWork;
  /** Throws where the lease was lost. */
  require: () => void;
}

async function takeFrom(trees: Trees, source: Source): Promise<DoneWork | null> {
  const { wanted, done } = source;
  const earlier = await doneBy(trees.places, wanted.key); // of a worker that was lost then
  if (earlier !== null) return earlier;
  const commits = await commitsOf(trees);
  if (!(await hasSeenTheSame(trees, commits, source))) return null;
  const start = await tipOf(trees);
  const known = commits.find(({ key }) => key === wanted.key)?.commit;
  const commit = known ?? (await pick(trees, source, start));
  if (commit === undefined) return null;
  await bringHome(trees);
  const taken = { start, commit, output: done.output };
  await keepDone(trees.places, wanted.key, taken);
  return taken;
}

/**
 * Tells whether a step began with the same files as it would now: those of the run's beginning, and what was committed
 * by the steps before it, which all were taken over.
 */
async function hasSeenTheSame(
  trees: Trees,
  commits: BranchCommit[],
  { before, done, wanted: { after } }: Source,
): Promise<boolean> {
  const beginnings = [await treeOf(trees, beginningOf(trees.made)), await treeOf(before, beginningOf(before.made))];
  if (beginnings[0] !== beginnings[1]) return false;
  const isBefore = ({ step }: { step: string }): boolean => isWithin(decodeURI(step), after);
  const then = (await commitsOf(before, done.start)).filter(isBefore);
  const now = commits.filter(isBefore);
  const keys = new Set(now.map(({ key }) => key));
  return now.length === then.length && now.every(({ from }) => from !== '') && then.every(({ key }) => keys.has(key));
}

/**
 * The commit of what an earlier run has changed, on this branch; null where that changes nothing here, undefined where
 * it does not fit.
 */
async function pick(
  trees: Trees,
  { before, done, from, wanted, require }: Source,
  tip: string,
): Promise<string | null | undefined> {
  if (done.commit === null) return null;
  const made = (await commitsOf(before)).find(({ commit }) => commit === done.commit);
  if (made === undefined) return undefined;
  await takeObjects(trees, before.places);
  const onto = await treeOf(trees, tip);
  const merged = await mergeTrees(trees, {
    start: `${done.commit}^`,
    tree: await treeOf(trees, done.commit),
    onto,
  });
  if (merged.conflicts.length > 0) return undefined;
  if (merged.tree === onto) return null;
  require();
  const { run, step, try: tried, key } = wanted;
  return addCommit(trees, merged.tree, tip, messageOf(made.subject, made.body, { run, step, try: tried, key, from }));
}
