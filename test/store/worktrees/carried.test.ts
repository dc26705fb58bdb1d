// @module-tag git
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { sha256 } from '../../../src/store/hash.js';
import { carryFault } from '../../../src/store/worktrees/carried.js';
import type { Values } from '../../../src/store/worktrees/kept-values.js';
import type { KeptTrees } from '../../../src/store/worktrees/kept-trees.js';
import { keepTrees, restoreTrees } from '../../../src/store/worktrees/kept-trees.js';
import { makeTrees } from '../../../src/store/worktrees/make-trees.js';
import { treePlaces } from '../../../src/store/worktrees/places.js';
import { memoryValues } from '../helpers/memory-values.js';

const MB = 1024 * 1024;

let values: Values;

beforeEach(() => {
  ({ values } = memoryValues());
});

function project(files: Record<string, string>): { folder: string; state: string; tree: (name: string) => string } {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'perdure-carried-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const state = join(folder, '.perdure');
  mkdirSync(state);
  for (const [name, text] of Object.entries({ '.gitignore': 'libs\n.perdure\n', ...files })) put(folder, name, text);
  return { folder, state, tree: (name) => join(treePlaces(state, 'r').tree('main'), name) };
}

function put(folder: string, name: string, text: string | Buffer): void {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), text);
}

/** A run of a project with `libs`, as it was kept when it began. */
async function begin(of: ReturnType<typeof project>, before: KeptTrees | null = null): Promise<KeptTrees> {
  await makeTrees(of.state, { run: 'r', project: of.folder, carry: ['libs'] });
  return keepTrees(of.state, 'r', { values, before });
}

describe('folders that git ignores', () => {
  it('come from the store as they were, on a machine whose project has others', async () => {
    const first = project({ 'a.txt': 'a', 'libs/lib.js': 'ours', 'libs/deep/-x y/.gitignore': '*\n' });
    put(first.folder, 'libs/.git/HEAD', 'ref: refs/heads/main\n');
    put(first.folder, 'libs/bin/run', '#!/bin/sh\n');
    chmodSync(join(first.folder, 'libs/bin/run'), 0o750);
    mkdirSync(join(first.folder, 'libs/empty'));
    symlinkSync('../../outside', join(first.folder, 'libs/link'));
    utimesSync(join(first.folder, 'libs/lib.js'), 1_000_000_000, 1_000_000_000);
    const state = await begin(first);
    put(first.folder, 'libs/lib.js', 'changed since');

    const other = project({ 'a.txt': 'other', 'libs/lib.js': 'theirs', 'libs/more': 'theirs' });
    await restoreTrees(other.state, 'r', state, { values, project: other.folder, looksOnly: false });
    expect(readFileSync(other.tree('a.txt'), 'utf8')).toBe('a');
    expect(readFileSync(other.tree('libs/lib.js'), 'utf8')).toBe('ours');
    expect(statSync(other.tree('libs/lib.js')).mtimeMs).toBe(1_000_000_000_000);
    expect(readFileSync(other.tree('libs/deep/-x y/.gitignore'), 'utf8')).toBe('*\n');
    expect(existsSync(other.tree('libs/.git/HEAD'))).toBe(true);
    expect(statSync(other.tree('libs/bin/run')).mode & 0o777).toBe(0o750);
    expect(lstatSync(other.tree('libs/empty')).isDirectory()).toBe(true);
    expect(readlinkSync(other.tree('libs/link'))).toBe('../../outside');
    expect(existsSync(other.tree('libs/more'))).toBe(false);
    expect(readFileSync(join(other.folder, 'libs/lib.js'), 'utf8')).toBe('theirs');
    expect(existsSync(join(treePlaces(other.state, 'r').folder, 'carried.tar'))).toBe(false);
  });

  it('are kept once, and the same ones of two runs as the same values', async () => {
    const files = { 'libs/lib.js': 'ours', 'libs/noise': noise(7 * MB) };
    const one = project({ ...files, 'a.txt': 'a' });
    const state = await begin(one);
    expect(state.carried).toHaveLength(2);
    put(one.folder, 'libs/lib.js', 'changed since');
    put(treePlaces(one.state, 'r').tree('main'), 'a.txt', 'by a step');
    const later = await begin(one, state);
    expect(later).not.toEqual(state);
    expect(later.carried).toEqual(state.carried);

    await makeTrees(one.state, { run: 'next', project: one.folder, carry: ['libs'] });
    put(one.folder, 'libs/lib.js', 'ours');
    const next = await keepTrees(one.state, 'next', { values, before: null });
    expect(next.carried?.[1]).toBe(state.carried?.[1]);
  });

  it('are kept without what is neither file, folder nor link, and may hold nothing at all', async () => {
    const first = project({ 'a.txt': 'a', 'libs/lib.js': 'ours' });
    execFileSync('sh', ['-c', 'mkfifo libs/pipe'], { cwd: first.folder });
    const state = await begin(first);
    const other = project({ 'a.txt': 'other' });
    await restoreTrees(other.state, 'r', state, { values, project: other.folder, looksOnly: false });
    expect([existsSync(other.tree('libs/lib.js')), existsSync(other.tree('libs/pipe'))]).toEqual([true, false]);

    const without = project({ 'a.txt': 'a' });
    const none = await begin(without);
    expect(none.carried).toEqual([]);
    await restoreTrees(other.state, 'r', none, { values, project: other.folder, looksOnly: false });
    expect(existsSync(other.tree('libs'))).toBe(false);
    expect(carryFault(other.folder, { carry: ['libs'], carry_mb: 0 })).toBeNull();
  });

  it('are left out for who only looks, and taken from the project where none were kept', async () => {
    const first = project({ 'a.txt': 'a', 'libs/lib.js': 'ours' });
    const state = await begin(first);
    const { carried: _carried, ...without } = state;
    const other = project({ 'libs/lib.js': 'theirs' });
    const to = { values, project: other.folder };
    await restoreTrees(other.state, 'r', state, { ...to, looksOnly: true });
    expect([existsSync(other.tree('a.txt')), existsSync(other.tree('libs'))]).toEqual([true, false]);
    await restoreTrees(other.state, 'r', without, { ...to, looksOnly: false });
    expect(readFileSync(other.tree('libs/lib.js'), 'utf8')).toBe('theirs');
  });

  it('are of no size that is not said: the message names the largest, what all have, and the limit', () => {
    const { folder } = project({ 'libs/a': noise(2 * MB), 'libs/deep/b': noise(MB), 'cache/c': 'c' });
    symlinkSync(join(folder, 'libs'), join(folder, 'cache', 'link'));
    const fault = (carry: string[], carry_mb?: number): string | null =>
      carryFault(folder, { carry, ...(carry_mb === undefined ? {} : { carry_mb }) });
    expect(fault(['libs', 'cache', 'gone'])).toBeNull();
    expect(fault(['libs'], 3)).toBeNull();
    expect(fault(['cache'], 1)).toBeNull();
    expect(fault(['cache', 'libs'], 2)).toBe(
      'The folders under `carry` go to the store with the run, and have 4 MB, `libs` alone 3 MB: expected at most ' +
        '2 MB.',
    );
  });
});

/** Text that does not become smaller, the same each time. */
function noise(bytes: number): string {
  let text = '';
  for (let part = 0; text.length < bytes; part += 1) text += sha256(String(part)).slice('sha256:'.length);
  return text.slice(0, bytes);
}
