import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, cpSync, readdirSync, realpathSync } from 'node:fs';
import { cp, mkdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { holdsStore, readStoreId } from '../../src/store/identity.js';
import { openStore } from '../../src/store/local-store.js';
import { isStateFolder } from '../../src/store/folders/state-folders.js';
import { prepareStateDir } from '../../src/workers/server/server-database.js';
import { temporaryFolder } from './helpers/harness.js';

/** A project with a store, and the store's id. */
async function original(): Promise<{ folder: string; project: string; state: string; id: string }> {
  const folder = await temporaryFolder();
  const project = join(folder, 'project');
  await mkdir(project);
  const state = join(project, '.perdure');
  return { folder, project, state, id: (await openStore(state)).id };
}

const stateIn = (project: string): string => join(project, '.perdure');
const copyAll = (from: string, to: string): void => cpSync(from, to, { recursive: true });
const idIn = async (project: string): Promise<string> => (await openStore(stateIn(project))).id;

describe('a copy of a store', () => {
  it('has an id of its own, knows what it is a copy of, and keeps both, whichever is opened first', async () => {
    const { folder, project, state, id } = await original();
    const copy = join(folder, 'copy');
    copyAll(project, copy);
    const opened = await openStore(stateIn(copy));
    expect(opened).toMatchObject({ copiedFrom: state, id: expect.not.stringMatching(id) });
    expect(await openStore(state)).toMatchObject({ id, copiedFrom: null });
    await rm(project, { recursive: true });
    expect(await openStore(stateIn(copy))).toMatchObject({ id: opened.id, copiedFrom: state });
  });

  it('that is opened by many at once has one id', async () => {
    const { folder, project, id } = await original();
    const copy = join(folder, 'copy');
    copyAll(project, copy);
    const ids = new Set(await Promise.all(Array.from({ length: 20 }, () => idIn(copy))));
    expect(ids.size).toBe(1);
    expect([...ids]).not.toContain(id);
    // Who came second gives what the first has chosen.
    const second = join(folder, 'second');
    copyAll(project, second);
    const opened = await Promise.all(Array.from({ length: 20 }, () => openStore(stateIn(second))));
    expect(new Set(opened.map(({ copiedFrom }) => copiedFrom))).toEqual(new Set([stateIn(project)]));
  });

  it.each([
    ['tells what it is a copy of', '{"id":"abcdefgh","version":1,"copied_from":"/there"}', '/there'],
    ['does not tell', '{"id":"abcdefgh","version":1}', null],
  ])('takes the identity that somebody else has chosen for it, where that %s', async (_, chosen, copiedFrom) => {
    const { folder, project, id } = await original();
    copyAll(project, join(folder, 'copy'));
    const state = stateIn(join(folder, 'copy'));
    const { dev, ino } = await stat(state);
    const file = join(state, `store.${id}-${String(dev)}-${String(ino)}.json`);
    await writeFile(file, chosen);
    expect(await openStore(state)).toMatchObject({ id: 'abcdefgh', copiedFrom });
    // It is the copy's from now on, without the file.
    await rm(file);
    expect(await openStore(state)).toMatchObject({ id: 'abcdefgh', copiedFrom });
  });

  it('is not opened where what was chosen for it is damaged', async () => {
    const { folder, project, id } = await original();
    copyAll(project, join(folder, 'copy'));
    const state = stateIn(join(folder, 'copy'));
    const { dev, ino } = await stat(state);
    const file = join(state, `store.${id}-${String(dev)}-${String(ino)}.json`);
    await writeFile(file, '{}');
    await expect(openStore(state)).rejects.toThrow(`Cannot create \`${file}\``);
  });

  it('that was copied again before and after it was opened are stores of their own', async () => {
    const { folder, project, id } = await original();
    const [one, two, three] = ['one', 'two', 'three'].map((name) => join(folder, name)) as [string, string, string];
    copyAll(project, one);
    copyAll(one, two);
    const first = await idIn(one);
    copyAll(one, three);
    const ids = [id, first, await idIn(two), await idIn(three), await idIn(project)];
    expect(new Set(ids).size).toBe(4);
    expect(ids[4]).toBe(id);
  });

  it('that nobody may write, or that is only looked at, has the id of no other', async () => {
    const { folder, project, id } = await original();
    const copy = join(folder, 'copy');
    copyAll(project, copy);
    const before = await readFile(join(stateIn(copy), 'store.json'), 'utf8');
    expect((await openStore(stateIn(copy), { lookOnly: true })).id).not.toBe(id);
    expect(await readStoreId(stateIn(copy))).toBe(null);
    expect(await readFile(join(stateIn(copy), 'store.json'), 'utf8')).toBe(before);
  });

  it('over the folder of another store is told by what is there now', async () => {
    const { folder, project, id } = await original();
    const other = join(folder, 'other');
    await mkdir(other);
    const { id: overwritten } = await openStore(stateIn(other));
    copyAll(project, other);
    expect([id, overwritten]).not.toContain(await idIn(other));
    expect(await idIn(project)).toBe(id);
  });

  it('of a deep path is a folder of state still', async () => {
    const folder = await temporaryFolder();
    const deep = join(folder, ...Array.from({ length: 14 }, () => '"'.repeat(200)));
    await mkdir(deep, { recursive: true });
    await openStore(stateIn(deep));
    copyAll(deep, join(folder, 'copy'));
    expect((await openStore(stateIn(join(folder, 'copy')))).copiedFrom).toBe(stateIn(deep));
    expect([stateIn(deep), stateIn(join(folder, 'copy'))].map(isStateFolder)).toEqual([true, true]);
  });
});

describe('what a store says of itself', () => {
  it.each<[string, unknown, string]>([
    [
      'no map',
      [],
      'to name this store by an `id` of 8 characters; it does not. Move the folder away to begin a new one.',
    ],
    ['a text', 'abcdefgh', 'to name this store by an `id` of 8 characters'],
    ['nothing', null, 'to name this store by an `id` of 8 characters'],
    ['a number', { id: 22222222, version: 1 }, 'to name this store by an `id` of 8 characters'],
    ['a list', { id: ['abcdefgh'], version: 1 }, 'to name this store by an `id` of 8 characters'],
    ['a long id', { id: 'abcdefghi', version: 1 }, 'to name this store by an `id` of 8 characters'],
    ['more before it', { id: '-abcdefgh', version: 1 }, 'to name this store by an `id` of 8 characters'],
    [
      'no version',
      { id: 'abcdefgh' },
      'to have version `1`, got `undefined`: it belongs to another version of Perdure.',
    ],
    [
      'a later version',
      { id: 'abcdefgh', version: 2 },
      'got `2`: it belongs to another version of Perdure. Use that one, or move the folder away to begin a new one.',
    ],
  ])('is refused where it is %s, by all who ask', async (_what, written, message) => {
    const { state } = await original();
    await writeFile(join(state, 'store.json'), JSON.stringify(written));
    for (const ask of [() => openStore(state), () => readStoreId(state)])
      await expect(ask()).rejects.toMatchObject({
        type: 'internal',
        message: expect.stringContaining(message) as string,
      });
  });

  it('cannot be read where a folder has its place', async () => {
    const { state } = await original();
    await rm(join(state, 'store.json'));
    await mkdir(join(state, 'store.json'));
    await expect(openStore(state)).rejects.toThrow(`Cannot read \`${join(state, 'store.json')}\``);
  });

  it.each(['journal', 'plans', 'runs', 'values'])(
    'is not made anew where it was lost, and %s are there',
    async (name) => {
      const { state } = await original();
      await rm(join(state, 'store.json'));
      await mkdir(join(state, name));
      expect(holdsStore(state)).toBe(true);
      for (const lookOnly of [false, true])
        await expect(openStore(state, { lookOnly })).rejects.toThrow(
          `Expected \`${join(state, 'store.json')}\`, which says whose runs these are: it is not there.`,
        );
      await rm(join(state, name), { recursive: true });
      expect(holdsStore(state)).toBe(false);
      expect((await openStore(state)).id).toMatch(/^[a-z2-7]{8}$/);
    },
  );

  it("is another user's: nothing is written there, and one may look", { tags: ['root'] }, async () => {
    const { state, id } = await original();
    chownSync(join(state, 'store.json'), 65534, 65534);
    const before = readdirSync(state);
    const message = `The state folder \`${state}\` belongs to user 65534, and this is user 0: run the command as that`;
    await expect(openStore(state)).rejects.toThrow(message);
    await expect(prepareStateDir(state)).rejects.toThrow(message);
    expect(readdirSync(state)).toEqual(before);
    expect(await openStore(state, { lookOnly: true })).toMatchObject({ id });
  });

  it("may stand in another user's folder, as volumes of a group are", { tags: ['root'] }, async () => {
    const { state, id } = await original();
    chownSync(state, 65534, 65534);
    expect(await openStore(state)).toMatchObject({ id });
  });

  it('is its id, and nothing before there is one', async () => {
    const { folder, state, id } = await original();
    expect([await readStoreId(state), await readStoreId(join(folder, 'none'))]).toEqual([id, null]);
  });

  it('is written once, for its owner alone, and not anew by who opens it where it was', async () => {
    const { state, project } = await original();
    const file = join(state, 'store.json');
    expect(JSON.parse(await readFile(file, 'utf8'))).not.toHaveProperty('copied_from');
    for (const name of ['store.json', '.gitignore']) expect((await stat(join(state, name))).mode & 0o777).toBe(0o600);
    const { ino } = await stat(file);
    await openStore(state);
    await symlink(project, `${project}-link`);
    await openStore(stateIn(`${project}-link`));
    expect((await stat(file)).ino).toBe(ino);
  });

  it('stays as it is where it is only looked at, also where it was moved', async () => {
    const { folder, project, id } = await original();
    await rename(project, join(folder, 'moved'));
    const file = join(stateIn(join(folder, 'moved')), 'store.json');
    const before = await readFile(file, 'utf8');
    expect((await openStore(stateIn(join(folder, 'moved')), { lookOnly: true })).id).toBe(id);
    expect(await readFile(file, 'utf8')).toBe(before);
    await openStore(stateIn(join(folder, 'moved')));
    expect(await readFile(file, 'utf8')).not.toBe(before);
  });

  it('names what it is a copy of also for who only looks', async () => {
    const { folder, project, state } = await original();
    copyAll(project, join(folder, 'copy'));
    expect(await openStore(stateIn(join(folder, 'copy')), { lookOnly: true })).toMatchObject({ copiedFrom: state });
  });
});

describe('a store that was moved keeps its id', () => {
  type Scene = (at: Awaited<ReturnType<typeof original>>) => Promise<string>;
  const scenes: Record<string, Scene> = {
    'by a rename': async ({ folder, project }) => {
      await rename(project, join(folder, 'moved'));
      return join(folder, 'moved');
    },
    'to another disk, or from a backup: it is copied, and the old place is gone': async ({ folder, project }) => {
      await cp(project, join(folder, 'moved'), { recursive: true });
      await rm(project, { recursive: true });
      return join(folder, 'moved');
    },
    'to another machine, or was restored: its path is the same, and the folder another': async ({
      folder,
      project,
    }) => {
      copyAll(project, join(folder, 'aside'));
      await rm(project, { recursive: true });
      await rename(join(folder, 'aside'), project);
      return project;
    },
    'and another store was made where it was': async ({ folder, project }) => {
      await rename(project, join(folder, 'moved'));
      await mkdir(project);
      await openStore(stateIn(project));
      return join(folder, 'moved');
    },
    'by a copy, and another store was made where it was': async ({ folder, project }) => {
      await cp(project, join(folder, 'moved'), { recursive: true });
      await rm(project, { recursive: true });
      await mkdir(project);
      await openStore(stateIn(project));
      return join(folder, 'moved');
    },
    'and a copy of it was left where it was': async ({ folder, project }) => {
      await rename(project, join(folder, 'moved'));
      await openStore(stateIn(join(folder, 'moved')));
      copyAll(join(folder, 'moved'), project);
      expect((await openStore(stateIn(project))).copiedFrom).toBe(stateIn(join(folder, 'moved')));
      return join(folder, 'moved');
    },
    'and a link that leads nowhere but to itself was left where it was': async ({ folder, project, state }) => {
      await rename(project, join(folder, 'moved'));
      await mkdir(project);
      await symlink(state, state);
      return join(folder, 'moved');
    },
    'and is reached by a link': async ({ folder, project }) => {
      await symlink(project, join(folder, 'link'));
      return join(folder, 'link');
    },
    'and what it was noted by is damaged': async ({ project, state, id }) => {
      await writeFile(join(state, 'store.json'), JSON.stringify({ id, version: 1, place: { path: 7 } }));
      return project;
    },
  };
  it.each(Object.entries(scenes))('%s', async (_title, act) => {
    const at = await original();
    const moved = await act(at);
    expect(await openStore(stateIn(moved))).toMatchObject({ id: at.id, copiedFrom: null });
    expect(await openStore(stateIn(moved))).toMatchObject({ id: at.id, copiedFrom: null });
    copyAll(realpathSync(moved), join(at.folder, 'copy'));
    expect((await openStore(stateIn(join(at.folder, 'copy')))).id).not.toBe(at.id);
  });

  it('to a place that takes no writes now', async () => {
    const { folder, project, id } = await original();
    await rename(project, join(folder, 'moved'));
    chmodSync(stateIn(join(folder, 'moved')), 0o500);
    const script =
      `import { openStore } from ${JSON.stringify(join(process.cwd(), 'dist/store/local-store.js'))}; ` +
      `console.log((await openStore(process.argv[1])).id)`;
    const given = '-dac_override,-dac_read_search,-fowner'; // Root may write anywhere, so the test gives that up.
    const bound = process.getuid?.() === 0 ? ['setpriv', '--bounding-set', given, '--inh-caps', given] : [];
    const [program = process.execPath, ...args] = [
      ...bound,
      process.execPath,
      '--input-type=module',
      '-e',
      script,
      stateIn(join(folder, 'moved')),
    ];
    expect(execFileSync(program, args, { encoding: 'utf8' }).trim()).toBe(id);
    chmodSync(stateIn(join(folder, 'moved')), 0o700);
    expect(await idIn(join(folder, 'moved'))).toBe(id);
  });
});
