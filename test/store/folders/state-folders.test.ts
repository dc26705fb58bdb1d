import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isStateFolder, mountedPlaces, placesOf, stateAround } from '../../../src/store/folders/state-folders.js';
import { temporaryFolder } from '../helpers/harness.js';

const STORE = '{"id":"abcdefgh","version":1}';

function stateIn(folder: string, text = STORE): string {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'store.json'), text);
  return folder;
}

describe('a folder of state', () => {
  it.each([
    [STORE, true],
    ['{"id":"a2345677","version":9,"place":{}}', true],
    [`${STORE}${' '.repeat(64 * 1024 - STORE.length)}`, true],
    [`${STORE}${' '.repeat(64 * 1024 - STORE.length + 1)}`, false],
    ['', false],
    ['{', false],
    ['null', false],
    ['"abcdefgh"', false],
    ['{"id":"abcdefgh"}', false],
    ['{"version":1}', false],
    ['{"id":7,"version":1}', false],
    ['{"id":["abcdefgh"],"version":1}', false],
    ['{"id":"abcdefg1","version":1}', false],
    ['{"id":"abcdefghi","version":1}', false],
    ['{"id":"xabcdefgh","version":1}', false],
  ])('is known by what its file says', async (text, is) => {
    expect(isStateFolder(stateIn(await temporaryFolder(), text))).toBe(is);
  });

  it('is none where that is no file of its own, and nobody waits for it', async () => {
    const folder = await temporaryFolder();
    const state = stateIn(join(folder, 'state'));
    for (const name of ['link', 'folder', 'pipe', 'empty']) mkdirSync(join(folder, name));
    symlinkSync(join(state, 'store.json'), join(folder, 'link/store.json'));
    mkdirSync(join(folder, 'folder/store.json'));
    execFileSync('mkfifo', [join(folder, 'pipe/store.json')]);
    for (const name of ['link', 'folder', 'pipe', 'empty', 'nothing', 'state/store.json'])
      expect([name, isStateFolder(join(folder, name))]).toEqual([name, false]);
    symlinkSync(state, join(folder, 'whole'));
    expect(isStateFolder(join(folder, 'whole'))).toBe(true);
  });

  it('is looked at and not held open', async () => {
    const state = stateIn(await temporaryFolder());
    const open = (): number => readdirSync('/proc/self/fd').length;
    const before = open();
    for (let look = 0; look < 50; look += 1) isStateFolder(state);
    expect(open()).toBeLessThan(before + 50);
  });

  it('is around all that is in it, but not around the trees in which its runs work', async () => {
    const folder = await temporaryFolder();
    const state = stateIn(join(folder, 'state'));
    const around = (path: string): string | null => stateAround(join(state, path));
    for (const path of [
      '',
      'values/ab',
      'worktrees',
      'worktrees/r',
      'worktrees/r/trees',
      'worktrees/r/git/main',
      'x/worktrees/r/trees/main',
    ])
      expect([path, around(path)]).toEqual([path, state]);
    for (const path of ['worktrees/r/trees/main', 'worktrees/r/trees/main/src/a', '..', '../other'])
      expect([path, around(path)]).toEqual([path, null]);
    stateIn(join(state, 'worktrees/r/trees/main/.perdure'));
    expect(around('worktrees/r/trees/main/.perdure/values')).toBe(join(state, 'worktrees/r/trees/main/.perdure'));
  });

  it('has its place among those that are to be seen below a folder, and only there', async () => {
    const folder = await temporaryFolder();
    const state = stateIn(join(folder, 'project/.perdure'));
    symlinkSync(join(folder, 'project'), join(folder, 'link'));
    expect(placesOf(join(folder, 'link/.perdure'), join(folder, 'project'))).toEqual([state]);
    expect(placesOf(state, '/')).toContain(state);
    for (const other of [state, join(folder, 'proj'), join(folder, 'link')]) expect(placesOf(state, other)).toEqual([]);
    expect(dirname(state)).toBe(join(folder, 'project'));
  });
});

describe('where a state folder is mounted', () => {
  const STATE = '/data/ana/p/.perdure';
  const disk = (root: string, point: string, device = '8:1'): string =>
    `36 25 ${device} ${root} ${point} rw - ext4 d rw`;

  it.each<[string, string[], string[]]>([
    ['nowhere else', [disk('/', '/')], [STATE]],
    ['by no word of the system', [''], []],
    ['by lines that were cut', ['36', '36 25 8:1', '36 25 8:1 /', disk('/', '/'), ''], [STATE]],
    ['whole, at another place', [disk('/', '/'), disk(STATE, '/mnt/state')], [STATE, '/mnt/state']],
    ['in a folder that holds it', [disk('/', '/'), disk('/data', '/mnt/h')], [STATE, '/mnt/h/ana/p/.perdure']],
    ['by all of its disk', [disk('/', '/'), disk('/', '/mnt')], [STATE, `/mnt${STATE}`]],
    ['in part', [disk('/', '/'), disk(`${STATE}/values/ab`, '/w/in')], [STATE, '/w/in']],
    ['with a blank in its path', [disk('/', '/'), disk(STATE, '/mnt/a\\040b\\134c')], [STATE, '/mnt/a b\\c']],
    ['not by a neighbour', [disk('/', '/'), disk(`${STATE}2`, '/w'), disk('/data/an', '/x')], [STATE]],
    ['not by another disk', [disk('/', '/'), disk(STATE, '/mnt', '8:2')], [STATE]],
    [
      'from a disk of its own',
      [disk('/', '/'), disk('/', '/data', '8:2'), disk('/ana', '/mnt', '8:2')],
      [STATE, '/mnt/p/.perdure'],
    ],
    [
      'by the mount that was made last',
      [disk('/', '/', '8:2'), disk('/top', '/data'), disk('/top/ana/p', '/mnt')],
      [STATE, '/mnt/.perdure'],
    ],
  ])('%s', (_, lines, places) => {
    expect(mountedPlaces(STATE, lines.join('\n'))).toEqual(places);
  });
});
