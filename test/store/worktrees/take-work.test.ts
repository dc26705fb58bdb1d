// @module-tag git
// @seconds 20
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { noteApplied } from '../../../src/store/worktrees/applied.js';
import { commitsOf, tipOf } from '../../../src/store/worktrees/branch.js';
import { beginWork, commitWork } from '../../../src/store/worktrees/commit-tree.js';
import { makeTrees, openTrees } from '../../../src/store/worktrees/make-trees.js';
import { treePlaces } from '../../../src/store/worktrees/places.js';
import { takeWork } from '../../../src/store/worktrees/take-work.js';

let project: string;
let state: string;
beforeEach(() => {
  project = realpathSync(mkdtempSync(join(tmpdir(), 'perdure-taken-')));
  state = join(project, '.perdure');
  mkdirSync(state);
  writeFileSync(join(state, '.gitignore'), '*\n');
  put('a.txt', 'one\n');
});
afterEach(() => rmSync(project, { recursive: true, force: true }));

const put = (name: string, content: string): void => writeFileSync(join(project, name), content);
const make = (run: string, from?: string): ReturnType<typeof makeTrees> =>
  makeTrees(state, { run, project, carry: [], ...(from === undefined ? {} : { from }) });
const tree = (run: string, name = 'main'): string => treePlaces(state, run).tree(name);
const read = (run: string, name: string): string => readFileSync(join(tree(run), name), 'utf8');
const subjects = async (run: string): Promise<string[]> =>
  (await commitsOf((await openTrees(state, run))!)).map(({ subject }) => subject); // it is made

/** A step that changes files and commits them, with a key of its own. */
async function work(run: string, step: string, files: Record<string, string>): Promise<void> {
  await beginWork(state, run, step);
  for (const [name, content] of Object.entries(files)) writeFileSync(join(tree(run, step), name), content);
  const told = { tree: step, step, try: 1, subject: `builder: ${step}`, body: 'Done.', key: `key-${step}` };
  await commitWork(state, { run, ...told, output: { value: `did ${step}` } });
}

const take = (run: string, step: string, after: string[], from = ['first']): ReturnType<typeof takeWork> =>
  takeWork(state, { run, step, try: 1, key: `key-${step}`, after, from });

describe('a step of a rerun', () => {
  beforeEach(async () => {
    await make('first');
    await work('first', 'server', { 'server.js': '1\n' });
    await work('first', 'page', { 'page.html': 'hi\n' });
  });

  it('takes over the commit of the run before, with its output and its files, once', async () => {
    await make('again');
    expect(await take('again', 'server', [])).toEqual({
      commit: expect.stringMatching(/^[0-9a-f]{40}$/) as string,
      output: { value: 'did server' },
      from: 'first',
    });
    const taken = await take('again', 'page', ['server']);
    expect(await take('again', 'page', ['server'])).toEqual(taken);
    expect(await subjects('again')).toEqual(['builder: server', 'builder: page']);
    expect([read('again', 'server.js'), read('again', 'page.html')]).toEqual(['1\n', 'hi\n']);
    const repository = treePlaces(state, 'again').git;
    expect(execFileSync('git', ['--git-dir', repository, 'fsck', '--no-dangling']).toString()).toBe('');
  });

  it('finds the commit again that a worker made before it was lost', async () => {
    await make('again');
    const taken = await take('again', 'server', []);
    await take('again', 'page', ['server']);
    rmSync(join(treePlaces(state, 'again').folder, 'done'), { recursive: true });
    expect(await take('again', 'server', [])).toEqual(taken);
    expect(await subjects('again')).toEqual(['builder: server', 'builder: page']);
  });

  it('waits for who holds the lease of its trees', async () => {
    await make('again');
    const lease = join(treePlaces(state, 'again').folder, 'lease', '1000');
    writeFileSync(lease, String(Date.now() + 60_000));
    const wanted = { run: 'again', step: 'server', try: 1, key: 'key-server', after: [], from: ['first'] };
    const onWait = (): never => {
      throw new Error('It waits.');
    };
    await expect(takeWork(state, wanted, { expiryMs: 60_000, onWait })).rejects.toThrow('It waits.');
  });

  it('takes it from a rerun, too, also when the first run is gone', async () => {
    await make('again');
    await take('again', 'server', []);
    rmSync(treePlaces(state, 'first').folder, { recursive: true });
    await make('third');
    expect(await take('third', 'server', [], ['again', 'first'])).toMatchObject({ from: 'again' });
    expect(read('third', 'server.js')).toBe('1\n');
  });

  it.each<[string, () => Promise<unknown> | void]>([
    ['the project is not as it was', () => put('a.txt', 'two\n')],
    [
      'what it was asked is not the same',
      () => rmSync(join(treePlaces(state, 'first').folder, 'done', 'key-page.json')),
    ],
    ['the run before is gone', () => rmSync(treePlaces(state, 'first').folder, { recursive: true })],
  ])('is done anew where %s', async (_why, change) => {
    await change();
    await make('again');
    expect(await take('again', 'page', [])).toBeNull();
    expect(await subjects('again')).toEqual([]);
    expect(existsSync(join(tree('again'), 'page.html'))).toBe(false);
  });

  it('is done anew where a step before it was', async () => {
    await make('again');
    await work('again', 'server', { 'server.js': '2\n' });
    expect(await take('again', 'page', ['server'])).toBeNull();
  });

  it('is done anew where a step before it has not been taken over, and not where that is beside it', async () => {
    await make('again');
    expect(await take('again', 'page', ['server'])).toBeNull();
    expect(await take('again', 'page', [])).not.toBeNull();
  });

  it('is done anew where a step before it was taken over from another run, which this one had not seen', async () => {
    await make('other');
    await work('other', 'style', { 'style.css': 'b{}\n' });
    await make('again');
    await take('again', 'server', []);
    await take('again', 'style', [], ['other']);
    expect(await take('again', 'page', ['server'])).toMatchObject({ from: 'first' });
    await make('more');
    await take('more', 'server', []);
    await take('more', 'style', [], ['other']);
    expect(await take('more', 'page', ['server', 'style'])).toBeNull();
  });

  it('takes over the output alone where nothing was changed, or what was changed is here already', async () => {
    await work('first', 'idle', {});
    await make('again');
    await take('again', 'server', []);
    await work('again', 'beside', { 'page.html': 'hi\n' });
    for (const step of ['idle', 'page'])
      expect(await take('again', step, ['server'])).toEqual({
        commit: null,
        output: { value: `did ${step}` },
        from: 'first',
      });
    expect(await subjects('again')).toEqual(['builder: server', 'builder: beside']);
  });

  it('is done anew where its commit is not on the branch of the run before', async () => {
    const done = join(treePlaces(state, 'first').folder, 'done');
    const [name = ''] = readdirSync(done).filter((file) => readFileSync(join(done, file), 'utf8').includes('did page'));
    const kept = JSON.parse(readFileSync(join(done, name), 'utf8')) as { start: string; commit: string };
    writeFileSync(join(done, name), JSON.stringify({ ...kept, commit: 'f'.repeat(40) }));
    await make('again');
    await take('again', 'server', []);
    expect(await take('again', 'page', ['server'])).toBeNull();
  });

  it('is done anew where its changes do not fit what was done beside it', async () => {
    await make('again');
    await work('again', 'other', { 'page.html': 'another\n' });
    expect(await take('again', 'page', [])).toBeNull();
    expect(read('again', 'page.html')).toBe('another\n');
  });
});

describe('a run that begins with the work of another', () => {
  beforeEach(async () => {
    await make('first');
    await work('first', 'server', { 'server.js': '1\n', 'a.txt': 'one\nmore\n' });
  });

  it('has it on top of the project as it is, as one commit', async () => {
    put('b.txt', 'mine\n');
    await make('fix', 'first');
    expect([read('fix', 'server.js'), read('fix', 'a.txt'), read('fix', 'b.txt')]).toEqual([
      '1\n',
      'one\nmore\n',
      'mine\n',
    ]);
    expect(await subjects('fix')).toEqual(['What first has built']);
  });

  it('begins with the project alone where that has the work, and was changed since', async () => {
    put('server.js', '1 and mine\n');
    put('a.txt', 'one\nmore\n');
    const trees = await openTrees(state, 'first');
    await noteApplied(treePlaces(state, 'first'), await tipOf(trees!)); // it is made
    await make('fix', 'first');
    expect(read('fix', 'server.js')).toBe('1 and mine\n');
    expect(await subjects('fix')).toEqual([]);
  });

  it('is refused where both have changed the same lines, or the other is gone', async () => {
    put('a.txt', 'one\nmine\n');
    await expect(make('fix', 'first')).rejects.toThrow(/What `first` has built does not fit .*`a\.txt`/);
    await expect(make('other', 'nobody')).rejects.toThrow('The work trees of `nobody` are not there any more.');
  });
});
