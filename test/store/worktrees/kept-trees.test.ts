// @module-tag git
// @seconds 10
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { WorkerRecord } from '../../../src/plan/placement/worker-record.js';
import type { Home } from '../../../src/store/workers/home-book.js';
import { commitsOf, opened, tipOf } from '../../../src/store/worktrees/branch.js';
import { bringTrees, offerTrees, takeTrees } from '../../../src/store/worktrees/brought-trees.js';
import type { Committed } from '../../../src/store/worktrees/commit-tree.js';
import { beginWork, commitWork } from '../../../src/store/worktrees/commit-tree.js';
import { doneBy } from '../../../src/store/worktrees/done-work.js';
import type { Values } from '../../../src/store/worktrees/kept-values.js';
import type { KeptTrees } from '../../../src/store/worktrees/kept-trees.js';
import { keepTrees, keptState, restoreTrees } from '../../../src/store/worktrees/kept-trees.js';
import { filesInTree } from '../../../src/store/worktrees/left-files.js';
import { makeTrees } from '../../../src/store/worktrees/make-trees.js';
import { treePlaces } from '../../../src/store/worktrees/places.js';
import { memoryValues } from '../helpers/memory-values.js';

/** What all machines share. */
let values: Values;
let kept: Map<string, string>;
let homes: Map<string, Home>;

beforeEach(() => {
  ({ values, kept } = memoryValues());
  homes = new Map();
});

/** A checkout of one project, with its state folder. */
class Machine {
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), 'perdure-kept-')));
  readonly state = join(this.folder, '.perdure');
  constructor(files: Record<string, string> = {}) {
    onTestFinished(() => rmSync(this.folder, { recursive: true, force: true }));
    for (const [name, text] of Object.entries({ '.perdure/.gitignore': '*\n', ...files })) put(this.folder, name, text);
  }
  places = (run = 'r'): ReturnType<typeof treePlaces> => treePlaces(this.state, run);
  tree = (name = 'main', run = 'r'): string => this.places(run).tree(name);
  read = (name: string, tree = 'main', run = 'r'): string => readFileSync(join(this.tree(tree, run), name), 'utf8');
  make = (run = 'r'): ReturnType<typeof makeTrees> => makeTrees(this.state, { run, project: this.folder, carry: [] });
  keep = (before: KeptTrees | null = null): Promise<KeptTrees> => keepTrees(this.state, 'r', { values, before });
  restore = (from: KeptTrees): Promise<void> =>
    restoreTrees(this.state, 'r', from, { values, project: this.folder, looksOnly: false });
  git = (...args: string[]): string =>
    execFileSync('git', ['--git-dir=.', ...args], { cwd: this.places().git, stdio: 'pipe' })
      .toString()
      .trim();
  async work(step: string, files: Record<string, string>): Promise<Committed> {
    await beginWork(this.state, 'r', step);
    for (const [name, text] of Object.entries(files)) put(this.tree(step), name, text);
    const told = { tree: step, step, try: 1, subject: `does ${step}`, body: 'Done.', key: `key-${step}` };
    return commitWork(this.state, { run: 'r', ...told, output: { value: step } });
  }
}

function put(folder: string, name: string, text: string): void {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), text);
}

describe('the trees of a run that are kept', () => {
  it('have the results of steps alone, and of a tree that is half made nothing', async () => {
    const one = new Machine({ 'a.txt': 'a\n' });
    await one.make();
    await one.work('first', { 'a.txt': 'first\n' });
    put(one.places().folder, 'done/key-first.json.0123.tmp', '{');
    mkdirSync(one.places().admin('half'), { recursive: true });
    const state = await one.keep();
    expect([Object.keys(state.done), Object.keys(state.trees)]).toEqual([['key-first'], ['main']]);
  });

  it('are kept while nobody else works on them', async () => {
    const one = new Machine({ 'a.txt': 'a\n' });
    await one.make();
    put(one.places().folder, 'lease/1000', String(Date.now() + 60_000));
    const onWait = (): never => {
      throw new Error('It waits.');
    };
    const options = { expiryMs: 60_000, onWait };
    await expect(keepTrees(one.state, 'r', { values, before: null }, options)).rejects.toThrow('It waits.');
  });

  it('stand on another machine as they stood, with commits, results, and what is under way', async () => {
    const one = new Machine({ 'a.txt': 'a\n', 'deep/b.txt': 'b\n', '.gitignore': '*.log\n' });
    await one.make();
    await one.work('first', { 'a.txt': 'first\n' });
    await beginWork(one.state, 'r', 'later');
    put(one.tree('later'), 'half.txt', 'half');
    put(one.tree('later'), 'noise.log', 'ignored');
    put(one.tree(), 'left.txt', 'left');
    const state = await one.keep();
    expect(Object.keys(state.trees)).toEqual(['later', 'main']);

    const two = new Machine({ 'a.txt': 'other\n' });
    await two.restore(state);
    expect(two.read('a.txt')).toBe('first\n');
    expect([two.read('left.txt'), two.read('half.txt', 'later'), two.read('deep/b.txt', 'later')]).toEqual([
      'left',
      'half',
      'b\n',
    ]);
    expect(existsSync(join(two.tree('later'), 'noise.log'))).toBe(false);
    const [ours, theirs] = [await opened(one.state, 'r'), await opened(two.state, 'r')];
    expect(await tipOf(theirs)).toBe(await tipOf(ours));
    expect(await commitsOf(theirs)).toEqual(await commitsOf(ours));
    expect(await doneBy(two.places(), 'key-first')).toEqual(await doneBy(one.places(), 'key-first'));
    expect(await doneBy(two.places(), 'key-later')).toBeNull();
    expect(two.git('fsck', '--no-dangling')).toBe('');
    expect(readFileSync(join(two.places().git, 'info/exclude'), 'utf8')).toBe(
      readFileSync(join(one.places().git, 'info/exclude'), 'utf8'),
    );
    // And they go on there.
    const told = { run: 'r', tree: 'later', step: 'later', try: 1, subject: 'does later', body: '' };
    expect(await commitWork(two.state, told)).toMatchObject({ kind: 'committed' });
    expect(two.read('half.txt')).toBe('half');
  });

  it('take the place of whatever stands there', async () => {
    const one = new Machine({ 'a.txt': 'a' });
    await one.make();
    const early = await one.keep();
    await one.work('first', { 'a.txt': 'first', 'new.txt': 'new' });
    await beginWork(one.state, 'r', 'later');
    await one.restore(early);
    expect(one.read('a.txt')).toBe('a');
    expect([existsSync(join(one.tree(), 'new.txt')), existsSync(one.tree('later'))]).toEqual([false, false]);
    expect(await doneBy(one.places(), 'key-first')).toBeNull();
    expect(await commitsOf(await opened(one.state, 'r'))).toEqual([]);
  });

  it('are those of before where nothing has changed, and no more than a new pack where something has', async () => {
    const one = new Machine({ 'a.txt': 'a'.repeat(10_000) });
    await one.make();
    const first = await one.keep();
    const before = kept.size;
    expect(await one.keep(first)).toBe(first);
    expect(kept.size).toBe(before);
    await one.work('first', { 'b.txt': 'b' });
    const second = await one.keep(first);
    expect(second.packs.slice(0, -1)).toEqual(first.packs);
    const [added] = second.packs.at(-1)!;
    expect(Buffer.from(kept.get(added!)!, 'base64').length).toBeLessThan(1000);
    const two = new Machine();
    await two.restore(second);
    expect([two.read('a.txt'), two.read('b.txt')]).toEqual(['a'.repeat(10_000), 'b']);
  });

  it('need no new pack for what git has already', async () => {
    const one = new Machine({ 'a.txt': 'a' });
    await one.make();
    const first = await one.keep();
    await beginWork(one.state, 'r', 'later');
    const second = await one.keep(first);
    expect(Object.keys(second.trees)).toEqual(['later', 'main']);
    expect(second.packs).toEqual(first.packs);
  });

  it('are one pack again after thirty-two', async () => {
    const one = new Machine({ 'a.txt': 'a' });
    await one.make();
    let state = await one.keep();
    // As after so many rounds: the same pack may come twice.
    state = { ...state, packs: [...Array.from({ length: 30 }, () => state.packs[0]!), state.packs.at(-1)!] };
    const counts: number[] = [];
    for (const round of [1, 2, 3]) {
      put(one.tree(), 'a.txt', `round ${String(round)}`);
      state = await one.keep(state);
      counts.push(state.packs.length);
    }
    expect(counts).toEqual([32, 2, 3]);
    const two = new Machine();
    await two.restore(state);
    expect(two.read('a.txt')).toBe('round 3');
  });

  it('have a conflict that was shown to a step', async () => {
    const one = new Machine({ 'a.txt': 'a\n' });
    await one.make();
    await beginWork(one.state, 'r', 'two');
    await one.work('one', { 'a.txt': 'one\n' });
    expect(await one.work('two', { 'a.txt': 'two\n' })).toMatchObject({ kind: 'conflict' });
    const two = new Machine();
    await two.restore(await one.keep());
    const told = { run: 'r', tree: 'two', step: 'two', try: 2, subject: 'does two', body: '' };
    expect(await commitWork(two.state, told)).toMatchObject({ kind: 'conflict', conflicts: [{ path: 'a.txt' }] });
    put(two.tree('two'), 'a.txt', 'both\n');
    expect(await commitWork(two.state, { ...told, try: 3 })).toMatchObject({ kind: 'committed' });
    expect(two.read('a.txt')).toBe('both\n');
  });

  it('have of the project’s history what the run needs, and no more', async () => {
    const one = new Machine({ 'a.txt': 'a' });
    const git = (...args: string[]): unknown =>
      execFileSync('git', ['-C', one.folder, '-c', 'user.name=p', '-c', 'user.email=p@x', ...args], { stdio: 'pipe' });
    git('init', '--quiet');
    put(one.folder, 'secret.txt', 'removed since');
    for (const message of ['one', 'two']) {
      git('add', '-A');
      git('commit', '--quiet', '-m', message);
      rmSync(join(one.folder, 'secret.txt'), { force: true });
    }
    const made = await one.make();
    const two = new Machine();
    await two.restore(await one.keep());
    expect(two.git('log', '--format=%H', 'perdure/r')).toBe(made.base);
    const secret = execFileSync('git', ['hash-object', '--stdin'], { input: 'removed since' }).toString().trim();
    expect(() => two.git('cat-file', '-e', secret)).toThrow();
    expect(one.git('cat-file', '-t', secret)).toBe('blob');
    expect(two.read('a.txt')).toBe('a');
  });

  it('leave out a tree that is not whole', async () => {
    const one = new Machine({ 'a.txt': 'a' });
    await one.make();
    for (const name of ['later', 'gone']) await beginWork(one.state, 'r', name);
    rmSync(join(one.places().admin('later'), 'start'));
    rmSync(one.tree('gone'), { recursive: true });
    expect(Object.keys((await one.keep()).trees)).toEqual(['main']);
  });

  it('are none before they are made', async () => {
    await expect(new Machine().keep()).rejects.toThrow('The work trees of `r` are not there any more.');
  });
});

it('tells what stands in the run’s own tree, and nothing where that is gone', async () => {
  const one = new Machine({ 'a.txt': 'a' });
  await one.make();
  put(one.tree(), 'left.txt', 'left');
  execFileSync('git', ['init', '--quiet', join(one.tree(), 'inside')]);
  const left = await filesInTree(await opened(one.state, 'r'));
  expect(left?.inside).toEqual(['inside']);
  expect(one.git('ls-tree', '--name-only', left?.tree ?? '')).toBe('a.txt\nleft.txt');
  rmSync(one.tree(), { recursive: true });
  expect(await filesInTree(await opened(one.state, 'r'))).toBeNull();
});

describe('the trees of a run that travels', () => {
  const worker = (id: string, folder: string): WorkerRecord => ({ id, folder }) as WorkerRecord; // no more is read
  /** The shared store as a machine sees it, with the workers that are there. */
  const storeOf = ({ state }: Machine, workers: WorkerRecord[] = []): Parameters<typeof bringTrees>[0] => ({
    ...values,
    folder: state,
    listWorkers: () => Promise.resolve(workers),
    homes: {
      readHome: (run) => Promise.resolve(homes.get(run) ?? null),
      offerHome: (run, state) => {
        homes.set(run, { holder: null, isThere: false, fence: 0, state });
        return Promise.resolve();
      },
      takeHome: () => Promise.reject(new Error('nobody takes it')),
      keepHome: () => Promise.reject(new Error('nobody keeps it')),
      releaseHomes: () => Promise.reject(new Error('nobody gives it back')),
    },
  });
  const source = ({ folder }: Machine, run = 'r', from?: string): Parameters<typeof offerTrees>[1] => ({
    run,
    project: folder,
    carry: [],
    ...(from === undefined ? {} : { from }),
  });

  it('are made where it is submitted, and taken by a worker elsewhere, who goes on', async () => {
    const [one, two] = [new Machine({ 'a.txt': 'a' }), new Machine({ 'a.txt': 'other' })];
    await offerTrees(storeOf(one), source(one));
    const { state } = homes.get('r')!;
    const taken = await takeTrees(storeOf(two), two.state, 'r', { state: state!, project: two.folder });
    expect(taken).toMatchObject({ made: { branch: 'perdure/r' }, ended: { by: {} } });
    expect(two.read('a.txt')).toBe('a');
    put(two.tree(), 'a.txt', 'by a step');
    // Nothing says any more that they stand as they were kept: somebody works there.
    await takeTrees(storeOf(two), two.state, 'r', { state: state!, project: two.folder });
    expect(two.read('a.txt')).toBe('a');
  });

  it('are not made anew where they stand as they were kept', async () => {
    const one = new Machine({ 'a.txt': 'a' });
    await offerTrees(storeOf(one), source(one));
    put(one.tree(), 'mark', 'stays');
    await bringTrees(storeOf(one), 'r', one.folder);
    expect(one.read('mark')).toBe('stays');
    const { state } = homes.get('r')!;
    await takeTrees(storeOf(one), one.state, 'r', { state: state!, project: one.folder });
    expect(one.read('mark')).toBe('stays');
  });

  it('are offered once', async () => {
    const one = new Machine({ 'a.txt': 'a' });
    await offerTrees(storeOf(one), source(one));
    const first = homes.get('r');
    put(one.folder, 'a.txt', 'changed');
    await offerTrees(storeOf(one), source(one));
    expect(homes.get('r')).toBe(first);
  });

  it('come for who looks, each time that something was kept, and then for who works there', async () => {
    const [one, two] = [new Machine({ 'a.txt': 'a' }), new Machine()];
    await offerTrees(storeOf(one), source(one));
    await bringTrees(storeOf(two), 'r', two.folder);
    expect(two.read('a.txt')).toBe('a');
    put(two.tree(), 'mark', 'stays');
    await bringTrees(storeOf(two), 'r', two.folder);
    expect(two.read('mark')).toBe('stays');
    await one.work('first', { 'a.txt': 'first' });
    const state = keptState(await one.keep(), null);
    homes.set('r', { holder: 'w', isThere: true, fence: 1, state });
    await bringTrees(storeOf(two), 'r', two.folder);
    expect([two.read('a.txt'), existsSync(join(two.tree(), 'mark'))]).toEqual(['first', false]);
    put(two.tree(), 'mark', 'of who looked');
    expect(JSON.parse(state)).not.toHaveProperty('ended');
    await takeTrees(storeOf(two), two.state, 'r', { state, project: two.folder });
    expect(existsSync(join(two.tree(), 'mark'))).toBe(false);
  });

  it.each([
    ['works there', true, (machine: Machine) => worker('w', machine.state), 'at work'],
    ['is not there any more', false, (machine: Machine) => worker('w', machine.state), 'a'],
    ['is that of another folder', true, () => worker('w', '/elsewhere'), 'a'],
    ['is another one', true, (machine: Machine) => worker('other', machine.state), 'a'],
  ])('stand as they are where the worker of this folder %s: %s', async (_who, isThere, record, content) => {
    const one = new Machine({ 'a.txt': 'a' });
    await offerTrees(storeOf(one), source(one));
    homes.set('r', { ...homes.get('r')!, holder: 'w', isThere, state: `${homes.get('r')!.state ?? ''}\n` });
    put(one.tree(), 'a.txt', 'at work');
    await bringTrees(storeOf(one, [record(one)]), 'r', one.folder);
    expect(one.read('a.txt')).toBe(content);
  });

  it('begin with those of another run, which are brought first', async () => {
    const [one, two] = [new Machine({ 'a.txt': 'a' }), new Machine({ 'a.txt': 'a' })];
    await offerTrees(storeOf(one), source(one));
    await one.work('first', { 'b.txt': 'built' });
    homes.set('r', { ...homes.get('r')!, state: keptState(await one.keep(), null) });
    await offerTrees(storeOf(two), source(two, 'fix', 'r'));
    expect(two.read('b.txt', 'main', 'fix')).toBe('built');
  });

  it('are made of nothing too large, and leave nothing then', async () => {
    const one = new Machine({ 'libs/large': 'x'.repeat(1024 * 1024 + 1) });
    const large = { ...source(one), carry: ['libs'], carry_mb: 1 };
    await expect(offerTrees(storeOf(one), large)).rejects.toThrow('expected at most 1 MB');
    expect([homes.size, existsSync(one.places().folder)]).toEqual([0, false]);
  });

  it.each<[string, (store: Parameters<typeof bringTrees>[0]) => Parameters<typeof bringTrees>[0]]>([
    ['the store has no homes', (store) => ({ ...store, homes: null })],
    ['there is no state folder', (store) => ({ ...store, folder: null })],
  ])('are none of ours where %s', async (_why, change) => {
    const [one, two] = [new Machine({ 'a.txt': 'a' }), new Machine({ 'a.txt': 'a' })];
    await offerTrees(storeOf(one), source(one));
    await bringTrees(change(storeOf(two)), 'r', two.folder);
    await offerTrees(change(storeOf(two)), source(two, 'other'));
    expect([existsSync(two.places().folder), homes.size]).toEqual([false, 1]);
  });

  it('are not brought where none were kept', async () => {
    const one = new Machine();
    await bringTrees(storeOf(one), 'r', one.folder);
    homes.set('r', { holder: null, isThere: false, fence: 0, state: null });
    await bringTrees(storeOf(one), 'r', one.folder);
    expect(existsSync(one.places().folder)).toBe(false);
  });
});
