import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openStore } from '../../../src/store/local-store.js';
import { markProject, projectsOf, setTrust, trustedBelow } from '../../../src/store/records/trusted-projects.js';
import { temporaryFolder } from '../helpers/harness.js';

const ofFile = (folder: string, name: string): unknown => JSON.parse(readFileSync(join(folder, name), 'utf8'));

/** Two projects that have one state folder beside them, and a project in each. */
async function twoOfOneState(): Promise<Record<'state' | 'one' | 'two', string>> {
  const folder = await temporaryFolder();
  const [state, one, two] = [join(folder, 'state'), join(folder, 'one'), join(folder, 'two')];
  await openStore(state);
  for (const root of [one, two]) {
    mkdirSync(join(root, 'inner'), { recursive: true });
    for (let times = 0; times < 2; times += 1) await markProject({ root, stateDir: state });
  }
  return { state, one, two };
}

describe('a project whose state lies elsewhere', () => {
  it('is marked once, and known to its state, wherever both are moved together', async () => {
    const { state, one, two } = await twoOfOneState();
    expect(ofFile(one, '.perdure/elsewhere.json')).toEqual({ states: ['../state'] });
    expect(readFileSync(join(one, '.perdure/.gitignore'), 'utf8')).toBe('*\n');
    expect(ofFile(state, 'projects.json')).toEqual({ trusted: [], of: ['one', 'two'] });
    expect((await projectsOf(state)).slice(1)).toEqual([one, two]);
    await openStore(join(two, 'state'));
    await markProject({ root: two, stateDir: join(two, 'state') });
    expect(ofFile(two, '.perdure/elsewhere.json')).toEqual({ states: ['../state', 'state'] });
  });

  it('shares no trust with another project of the same state', async () => {
    const { state, one, two } = await twoOfOneState();
    await setTrust(join(one, 'inner'), { trusted: true });
    expect(await trustedBelow(state, one)).toEqual(['inner']);
    expect(await trustedBelow(state, two)).toEqual([]);
    expect(ofFile(state, 'projects.json')).toEqual({ trusted: ['one/inner'], of: ['one', 'two'] });
  });

  it('has what is trusted in it kept in its work trees, too', async () => {
    const { state, one } = await twoOfOneState();
    await setTrust(join(one, 'inner'), { trusted: true });
    const tree = join(state, 'worktrees/r/trees/main');
    mkdirSync(tree, { recursive: true });
    expect(await trustedBelow(state, tree)).toContain('inner');
  });

  it('leaves no mark where its state is in its root', async () => {
    const root = await temporaryFolder();
    await openStore(join(root, '.perdure'));
    await markProject({ root, stateDir: join(root, '.perdure') });
    expect(() => ofFile(root, '.perdure/elsewhere.json')).toThrow('ENOENT');
    expect(() => ofFile(root, '.perdure/projects.json')).toThrow('ENOENT');
  });
});
