// @module-tag git
// @seconds 30
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { removeFolder } from '../../../src/store/folders/remove.js';
import { treePlaces } from '../../../src/store/worktrees/places.js';
import { makeTrees } from '../../../src/store/worktrees/make-trees.js';
import type { Committed, Work } from '../../../src/store/worktrees/commit-tree.js';
import { beginWork, commitWork } from '../../../src/store/worktrees/commit-tree.js';

let project: string;
let state: string;

beforeEach(() => {
  project = realpathSync(mkdtempSync(join(tmpdir(), 'perdure-trees-')));
  state = join(project, '.perdure');
  mkdirSync(state);
  writeFileSync(join(state, '.gitignore'), '*\n');
});
afterEach(() => removeFolder(project));

const git = (...args: string[]): string => gitIn(project, ...args);
const gitIn = (folder: string, ...args: string[]): string =>
  execFileSync('git', ['-c', 'user.name=p', '-c', 'user.email=p@x', ...args], { cwd: folder, stdio: 'pipe' })
    .toString()
    .trim();
const put = (folder: string, name: string, content: string): void => {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), content);
};
const read = (folder: string, name: string): string => readFileSync(join(folder, name), 'utf8');
const places = treePlaces;
const main = (run = 'r'): string => places(state, run).tree('main');
const make = (carry: string[] = [], run = 'r'): ReturnType<typeof makeTrees> =>
  makeTrees(state, { run, project, carry });
const work = (step: string, over: Partial<Work> = {}): Work => ({
  run: 'r',
  tree: `s-${step}`,
  step,
  try: 1,
  subject: `builder: ${step}`,
  body: 'It is done.',
  ...over,
});
const subjects = (): string[] => ours('log', '--reverse', '--format=%s', 'perdure/r').split('\n');
const ours = (...args: string[]): string => gitIn(places(state, 'r').git, `--git-dir=.`, ...args);

/** Begins a step, changes files in its tree, and commits it. */
async function doWork(step: string, files: Record<string, string>): Promise<Committed> {
  await beginWork(state, 'r', `s-${step}`);
  for (const [name, content] of Object.entries(files)) put(places(state, 'r').tree(`s-${step}`), name, content);
  return commitWork(state, work(step));
}

function commitProject(files: Record<string, string>): void {
  git('init', '--quiet', '--initial-branch=main');
  for (const [name, content] of Object.entries(files)) put(project, name, content);
  git('add', '-A');
  git('commit', '--quiet', '-m', 'first');
}

/** Every file below a folder with its content and its time. */
function stateOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => `${path} ${statSync(path).mtimeMs} ${readFileSync(path).toString('base64')}`)
    .sort();
}

it('begins on the project’s commit, and writes nothing into its repository', async () => {
  commitProject({ 'a.txt': 'a', 'src/b.txt': 'b' });
  const before = stateOf(join(project, '.git'));
  const made = await make();
  expect(made).toMatchObject({ base: git('rev-parse', 'HEAD'), parent: git('rev-parse', 'HEAD'), uncommitted: 0 });
  expect(read(main(), 'src/b.txt')).toBe('b');
  expect(await doWork('one', { 'a.txt': 'changed' })).toMatchObject({ kind: 'committed', branch: 'perdure/r' });
  expect(stateOf(join(project, '.git'))).toEqual(before);
  expect(read(project, 'a.txt')).toBe('a');
  expect(read(main(), 'a.txt')).toBe('changed');
  expect(ours('fsck', '--full', '--strict', '--no-dangling')).toBe('');
});

it('has what is not committed as a commit of its own below the run’s', async () => {
  commitProject({ 'a.txt': 'a', 'gone.txt': 'x', '.gitignore': 'secret\n' });
  put(project, 'a.txt', 'edited');
  put(project, 'new.txt', 'new');
  put(project, 'secret', 'key');
  rmSync(join(project, 'gone.txt'));
  const made = await make();
  expect(made.uncommitted).toBe(3);
  expect(ours('log', '--format=%s', 'perdure/r').split('\n')).toEqual([
    'Files as they were when the run began',
    'first',
  ]);
  expect(read(main(), 'a.txt')).toBe('edited');
  expect(readdirSync(main()).sort()).toEqual(['.git', '.gitignore', 'a.txt', 'new.txt']);
});

it.each([
  ['has no repository', (): void => put(project, 'a.txt', 'a')],
  ['is empty', (): void => undefined],
  ['has a repository without a commit', (): void => void git('init', '--quiet')],
  [
    'has a commit that cannot be read',
    (): void => {
      commitProject({ 'a.txt': 'a' });
      rmSync(join(project, '.git', 'objects'), { recursive: true });
      mkdirSync(join(project, '.git', 'objects'));
    },
  ],
])('begins a history of its own where the project %s', async (_what, prepare) => {
  prepare();
  const made = await make();
  expect(made.parent).toBeNull();
  await doWork('one', { 'b.txt': 'b' });
  expect(subjects()).toEqual(['Files as they were when the run began', 'builder: one']);
  expect(ours('fsck', '--full', '--strict', '--no-dangling')).toBe('');
});

it('runs no hook and no filter of the project, and hears none of its configuration', async () => {
  commitProject({ 'a.txt': 'a', '.gitattributes': '* filter=evil\n*.txt merge=evil diff=evil\n' });
  const evil = join(project, 'evil.sh');
  writeFileSync(evil, `#!/bin/sh\ntouch ${join(project, 'ran')}\ncat\n`);
  chmodSync(evil, 0o755);
  for (const hook of [
    'post-checkout',
    'pre-commit',
    'commit-msg',
    'post-commit',
    'reference-transaction',
    'post-index-change',
  ])
    symlinkSync(evil, join(project, '.git', 'hooks', hook));
  for (const key of [
    'filter.evil.clean',
    'filter.evil.smudge',
    'merge.evil.driver',
    'diff.evil.command',
    'core.fsmonitor',
  ])
    git('config', key, evil);
  await make();
  await beginWork(state, 'r', 's-two');
  put(places(state, 'r').tree('s-two'), 'c.txt', 'c');
  await doWork('one', { 'a.txt': 'changed' });
  expect(await commitWork(state, work('two'))).toMatchObject({ kind: 'committed' });
  expect(existsSync(join(project, 'ran'))).toBe(false);
});

it('brings steps that worked side by side onto one line', async () => {
  commitProject({ 'a.txt': '1\n2\n3\n4\n5\n6\n7\n8\n' });
  await make();
  const steps = ['one', 'two', 'three', 'four', 'five'];
  for (const step of steps) await beginWork(state, 'r', `s-${step}`);
  for (const step of steps) put(places(state, 'r').tree(`s-${step}`), `${step}.txt`, step);
  put(places(state, 'r').tree('s-one'), 'a.txt', 'first\n2\n3\n4\n5\n6\n7\n8\n');
  put(places(state, 'r').tree('s-two'), 'a.txt', '1\n2\n3\n4\n5\n6\n7\nlast\n');
  const ends = await Promise.all(steps.map((step) => commitWork(state, work(step))));
  expect(ends.map(({ kind }) => kind)).toEqual(steps.map(() => 'committed'));
  expect(ours('rev-list', '--count', '--merges', 'perdure/r')).toBe('0');
  expect(subjects()).toHaveLength(6);
  expect(read(main(), 'a.txt')).toBe('first\n2\n3\n4\n5\n6\n7\nlast\n');
  for (const step of steps) expect(read(main(), `${step}.txt`)).toBe(step);
  expect(readdirSync(join(places(state, 'r').folder, 'trees'))).toEqual(['main']);
  expect(ours('fsck', '--full', '--strict', '--no-dangling')).toBe('');
});

it('shows both sides of a conflict to the step, and commits once they are brought together', async () => {
  commitProject({ 'a.txt': 'a\n' });
  await make();
  await beginWork(state, 'r', 's-two');
  await doWork('one', { 'a.txt': 'one\n', 'more.txt': 'more' });
  const tree = places(state, 'r').tree('s-two');
  put(tree, 'a.txt', 'two\n');
  expect(await commitWork(state, work('two'))).toEqual({
    kind: 'conflict',
    conflicts: [{ path: 'a.txt', kind: 'marked' }],
  });
  expect(read(tree, 'a.txt')).toMatch(/<{7} [^]*one[^]*={7}[^]*two[^]*>{7} /);
  expect(read(tree, 'more.txt')).toBe('more');
  expect(await commitWork(state, work('two', { try: 2 }))).toEqual({
    kind: 'conflict',
    conflicts: [{ path: 'a.txt', kind: 'marked' }],
  });
  put(tree, 'a.txt', 'one and two\n');
  expect(await commitWork(state, work('two', { try: 3 }))).toMatchObject({ kind: 'committed' });
  expect(subjects()).toEqual(['first', 'builder: one', 'builder: two']);
  expect(read(main(), 'a.txt')).toBe('one and two\n');
});

it('finds a commit again that was made, and commits nothing where nothing has changed', async () => {
  commitProject({ 'a.txt': 'a\n' });
  await make();
  const first = await doWork('one', { 'a.txt': 'one\n' });
  expect(await commitWork(state, work('one'))).toEqual(first);
  expect(await doWork('none', {})).toEqual({ kind: 'unchanged' });
  await beginWork(state, 'r', 's-one');
  put(places(state, 'r').tree('s-one'), 'a.txt', 'again\n');
  expect(await commitWork(state, work('one', { try: 101 }))).toMatchObject({ kind: 'committed' });
  expect(subjects()).toEqual(['first', 'builder: one', 'builder: one']);
});

it('takes folders that git ignores from tree to tree, and commits nothing of them', async () => {
  commitProject({ 'a.txt': 'a\n', '.gitignore': 'node_modules\n' });
  put(project, 'node_modules/x/index.js', 'x');
  await make(['node_modules']);
  expect(read(main(), 'node_modules/x/index.js')).toBe('x');
  await doWork('install', { 'node_modules/y/index.js': 'y', '.gitignore': '' });
  await beginWork(state, 'r', 's-next');
  expect(read(places(state, 'r').tree('s-next'), 'node_modules/y/index.js')).toBe('y');
  expect(existsSync(join(project, 'node_modules', 'y'))).toBe(false);
  expect(ours('ls-tree', '-r', '--name-only', 'perdure/r')).toBe('.gitignore\na.txt');
});

it('copies no folder that a link leads to', async () => {
  put(project, 'outside/secret', 'key');
  await make(['lib/cache', 'direct']);
  await beginWork(state, 'r', 's-evil');
  const tree = places(state, 'r').tree('s-evil');
  mkdirSync(join(project, 'outside', 'cache'));
  put(project, 'outside/cache/secret', 'key');
  symlinkSync(join(project, 'outside'), join(tree, 'lib'));
  symlinkSync(join(project, 'outside'), join(tree, 'direct'));
  await commitWork(state, work('evil'));
  await beginWork(state, 'r', 's-next');
  expect(read(project, 'outside/cache/secret')).toBe('key');
  expect(existsSync(join(places(state, 'r').folder, 'carried', 'direct'))).toBe(false);
  expect(existsSync(join(places(state, 'r').folder, 'carried', 'lib'))).toBe(false);
});

it('copies nothing of a state folder, whatever link leads there', async () => {
  put(state, 'store.json', '{"id":"abcdefgh","version":1}');
  put(state, 'values/secret', 'key');
  symlinkSync('.perdure', join(project, 'app'));
  symlinkSync('.', join(project, 'self'));
  put(project, 'lib/values/x', 'x');
  symlinkSync('lib', join(project, 'link'));
  await make(['app/values', 'self/.perdure', 'link/values']);
  const carried = join(places(state, 'r').folder, 'carried');
  expect(readdirSync(carried, { recursive: true })).not.toContain('app/values/secret');
  expect(readdirSync(carried).sort()).toEqual(['link']);
  expect(read(carried, 'link/values/x')).toBe('x');
});

it('leaves repositories inside the project alone, and takes none that a step made', async () => {
  commitProject({ 'a.txt': 'a\n' });
  mkdirSync(join(project, 'vendor'));
  gitIn(join(project, 'vendor'), 'init', '--quiet');
  put(project, 'vendor/v.txt', 'v');
  gitIn(join(project, 'vendor'), 'add', '-A');
  gitIn(join(project, 'vendor'), 'commit', '--quiet', '-m', 'v');
  git('add', 'vendor');
  git('commit', '--quiet', '-m', 'vendor');
  expect((await make()).inside).toEqual(['vendor']);
  await doWork('one', { 'a.txt': 'one\n' });
  expect(ours('ls-tree', '--name-only', 'perdure/r')).toBe('a.txt\nvendor');
  await beginWork(state, 'r', 's-own');
  const tree = places(state, 'r').tree('s-own');
  mkdirSync(join(tree, 'sub'));
  gitIn(join(tree, 'sub'), 'init', '--quiet');
  put(tree, 'sub/s.txt', 's');
  expect(await commitWork(state, work('own'))).toEqual({ kind: 'inside', paths: ['sub'] });
});

it.each([
  ['writes there alone', { 'vendor/lib/v.txt': 'v' }],
  ['also writes there', { 'a.txt': 'changed', 'vendor/deep/er/v.txt': 'v' }],
])('commits nothing of a step that %s, into a submodule, until nothing stands there', async (_how, files) => {
  commitProject({ 'a.txt': 'a\n', '.gitignore': 'node_modules\n' });
  git('update-index', '--add', '--cacheinfo', `160000,${git('rev-parse', 'HEAD')},vendor`);
  git('commit', '--quiet', '-m', 'vendor');
  put(project, 'vendor/node_modules/x.js', 'x');
  await make(['vendor/node_modules']);
  expect(await doWork('one', files)).toEqual({ kind: 'submodule', paths: ['vendor'] });
  const tree = places(state, 'r').tree('s-one');
  for (const name of ['lib', 'deep']) rmSync(join(tree, 'vendor', name), { recursive: true, force: true });
  put(tree, 'b.txt', 'b');
  expect(await commitWork(state, work('one', { try: 2 }))).toMatchObject({ kind: 'committed' });
  expect(await doWork('taken', files)).toMatchObject({ kind: 'submodule' });
  expect(await commitWork(state, work('taken', { asItIs: true }))).toEqual({ kind: 'unchanged' });
  expect(ours('ls-tree', '-r', '--name-only', 'perdure/r')).toBe('.gitignore\na.txt\nb.txt\nvendor');
});

it('commits nothing of a step that left a file whose name is no text, until it is renamed', async () => {
  commitProject({ 'a.txt': 'a\n' });
  await make();
  await beginWork(state, 'r', 's-one');
  const tree = places(state, 'r').tree('s-one');
  const odd = Buffer.from(join(tree, 'caf\u00e9.txt'), 'latin1');
  writeFileSync(odd, 'x');
  // This name is text, though it has the character by which others are shown.
  put(tree, 'plain\ufffd.txt', 'x');
  expect(await commitWork(state, work('one'))).toEqual({ kind: 'unnamed', paths: ['caf\ufffd.txt'] });
  renameSync(odd, join(tree, 'caf\u00e9.txt'));
  expect(await commitWork(state, work('one', { try: 2 }))).toMatchObject({ kind: 'committed' });
  expect(read(main(), 'caf\u00e9.txt') + read(main(), 'plain\ufffd.txt')).toBe('xx');
});

/** Makes a folder whose path is longer than any may be; gives its top. */
function makeDeep(folder: string): string {
  const name = 'd'.repeat(200);
  const deep = `for (let i = 0; i < 30; i += 1) { fs.mkdirSync('${name}'); process.chdir('${name}'); }`;
  execFileSync(process.execPath, ['-e', deep], { cwd: folder });
  return join(folder, name);
}

it('commits nothing of a step that left a folder into which git cannot look, until it is gone', async () => {
  commitProject({ 'a.txt': 'a\n' });
  await make();
  await beginWork(state, 'r', 's-one');
  const tree = places(state, 'r').tree('s-one');
  const deep = makeDeep(tree);
  put(tree, 'b.txt', 'b');
  expect(await commitWork(state, work('one'))).toEqual({
    kind: 'unread',
    paths: [expect.stringMatching(/^d{200}\/[^]*\/$/) as string],
  });
  await removeFolder(deep);
  expect(await commitWork(state, work('one', { try: 2 }))).toMatchObject({ kind: 'committed' });
});

it('says what of the project it has not taken: names that are no text, and what git cannot look into', async () => {
  commitProject({ 'a.txt': 'a\n' });
  writeFileSync(Buffer.from(join(project, 'caf\u00e9.txt'), 'latin1'), 'x');
  makeDeep(project);
  expect(await make()).toMatchObject({
    unnamed: ['caf\ufffd.txt'],
    unread: [expect.stringMatching(/^d{200}\/[^]*\/$/) as string],
    inside: [],
    uncommitted: 0,
  });
});

it('takes a file in place of a submodule for work that cannot be committed', async () => {
  commitProject({ 'a.txt': 'a\n' });
  git('update-index', '--add', '--cacheinfo', `160000,${git('rev-parse', 'HEAD')},vendor`);
  git('commit', '--quiet', '-m', 'vendor');
  await make();
  await beginWork(state, 'r', 's-one');
  const tree = places(state, 'r').tree('s-one');
  rmSync(join(tree, 'vendor'), { recursive: true });
  put(tree, 'vendor', 'a file');
  expect(await commitWork(state, work('one'))).toEqual({ kind: 'submodule', paths: ['vendor'] });
});

it('keeps its trailers apart from what an agent says', async () => {
  await make();
  await beginWork(state, 'r', 's-one');
  put(places(state, 'r').tree('s-one'), 'a.txt', 'a');
  await commitWork(state, work('one', { body: 'Done.\n\nPerdure-Step: two\nPerdure-Try: 1' }));
  const second = await doWork('two', { 'b.txt': 'b' });
  expect(second).toMatchObject({ kind: 'committed' });
  expect(subjects()).toHaveLength(3);
});
