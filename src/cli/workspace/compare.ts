import type { Git } from '../../store/git/git.js';
import type { BranchCommit } from '../../store/worktrees/branch.js';
import { commitsOf, tipOf } from '../../store/worktrees/branch.js';
import type { MadeTrees } from '../../store/worktrees/make-trees.js';
import { bringTrees } from '../../store/worktrees/brought-trees.js';
import type { LeftFiles } from '../../store/worktrees/left-files.js';
import { filesInTree } from '../../store/worktrees/left-files.js';
import type { MissingFiles } from '../../store/snapshots/snapshots.js';
import { openTrees } from '../../store/worktrees/make-trees.js';
import type { TreePlaces } from '../../store/worktrees/places.js';
import type { TreeRepository } from '../../store/worktrees/tree-repository.js';
import { refusal } from '../exit-codes.js';
import { findRun } from '../observe/find-run.js';
import { unrecordedLines } from '../observe/unrecorded.js';
import { rootOf } from '../observe/view/view.js';
import type { Session } from '../session.js';
import { openExisting, unknownRun } from '../session.js';
import type { Terminal } from '../terminal.js';

/** The files of a workspace as a run found them, and as it left them or, while it is open, as they are. */
export interface Snapshots {
  /** The root run. */
  run: string;
  git: Git;
  /** The folder that is compared. */
  root: string;
  /** Git's names of the two trees. */
  start: string;
  end: string;
  /** Whether `end` is what the run left. */
  isClosed: boolean;
  /** Files that one of the two has nothing of; twice where both have. */
  missing: MissingFiles;
  /** Of a run in a work tree: `end` is its last commit or, where it has made none, what stands in its tree. */
  branch?: Branch;
}

/** What a run has committed. */
export interface Branch {
  name: string;
  /** The folder of its repository. */
  repository: string;
  places: TreePlaces;
  made: MadeTrees;
  commits: BranchCommit[];
  tip: string;
  /** All that stands in the run's tree, what is in no commit, too: looked at once, when it is asked for. */
  left: () => Promise<LeftFiles>;
}

/** A file that is not as it was. Lines are null where the file is no text. */
export interface Change {
  path: string;
  change: 'added' | 'modified' | 'deleted';
  lines_added: number | null;
  lines_deleted: number | null;
}

/** Why git takes longer than it is given. */
const WHY_SLOW =
  'A file of many gigabytes does that, or a `.gitignore` whose patterns take long in deep folders (`**/a*/**/a*/b`): ' +
  'look whether one came with the run.';

const CHANGES: Record<string, Change['change']> = { A: 'added', D: 'deleted' };

/**
 * Finds the two snapshots of a run, a nested one's in its root. Throws a usage error for an unknown run, a refusal
 * where one was not kept. With `onlyStart` that one alone is looked for, and stands for both.
 */
export async function findSnapshots(named: string, terminal: Terminal, onlyStart = false): Promise<Snapshots> {
  const session = await openExisting(terminal, { taskQueue: null });
  if (session === null) throw unknownRun(named);
  const { store, project } = session;
  const run = rootOf(named);
  if (run !== '') await bringTrees(store, run, project.root);
  const trees = run === '' || store.folder === null ? null : await openTrees(store.folder, run);
  if (trees !== null) return ofBranch(run, trees, session);
  const start = run === '' ? null : await store.snapshotOf(run, 'start');
  const elsewhere = start === null && run !== '' ? await store.snapshotElsewhere(run) : null;
  if (elsewhere !== null)
    throw refusal(
      `The files of \`${run}\` are kept on the machine \`${elsewhere.host}\`, in \`${elsewhere.folder}\`, and not in ` +
        `the store's database. Ask for them there.`,
    );
  if (start === null) throw await noSnapshot(named, session);
  const missing = await store.leftOutOf(run, 'start');
  const found = { run, root: project.root, git: store.snapshotGit, start, missing };
  if (onlyStart) return { ...found, missing: { ...missing, hiding: [] }, end: start, isClosed: false };
  const { missing: also, ...end } = await endOf(run, session);
  return { ...found, ...end, missing: ofBoth(missing, also) };
}

/** What one of two snapshots has nothing of. */
function ofBoth(start: MissingFiles, end: MissingFiles): MissingFiles {
  return {
    unnamed: [...start.unnamed, ...end.unnamed],
    unread: [...start.unread, ...end.unread],
    inside: [...(start.inside ?? []), ...(end.inside ?? [])],
    // Those that were there hide what a person knows of: caches, environments of Python.
    hiding: (end.hiding ?? []).filter((path) => start.hiding?.includes(path) !== true),
  };
}

/** What a run left, or what is there now of one that is open. Throws a refusal where neither is known. */
async function endOf(
  run: string,
  { store, project }: Session,
): Promise<Pick<Snapshots, 'end' | 'isClosed' | 'missing'>> {
  const left = await store.snapshotOf(run, 'end');
  if (left !== null) return { end: left, isClosed: true, missing: await store.leftOutOf(run, 'end') };
  // What is there now may be anybody's: a run that has ended changed what it had left.
  if ((await store.readRun(run)) !== null)
    throw refusal(
      `The files as \`${run}\` left them were not kept: git could not read them in time.`,
      `${WHY_SLOW} \`git status\` and \`git diff\` tell what is there now.`,
    );
  const now = await store.snapshotNow(project.root);
  if (now === null) throw refusal(`The files of \`${project.root}\` cannot be read by git now.`, WHY_SLOW);
  const { tree, ...missing } = now;
  return { end: tree, isClosed: false, missing };
}

/**
 * The files as the run found them, and what it has made: its commits or, where it has made none, what its steps have
 * left in its tree.
 */
async function ofBranch(
  run: string,
  trees: TreeRepository & { made: MadeTrees },
  session: Session,
): Promise<Snapshots> {
  const { store, project } = session;
  const { git, made, places } = trees;
  const isClosed = (await store.readRun(run)) !== null;
  if (!isClosed) await requireRecorded(run, session);
  const [tip, commits] = [await tipOf(trees), await commitsOf(trees)];
  let looked: Promise<LeftFiles> | null = null;
  const left = (): Promise<LeftFiles> =>
    (looked ??= filesInTree(trees).then((found) => found ?? { tree: tip, inside: [], unnamed: [], unread: [] }));
  const hasCommitted = commits.some(({ commit }) => commit !== made.taken);
  return {
    run,
    root: project.root,
    git,
    start: made.base,
    end: hasCommitted ? tip : (await left()).tree,
    isClosed,
    missing: { unnamed: made.unnamed ?? [], unread: made.unread ?? [] },
    branch: { name: made.branch, repository: places.git, places, made, commits, tip, left },
  };
}

/** Throws a refusal where the files in a database are those of a moment before the run ended. */
async function requireRecorded(run: string, session: Session): Promise<void> {
  if (session.store.homes === null) return;
  const found = await findRun(run, session);
  await found.link?.close();
  const [fault] = unrecordedLines(found, session.store);
  if (fault !== undefined) throw refusal(fault);
}

async function noSnapshot(run: string, session: Session): Promise<Error> {
  const { link } = await findRun(run, session); // throws for an unknown one
  await link?.close();
  return refusal(
    `The files that \`${run}\` found were not kept.`,
    'They are where a run may change files, in a folder under git, unless `perdure.yml` says `workspace: ' +
      '{snapshots: false}`.',
  );
}

/**
 * What git says of the differences, in a form that it is asked for: of all files, or of these and of what is in these
 * folders.
 */
export function diffOf({ git, start, end }: Snapshots, form: string[], paths: string[] = []): Promise<Buffer> {
  return git(['--literal-pathspecs', 'diff-tree', '-r', '--no-renames', ...form, start, end, '--', ...paths]);
}

/** The files that differ, by path. */
export async function changesOf(snapshots: Snapshots, paths: string[] = []): Promise<Change[]> {
  const words = (await diffOf(snapshots, ['-z', '--raw', '--numstat'], paths)).toString().split('\0');
  const letters = new Map<string, string>();
  const changes: Change[] = [];
  while (words.length > 1) {
    const word = words.shift() ?? '';
    if (word.startsWith(':')) letters.set(words.shift() ?? '', word.slice(-1));
    else changes.push(toChange(word, letters));
  }
  return changes;
}

/** A line `added TAB deleted TAB path`; of what is no text it says `-`. */
function toChange(line: string, letters: Map<string, string>): Change {
  const [added = '-', deleted = '-', ...rest] = line.split('\t');
  const path = rest.join('\t');
  const count = (text: string): number | null => (text === '-' ? null : Number(text));
  return {
    path,
    change: CHANGES[letters.get(path) ?? ''] ?? 'modified',
    lines_added: count(added),
    lines_deleted: count(deleted),
  };
}
