import { z } from 'zod';
import type { Git } from '../../../store/git/git.js';
import { openTrees } from '../../../store/worktrees/make-trees.js';
import type { ChangedFile, CommitFiles } from '../../../store/worktrees/changed-files.js';
import { filesAtBase, filesByCommit } from '../../../store/worktrees/changed-files.js';
import { builtin, ok } from '../handler/builtin.js';
import { isTestFile, testScript } from './test-files.js';

const ids = z.array(z.string().min(1)).max(100);

export const testChanges = builtin({
  description:
    'Says whether the tests of a work tree are as those left them who may write tests, and which other commits have ' +
    'changed them: test files, and what `npm test` runs.',
  input: z.strictObject({
    writers: ids.describe('Ids of the steps that may write tests.'),
    fixed: ids.optional().describe('Ids of the steps for which all tests are as they are.'),
  }),
  parallel: true,
  quick: false,
  effect: 'none',
  action: () => ({ kind: 'read', path: '.' }),
  run: async ({ writers, fixed = [] }, { store, run }) => {
    const trees = store.folder === null ? null : await openTrees(store.folder, run);
    if (trees === null) return ok({ known: false, ok: true, reason: null, changes: [] });
    const value = valueIn(trees.git);
    const changes = await changesOf(await filesAtBase(trees), await filesByCommit(trees), { writers, fixed, value });
    return ok({ known: true, ok: changes.length === 0, reason: reasonOf(changes), changes });
  },
});

/** A test that somebody has changed who may not; a type, so that it is JSON. */
type TestChange = { path: string; by: string; commit: string };

interface Rules {
  writers: string[];
  fixed: string[];
  /** What of a file is a test: null where nothing is. */
  value: (file: ChangedFile) => Promise<string | null>;
}

/**
 * Tests that are not as they shall be: as the files had them that the run began with, or as a writer has left them
 * since; for a step of `fixed` as it found them. Tests that others have written themselves are theirs to change until
 * then; what `npm test` runs is not from the moment that a writer has worked with it.
 */
async function changesOf(base: ChangedFile[], commits: CommitFiles[], rules: Rules): Promise<TestChange[]> {
  const wanted = new Map<string, string | null>();
  const now = new Map<string, string | null>();
  const changed = new Map<string, CommitFiles>();
  for (const file of base.filter(({ path }) => mayHoldTests(path))) {
    const value = await rules.value(file);
    now.set(file.path, value);
    if (value !== null) wanted.set(file.path, value);
  }
  for (const commit of commits) {
    for (const file of commit.files.filter(({ path }) => mayHoldTests(path))) {
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
    if (isOf(commit, rules.writers)) holdCommands(now, wanted);
  }
  return [...wanted].flatMap(([path, value]) => {
    const by = changed.get(path);
    return by === undefined || now.get(path) === value ? [] : [{ path, by: by.subject, commit: by.commit }];
  });
}

/** Adds what `npm test` runs to what is wanted, where nothing is yet. */
function holdCommands(now: ReadonlyMap<string, string | null>, wanted: Map<string, string | null>): void {
  for (const [path, value] of now) if (isManifest(path) && value !== null && !wanted.has(path)) wanted.set(path, value);
}

/** Tells whether a step of these ids made a commit, or one in it. */
function isOf({ step }: CommitFiles, steps: string[]): boolean {
  return decodeURI(step)
    .split('/')
    .some((segment) => steps.includes(segment));
}

function mayHoldTests(path: string): boolean {
  return isTestFile(path) || isManifest(path);
}

function isManifest(path: string): boolean {
  return path === 'package.json' || path.endsWith('/package.json');
}

/** Of a manifest what `npm test` runs, of a test file all of it. */
function valueIn(git: Git): Rules['value'] {
  return async ({ path, blob }) => {
    if (blob === null || !isManifest(path)) return blob;
    const script = testScript((await git(['cat-file', 'blob', blob])).toString());
    return script === 'null' ? null : script;
  };
}

function reasonOf(changes: TestChange[]): string | null {
  if (changes.length === 0) return null;
  const told = changes.map(({ path, by, commit }) => `\`${path}\` by "${by}" (${commit.slice(0, 7)})`);
  return `Tests were changed by others than who writes them: ${told.join(', ')}.`;
}
