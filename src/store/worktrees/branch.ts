import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { MadeTrees } from './make-trees.js';
import type { Lease, LeaseOptions } from '../folders/lease.js';
import { withLease } from '../folders/lease.js';
import { settleCarried } from './carry.js';
import { TreesMissing, openTrees } from './make-trees.js';
import { keepBorrowed } from './own-objects.js';
import type { TreeRepository } from './tree-repository.js';
import { COMMITTER, askGit } from './tree-repository.js';

/** The work trees of a run, once they are made. */
export type Trees = TreeRepository & { made: MadeTrees };

/** Opens them. Throws `TreesMissing`. */
export async function opened(stateDir: string, run: string): Promise<Trees> {
  const trees = await openTrees(stateDir, run);
  if (trees === null) throw new TreesMissing(run);
  return trees;
}

/** The commit of a step and try; null where none was made. */
export async function commitOf(
  trees: Trees,
  { step, try: tried, run }: { run: string; step: string; try: number },
): Promise<string | null> {
  const found = (await commitsOf(trees)).find(
    (commit) => commit.run === run && commit.step === encodeURI(step) && commit.try === String(tried),
  );
  return found?.commit ?? null;
}

/** A commit of the branch, as its trailers tell. */
export interface BranchCommit {
  commit: string;
  subject: string;
  body: string;
  run: string;
  /** Path of the step, as `encodeURI` writes it; empty where no step made it. */
  step: string;
  try: string;
  /** By which a rerun knows what was done; empty where no step made it. */
  key: string;
  /** The run that did it, where it was taken over from another; else empty. */
  from: string;
}

/** What was committed on the branch since it began, or until a commit of it, the first first. */
export async function commitsOf(trees: Trees, until = `refs/heads/${trees.made.branch}`): Promise<BranchCommit[]> {
  const trailer = (name: string): string => `%(trailers:key=Perdure-${name},valueonly,separator=)`;
  const format = [
    '%H',
    '%s',
    '%b',
    trailer('Run'),
    trailer('Step'),
    trailer('Try'),
    trailer('Key'),
    trailer('From'),
  ].join('%x1f');
  const range = `${trees.made.base}..${until}`;
  const text = (await trees.git(['log', '-z', '--reverse', `--format=${format}`, range])).toString();
  return text
    .split('\0')
    .filter((entry) => entry !== '')
    .map((entry) => {
      const [commit = '', subject = '', text = '', ...trailers] = entry.split('\x1f');
      const [run = '', step = '', tried = '', key = '', from = ''] = trailers.map((one) => one.trim());
      const body = text.replace(/\n*(?:Perdure-\w+: .*\n?)+$/, '');
      return { commit, subject, body, run, step, try: tried, key, from };
    });
}

export async function tipOf(trees: Trees): Promise<string> {
  return askGit(trees, ['rev-parse', `refs/heads/${trees.made.branch}`]);
}

/** What a commit says of itself, beside its subject and body. */
export interface Trailers {
  run: string;
  step?: string;
  try?: number;
  key?: string | undefined;
  from?: string;
}

/** The message of a commit. */
export function messageOf(subject: string, body: string, { run, step, try: tried, key, from }: Trailers): string {
  const trailers = {
    Run: run,
    ...(step === undefined ? {} : { Step: encodeURI(step) }),
    ...(tried === undefined ? {} : { Try: String(tried) }),
    ...(key === undefined ? {} : { Key: key }),
    ...(from === undefined ? {} : { From: from }),
  };
  const lines = Object.entries(trailers).map(([name, value]) => `Perdure-${name}: ${value}`);
  return `${[subject, ...(body === '' ? [] : [body]), lines.join('\n')].join('\n\n')}\n`;
}

/** Makes a commit of a tree on the branch's tip, which must still be that. */
export async function addCommit(trees: Trees, tree: string, tip: string, message: string): Promise<string> {
  const commit = await askGit(trees, ['commit-tree', tree, '-p', tip, '-F', '-'], { env: COMMITTER, input: message });
  if (trees.made.parent !== null) await keepBorrowed(trees, commit);
  // Also fails where another has committed since.
  await trees.git(['update-ref', `refs/heads/${trees.made.branch}`, commit, tip]);
  return commit;
}

/**
 * Does something while nobody else commits. What one who was killed then has left locked is open again, and no folder
 * that goes along is left between two names.
 */
export async function withBranch<T>(
  trees: Trees,
  options: LeaseOptions,
  act: (lease: Lease) => Promise<T>,
): Promise<T> {
  return withLease(join(trees.places.folder, 'lease'), options, async (lease) => {
    if (lease.wasLost) await removeLocks(trees);
    await settleCarried(trees.places, trees.made.carry);
    return act(lease);
  });
}

/** What a holder that was killed has left locked. */
export async function removeLocks({ places }: Trees): Promise<void> {
  const folder = join(places.git, 'refs', 'heads', 'perdure');
  await mkdir(folder, { recursive: true });
  for (const name of await readdir(folder)) if (name.endsWith('.lock')) await rm(join(folder, name), { force: true });
  // Git locks it with the branch that it names; trees have their own.
  await rm(join(places.git, 'HEAD.lock'), { force: true });
}
