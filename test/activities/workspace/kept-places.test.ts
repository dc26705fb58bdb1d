import { lstatSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { keptPlaces } from '../../../src/activities/workspace/kept-places.js';

let folder: string;
let workspace: string;
const places = (...paths: string[]): string[] => keptPlaces(workspace, paths);
const make = (...folders: string[]): void =>
  folders.forEach((path) => void mkdirSync(join(workspace, path), { recursive: true }));
const link = (path: string, to: string): void => symlinkSync(to, join(workspace, path));

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'perdure-kept-')));
  workspace = join(folder, 'ws');
  make('.');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('gives a path without links as it is, be it there or not', () => {
  make('a/b');
  expect(places('a/b', 'a/c', './d/e/')).toEqual(['a/b', 'a/c', 'd/e']);
});

it('gives each link on the way, and where it ends, through whatever lies outside', () => {
  make('c');
  mkdirSync(join(folder, 'out'));
  symlinkSync(join(workspace, 'c'), join(folder, 'out/back'));
  link('a', 'b');
  link('b', '../out/back');
  expect(places('a/x')).toEqual(['a', 'b', 'c/x']);
  link('d', folder);
  expect(places('d/x')).toEqual(['d']);
});

it('gives what would have to be made first where a way goes back from what is missing', () => {
  link('a', 'none/../b');
  expect(places('a')).toEqual(['a', 'none']);
});

it('ends where links lead in a circle', () => {
  link('a', 'b');
  link('b', 'a');
  make('c');
  link('c/up', '..');
  link('c/self', '../c');
  expect(places('a', 'c')).toEqual(['a', 'b', 'c']);
});

it('finds links in folders that are kept, and in those that they lead to, but in no packages', () => {
  make('a/in', 'b', 'a/node_modules/p');
  for (const name of ['c', 'd', 'e']) writeFileSync(join(workspace, name), '');
  link('a/in/c', '../../c');
  link('a/to-b', '../b');
  link('b/d', '../d');
  link('a/node_modules/p/e', '../../../e');
  expect(places('a')).toEqual(['a', 'b', 'd', 'c']);
});

it('looks at more entries than one folder of many has', () => {
  make('a/many', 'a/z');
  for (let index = 0; index < 10_001; index += 1) writeFileSync(join(workspace, `a/many/${index}`), '');
  link('a/z/b', '../../b');
  expect(places('a')).toEqual(['a', 'b']);
});

it('finds a link that has come into a folder since it was last looked at', () => {
  make('a/in');
  // A minute later, so that what was found is known.
  vi.useFakeTimers({ now: Date.now() + 60_000, toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  expect(places('a')).toEqual(['a']);
  // File systems tell times in steps.
  const timeOf = (path: string): number => lstatSync(join(workspace, path)).ctimeMs;
  do writeFileSync(join(workspace, 'clock'), '');
  while (timeOf('clock') === timeOf('a/in'));
  link('a/in/b', '../../b');
  expect(places('a')).toEqual(['a', 'b']);
});

it('refuses where there is more than can be looked at', () => {
  make('a');
  for (const name of ['x', 'y', 'z']) writeFileSync(join(workspace, 'a', name), '');
  expect(keptPlaces(workspace, ['a'], 3)).toEqual(['a']);
  expect(() => keptPlaces(workspace, ['a'], 2)).toThrow('There are more than 2 files and folders in what is protected');
});

it('refuses where links lead to more places than can be kept, and counts none that lead inside', () => {
  make('a/in');
  for (let index = 0; index < 1_001; index += 1) link(`a/${index}`, `in/${index}`);
  expect(places('a')).toEqual(['a']);
  for (let index = 0; index < 1_001; index += 1) link(`a/in/${index}`, `../../${index}`);
  expect(() => places('a')).toThrow('Links in what is protected lead to more than 1000 places');
});

it('leaves AGENTS.md to agents where a link in the folder of another tool leads there, and keeps the link', () => {
  make('.github/workflows', 'definitions/agents', 'docs');
  for (const name of ['AGENTS.md', 'docs/b.md']) writeFileSync(join(workspace, name), '');
  link('.github/copilot-instructions.md', '../to-agents');
  link('to-agents', 'AGENTS.md');
  expect(places('.github')).toEqual(['.github', 'to-agents']);
  expect(places('.github', 'AGENTS.md')).toEqual(['.github', 'AGENTS.md', 'to-agents']);
  link('.github/workflows/ci.yml', '../../AGENTS.md');
  expect(places('.github')).toEqual(['.github', 'to-agents', 'AGENTS.md']);
  link('definitions/agents/a.md', '../../AGENTS.md');
  expect(places('definitions')).toEqual(['definitions', 'AGENTS.md']);
  rmSync(join(workspace, 'AGENTS.md'));
  link('AGENTS.md', 'docs/b.md');
  rmSync(join(workspace, '.github/workflows/ci.yml'));
  expect(places('.github')).toEqual(['.github', 'to-agents']);
});

it.each(['.glee/agents/a.md', '.glee/b.md', '.claude/agents/a.md', '.claude/commands/in/a.md', '.x/definitions/a.md'])(
  'keeps AGENTS.md where it is a definition of ours by the link `%s`',
  (path) => {
    make(dirname(path), '.claude/rules');
    writeFileSync(join(workspace, 'AGENTS.md'), '');
    link(path, join(workspace, 'AGENTS.md'));
    link('.claude/rules/agents.md', '../../AGENTS.md');
    const top = path.split('/', 1).join('');
    expect(places(top)).toEqual([top, 'AGENTS.md']);
    rmSync(join(workspace, path));
    expect(places('.claude')).toEqual(['.claude']);
  },
);

it('keeps AGENTS.md where the folder of such a definition is led to by a link that lies deeper', () => {
  make('.claude/a/.more', '.claude/b/in/deep');
  writeFileSync(join(workspace, 'AGENTS.md'), '');
  link('.claude/a/.more/a.md', '../../../AGENTS.md');
  link('.claude/b/in/deep/agents', '../../../a/.more');
  expect(places('.claude')).toEqual(['.claude', 'AGENTS.md']);
});

it('keeps AGENTS.md where the folder of such a definition is a link', () => {
  make('.claude', '.more');
  writeFileSync(join(workspace, 'AGENTS.md'), '');
  link('.claude/agents', '../.more');
  link('.more/a.md', '../AGENTS.md');
  expect(places('.claude')).toEqual(['.claude', '.more', 'AGENTS.md']);
});

it('keeps a folder whole where very many links lead into it, but never all of a repository', () => {
  make('a');
  const count = 1_100;
  for (let index = 0; index < count; index += 1) link(`a/${index}`, `../.git/annex/objects/${index % 10}/${index}/x`);
  link('a/one', '../src/in/one');
  link('a/other', '../.git/annex/other');
  const tens = Array.from({ length: 10 }, (_none, ten) => `.git/annex/objects/${ten}`);
  expect(places('a', '.git/config').sort()).toEqual(
    ['.git/annex/other', ...tens, '.git/config', 'a', 'src/in/one'].sort(),
  );
  for (let index = 0; index < count; index += 1) link(`a/git-${index}`, `../.git/${index}`);
  expect(() => places('a')).toThrow('Links in what is protected lead to more than 1000 places');
});
