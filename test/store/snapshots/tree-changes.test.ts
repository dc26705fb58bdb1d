// @module-tag git
import { execFileSync } from 'node:child_process';
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { createSnapshots } from '../../../src/store/snapshots/snapshots.js';
import type { Snapshots } from '../../../src/store/snapshots/snapshots.js';
import { contentOf, patchBetween } from '../../../src/store/snapshots/tree-changes.js';
import { temporaryFolder } from '../helpers/harness.js';

const MISSING = '1'.repeat(40);
const all = (): boolean => true;

let project: string;
let snapshots: Snapshots;

beforeEach(async () => {
  const folder = await temporaryFolder();
  project = join(folder, 'project');
  mkdirSync(project);
  execFileSync('git', ['init', '--quiet', project]);
  snapshots = createSnapshots(join(folder, 'state', 'snapshots'));
});

function write(files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(project, name)), { recursive: true });
    writeFileSync(join(project, name), text);
  }
}
async function tree(): Promise<string> {
  const taken = await snapshots.snapshotNow(project);
  if (taken === null) throw new Error('Expected a tree.');
  return taken.tree;
}
const patch = (from: string, to: string, counts: (path: string) => boolean = all): Promise<string | null> =>
  patchBetween(snapshots.snapshotGit, { from, to, counts });

describe('what has changed between two trees', () => {
  it('is a patch of the files that count', async () => {
    write({ 'a.txt': 'one\n', 'b.txt': 'two\n', 'in/c.txt': 'three\n' });
    const from = await tree();
    write({ 'a.txt': 'ONE\n', 'b.txt': 'TWO\n', 'in/d.txt': 'four\n' });
    const to = await tree();
    const told = await patch(from, to, (path) => path !== 'b.txt');
    expect(told).toContain('-one\n+ONE\n');
    expect(told).toContain('+++ b/in/d.txt\n');
    expect(told).not.toContain('TWO');
    expect(told).not.toContain('c.txt');
    expect(await patch(from, to, () => false)).toBe('');
    expect(await patch(to, to)).toBe('');
  });

  it('says of a file that was moved what went and what came', async () => {
    write({ old: 'the same words\n' });
    const from = await tree();
    renameSync(join(project, 'old'), join(project, 'new'));
    expect(await patch(from, await tree())).toMatch(
      /--- \/dev\/null\n\+\+\+ b\/new[\s\S]*--- a\/old\n\+\+\+ \/dev\/null/,
    );
  });

  it('takes names for names, whatever git would read in them', async () => {
    write({ '*': 'star\n', ':(top)a': 'magic\n', a: 'a\n', '-x': 'dash\n' });
    const from = await tree();
    write({ '*': 'STAR\n', ':(top)a': 'MAGIC\n', a: 'A\n', '-x': 'DASH\n' });
    const told = await patch(from, await tree(), (path) => path !== 'a');
    for (const word of ['+STAR', '+MAGIC', '+DASH']) expect(told).toContain(`${word}\n`);
    expect(told).not.toContain('+A\n');
  });

  it('is not known of a tree that is not there', async () => {
    write({ a: 'a\n' });
    const there = await tree();
    expect([await patch(MISSING, there), await patch(there, MISSING)]).toEqual([null, null]);
  });

  it('starts no program of the workspace, and has no more than 500 files', async () => {
    write({ '.gitattributes': '* diff=evil\n' });
    for (let index = 0; index < 510; index += 1) write({ [`files/${index}`]: 'a\n' });
    const from = await tree();
    for (let index = 0; index < 510; index += 1) write({ [`files/${index}`]: 'b\n' });
    const told = await patch(from, await tree());
    expect(told?.match(/^diff --git /gm)).toHaveLength(500);
  });
});

describe('the content of a tree', () => {
  it('is the same as long as the files that count are', async () => {
    write({ a: 'a\n', b: 'b\n' });
    const first = await tree();
    write({ b: 'B\n' });
    const second = await tree();
    const of = (name: string, counts: (path: string) => boolean): Promise<string | null> =>
      contentOf(snapshots.snapshotGit, name, counts);
    expect(await of(first, (path) => path === 'a')).toBe(await of(second, (path) => path === 'a'));
    expect(await of(first, all)).not.toBe(await of(second, all));
    expect(await of(first, (path) => path === 'a')).not.toBe(await of(first, (path) => path === 'b'));
    rmSync(join(project, 'b'));
    expect(await of(await tree(), all)).not.toBe(await of(second, all));
    expect(await of(MISSING, all)).toBeNull();
  });
});
