import { dirname, join } from 'node:path';
import { z } from 'zod';
import type { Git } from '../../../store/git/git.js';
import { openTrees } from '../../../store/worktrees/make-trees.js';
import type { ChangedFile, CommitFiles } from '../../../store/worktrees/changed-files.js';
import { filesAtBase, filesByCommit } from '../../../store/worktrees/changed-files.js';
import { builtin, ok } from '../handler/builtin.js';
import { isTestFile } from './test-files.js';
import { isManifest, isTestSetup, loadedBy, testScripts, testSetup } from './test-setup.js';

const words = z.array(z.string()).max(1000);
const ids = z.array(z.string().min(1)).max(100);

export const testChanges = builtin({
  description:
    'Says whether the tests of a work tree are as those left them who may write tests, and which other commits have ' +
    'changed them: test files, what `npm test` runs, and what sets up their runner.',
  input: z.strictObject({
    writers: ids.describe('Ids of the steps that may write tests.'),
    fixed: ids.optional().describe('Ids of the steps for which all tests are as they are.'),
    argv: words.optional().describe('The command that runs the tests: what its options load is held, too.'),
  }),
  parallel: true,
  quick: false,
  effect: 'none',
  action: () => ({ kind: 'read', path: '.' }),
  run: async ({ writers, fixed = [], argv = [] }, { store, run }) => {
    const trees = store.folder === null ? null : await openTrees(store.folder, run);
    if (trees === null) return ok({ known: false, ok: true, reason: null, changes: [] });
    const [base, commits] = [await filesAtBase(trees), await filesByCommit(trees)];
    const loaded = await loadedFiles([...base, ...commits.flatMap(({ files }) => files)], argv, trees.git);
    const holds = (path: string): boolean => isTestFile(path) || isTestSetup(path) || loaded.has(path);
    const changes = await changesOf(base, commits, { writers, fixed, holds, value: valueIn(trees.git) });
    return ok({ known: true, ok: changes.length === 0, reason: reasonOf(changes), changes });
  },
});

/** A test that somebody has changed who may not; a type, so that it is JSON. */
type TestChange = { path: string; by: string; commit: string };

interface Rules {
  writers: string[];
  fixed: string[];
  /** Tells whether a file may be a test, or set up how tests are run. */
  holds: (path: string) => boolean;
  /** What of a file is a test, or sets tests up: null where nothing does. */
  value: (file: ChangedFile) => Promise<string | null>;
}

/**
 * Tests that are not as they shall be: as the files had them that the run began with, or as a writer has left them
 * since; for a step of `fixed` as it found them. Tests that others have written themselves are theirs to change until
 * then. What `npm test` runs is held from the beginning, too, and how else tests are set up from the moment that a
 * writer has worked with it.
 */
async function changesOf(base: ChangedFile[], commits: CommitFiles[], rules: Rules): Promise<TestChange[]> {
  const wanted = new Map<string, string | null>();
  const now = new Map<string, string | null>();
  const changed = new Map<string, CommitFiles>();
  for (const file of base.filter(({ path }) => rules.holds(path))) {
    const value = await rules.value(file);
    now.set(file.path, value);
    if (value !== null && isHeldAtOnce(file.path)) wanted.set(file.path, value);
  }
  for (const commit of commits) {
    for (const file of commit.files.filter(({ path }) => rules.holds(path))) {
      const { path } = file;
      const value = await rules.value(file);
      const before = now.get(path) ?? null;
      now.set(path, value);
      if (isOf(commit, rules.writers)) {
        if (value === null) wanted.delete(path);
        else wanted.set(path, value);
      } else if (value !== before) {
        if (isOf(commit, rules.fixed) && !wanted.has(path) && (before !== null || isTestFile(path)))
          wanted.set(path, before);
        changed.set(path, commit);
      }
    }
    if (isOf(commit, rules.writers)) holdSetup(now, wanted);
  }
  return [...wanted].flatMap(([path, value]) => {
    const by = changed.get(path);
    return by === undefined || now.get(path) === value ? [] : [{ path, by: by.subject, commit: by.commit }];
  });
}

/** Tests and their commands are wanted as a run found them, what else sets them up only as a writer left it. */
function isHeldAtOnce(path: string): boolean {
  return isTestFile(path) || isManifest(path);
}

/** Wants tests set up as they are now; a command that is wanted already stays so. */
function holdSetup(now: ReadonlyMap<string, string | null>, wanted: Map<string, string | null>): void {
  for (const [path, value] of now) {
    if (isTestFile(path) || (isManifest(path) && wanted.has(path))) continue;
    if (value === null) wanted.delete(path);
    else wanted.set(path, value);
  }
}

/** Tells whether a step of these ids made a commit, or one in it. */
function isOf({ step }: CommitFiles, steps: string[]): boolean {
  return decodeURI(step)
    .split('/')
    .some((segment) => steps.includes(segment));
}

/** Files that the command of the tests loads by its options, or `npm test` by those of its scripts. */
async function loadedFiles(files: ChangedFile[], argv: string[], git: Git): Promise<Set<string>> {
  const loaded = new Set(loadedBy(argv.join(' ')));
  for (const { path, blob } of files) {
    if (blob === null || !isManifest(path)) continue;
    for (const script of Object.values(testScripts(await textOf(blob, git))))
      for (const file of loadedBy(script)) loaded.add(join(dirname(path), file));
  }
  return loaded;
}

/** Of a file that says more than how tests are set up that alone, of others all. */
function valueIn(git: Git): Rules['value'] {
  return async ({ path, blob }) =>
    blob === null || isTestFile(path) || !isTestSetup(path) ? blob : testSetup(path, await textOf(blob, git));
}

async function textOf(blob: string, git: Git): Promise<string> {
  return (await git(['cat-file', 'blob', blob])).toString();
}

function reasonOf(changes: TestChange[]): string | null {
  if (changes.length === 0) return null;
  const told = changes.map(({ path, by, commit }) => `\`${path}\` by "${by}" (${commit.slice(0, 7)})`);
  return `Tests were changed by others than who writes them: ${told.join(', ')}.`;
}
