// @module-tag git
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { harmIn, withoutHarm } from '../../../src/activities/workspace/git-settings.js';

const folder = mkdtempSync(join(tmpdir(), 'perdure-settings-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** As git reads them. */
const settingsIn = (text: string): string[] => {
  const file = join(folder, 'config');
  writeFileSync(file, text);
  return execFileSync('git', ['config', '-f', file, '--list'], { encoding: 'utf8' }).trim().split('\n').filter(Boolean);
};

it.each([
  ['a program', '[core]\n\tfsmonitor = evil\n\tbare = false\n', ['core.bare=false']],
  ['one behind the name of its section', '[core] fsmonitor = evil\n\tbare = false\n', []],
  ['one behind a remark that seems to go on', '[core]\n# \\\n\tfsmonitor = evil\n', []],
  ['one behind a value that goes on', '[user]\nname = a\\\n\n[core]\nfsmonitor = evil\n', []],
  ['one below a section with a name', '[filter "x"]\n\tclean = evil\n[user]\n\tname = a\n', ['user.name=a']],
  ['more configuration', '[include]\n\tpath = more\n[includeIf "gitdir:**"]\n\tpath = more\n', []],
  ['a name in capitals', '[CORE]\n\tHOOKSPATH = evil\n\tFileMode = true\n', ['core.filemode=true']],
  ['one after a mark of the encoding', '\uFEFF[core]\n\tsshCommand = evil\n', []],
  ['one that ends with a carriage return', '[core]\r\n\tpager = evil\r\n\tbare = false\r\n', ['core.bare=false']],
  ['a section that is called like what each object has', '[constructor]\n\tname = evil\n', []],
  ['files of a repository that are elsewhere', '[core]\n\tworktree = /x\n\tbare = false\n', ['core.bare=false']],
  ['an alias', '[alias]\n\tst = !evil\n[branch "a\\"b"]\n\tmerge = x\n', ['branch.a"b.merge=x']],
])('takes out %s, and leaves what is harmless', (_what, text, left) => {
  expect(harmIn(text)).not.toEqual([]);
  expect(settingsIn(withoutHarm(text))).toEqual(left);
  expect(harmIn(withoutHarm(text))).toEqual([]);
});

it('leaves what git writes into a new repository, and a clone, as it is', () => {
  execFileSync('git', ['init', '-q', join(folder, 'a')]);
  execFileSync('git', ['clone', '-q', join(folder, 'a'), join(folder, 'b')], { stdio: 'ignore' });
  for (const name of ['a', 'b']) {
    const text = readFileSync(join(folder, name, '.git/config'), 'utf8');
    expect([harmIn(text), withoutHarm(text)]).toEqual([[], text]);
  }
});
