// @module-tag git
// @seconds 60
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { beginWork, commitWork } from '../../../../src/store/worktrees/commit-tree.js';
import { makeTrees } from '../../../../src/store/worktrees/make-trees.js';
import { treePlaces } from '../../../../src/store/worktrees/places.js';
import { callTool, toolContext } from '../../helpers/tool-context.js';

const MANIFEST = (script: string, name = 'a'): string => JSON.stringify({ name, scripts: { test: script } });
const PRETEST = JSON.stringify({ name: 'a', scripts: { pretest: 'rm *.test.js', test: 'node --test' } });
/** The files that the run begins with. */
const BASE = { 'old.test.js': 'old', 'package.json': MANIFEST('node --test'), 'main.js': 'one' };
/** What a step leaves: files, and null for one that it removes. */
type Commit = [step: string, files: Record<string, string | null>];

let context: Awaited<ReturnType<typeof toolContext>>;
let state: string;
beforeEach(async () => {
  context = await toolContext();
  state = context.store.folder ?? '';
  put(context.workspace, BASE);
});

function put(folder: string, files: Commit[1]): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    if (text === null) rmSync(join(folder, name));
    else writeFileSync(join(folder, name), text);
  }
}

async function changesAfter(commits: Commit[], run = 'run') {
  await makeTrees(state, { run, project: context.workspace, carry: [] });
  for (const [index, [step, files]] of commits.entries()) {
    const tree = `s-${index}`;
    await beginWork(state, run, tree);
    put(treePlaces(state, run).tree(tree), files);
    await commitWork(state, { run, tree, step, try: index + 1, subject: `does ${step}`, body: '' });
  }
  return ask(run);
}

async function ask(run = 'run') {
  const inputs = {
    writers: ['check'],
    fixed: ['tests'],
    argv: ['node', '--import', './hooks.mjs', '--test', 'main.js'],
  };
  const told = await callTool({ kind: 'builtin', name: 'test_changes' }, inputs, { ...context, run });
  // what the tool gives
  return ('content' in told ? told.content : null) as unknown as {
    known: boolean;
    ok: boolean;
    reason: string | null;
    changes: { path: string; by: string }[];
  };
}

const WRITTEN: Commit = ['build/check/0/work', { 'new.test.js': 'new' }];

describe('the tests of a work tree', () => {
  it.each([
    'test.js',
    'test-sum.mjs',
    'tests.py',
    'spec.ts',
    'conftest.py',
    'src/__snapshots__/a.snap',
    'run-tests.mjs',
  ])('are found by the name `%s`, too', async (name) => {
    const written: Commit = ['build/check/0/work', { [name]: 'new' }];
    const { ok, changes } = await changesAfter([written, ['tests/1/mend', { [name]: 'less' }]]);
    expect({ ok, changes }).toMatchObject({ ok: false, changes: [{ path: name, by: 'does tests/1/mend' }] });
  });

  it.each<[string, Commit[], string[]]>([
    ['nobody has touched', [['build/make/0/work', { 'main.js': 'two' }]], []],
    [
      'a writer has changed',
      [WRITTEN, ['build/check/0/work', { 'old.test.js': 'x', 'package.json': MANIFEST('y') }]],
      [],
    ],
    [
      'a builder has written and changed',
      [
        ['make', { 'own.test.js': '1' }],
        ['make', { 'own.test.js': '2' }],
      ],
      [],
    ],
    [
      'a builder has changed its own command before a tester came',
      [
        ['make', { 'web/package.json': MANIFEST('node --test') }],
        ['make', { 'web/package.json': MANIFEST('node --test tests') }],
        WRITTEN,
      ],
      [],
    ],
    ['were put back', [WRITTEN, ['make', { 'new.test.js': 'x' }], ['tests/1/mend', { 'new.test.js': 'new' }]], []],
    ['a writer has taken over', [WRITTEN, ['make', { 'new.test.js': 'x' }], ['check', { 'new.test.js': 'y' }]], []],
    ['other keys of the manifest have changed', [['make', { 'package.json': MANIFEST('node --test', 'b') }]], []],
  ])('are as they shall be where %s', async (_what, commits, expected) => {
    expect(await changesAfter(commits)).toEqual({ known: true, ok: true, reason: null, changes: expected });
  });

  it.each<[string, Commit[], string]>([
    ['a test of before', [['make', { 'old.test.js': 'x' }]], '`old.test.js` by "does make"'],
    ['a test of before, removed', [['make', { 'old.test.js': null }]], '`old.test.js` by "does make"'],
    ['a test of a writer', [WRITTEN, ['build/review/1/mend', { 'new.test.js': 'x' }]], '"does build/review/1/mend"'],
    ['what `npm test` runs', [['make', { 'package.json': MANIFEST('true') }]], '`package.json` by "does make"'],
    [
      'a test of its own, once it is looked at',
      [
        ['make', { 'own.test.js': '1' }],
        ['build/tests/1/mend', { 'own.test.js': '2' }],
      ],
      '`own.test.js` by "does build/tests/1/mend"',
    ],
    ['what runs before them', [['make', { 'package.json': PRETEST }]], '`package.json` by "does make"'],
    [
      'the command of its own that a tester has worked with',
      [
        ['make', { 'web/package.json': MANIFEST('node --test') }],
        WRITTEN,
        ['build/review/1/mend', { 'web/package.json': MANIFEST('echo 3 passed') }],
      ],
      '`web/package.json` by "does build/review/1/mend"',
    ],
    ['by one more', [['tests/1/mend', { 'more.test.js': '1' }]], '`more.test.js` by "does tests/1/mend"'],
  ])('were changed where a builder changes %s', async (_what, commits, said) => {
    const { ok, reason } = await changesAfter(commits);
    expect(ok).toBe(false);
    expect(reason).toContain(said);
  });

  /** Files that set tests up, before and after a change. */
  const SETUP: Record<string, [string, string]> = {
    'vitest.config.ts': ['a', 'b'],
    'web/jest.config.cjs': ['a', 'b'],
    'jest-setup.js': ['a', 'b'],
    '.mocharc.json': ['{}', '{"spec": "none"}'],
    'pytest.ini': ['[pytest]', '[pytest]\naddopts = -k one'],
    'hooks.mjs': ['a', 'b'],
    'web/load.mjs': ['a', 'b'],
    '.npmrc': ['node-options=--no-warnings', 'node-options=--import ./x.mjs'],
    'setup.cfg': ['[tool:pytest]\naddopts = -q', '[tool:pytest]\naddopts = -k one'],
    'pyproject.toml': [
      '[project]\n[tool.pytest.ini_options]\naddopts = "-q"\n[tool.black]',
      '[tool.pytest.ini_options]\naddopts = "-k one"',
    ],
    'vite.config.ts': [
      'export default { test: { a: { b: {} } }, base: "./" }',
      'export default { test: { a: { b: {} }, exclude: ["a.test.ts"] } }',
    ],
  };
  const LOADING = MANIFEST('node --test "--import=./load.mjs"');
  const HIS: Commit = ['build/check/0/work', { 'new.test.js': 'new', 'web/package.json': LOADING }];

  it.each(Object.entries(SETUP))('are set up by `%s` as it was when a tester worked', async (name, [one, two]) => {
    const made: Commit = ['make', { [name]: one }];
    const other: Commit = ['make', { [name]: two }];
    const after = async (run: string, commits: Commit[]) => (await changesAfter(commits, run)).changes;
    const found = [{ path: name, by: 'does make' }];
    expect(await after('his', [made, other, HIS])).toEqual([]);
    expect(await after('changed', [made, HIS, other])).toMatchObject(found);
    expect(await after('gone', [made, HIS, ['make', { [name]: null }]])).toMatchObject(found);
    expect(await after('again', [made, HIS, other, ['check', { 'new.test.js': 'newer' }]])).toEqual([]);
    expect(await after('added', [HIS, made, other])).toEqual([]);
  });

  it.each(Object.entries(SETUP))('are set up by `%s` as a mender found it', async (name, [one, two]) => {
    const loads: Commit = ['make', { 'web/package.json': LOADING, [name]: one }];
    const { changes } = await changesAfter([loads, ['tests/1/mend', { [name]: two }]]);
    expect(changes).toMatchObject([{ path: name, by: 'does tests/1/mend' }]);
  });

  it('are for a builder to set up anew where no tester has worked yet', async () => {
    put(context.workspace, { 'vitest.config.ts': 'old' });
    expect(await changesAfter([['make', { 'vitest.config.ts': 'new' }], HIS])).toMatchObject({ ok: true });
  });

  it('are for a builder to begin with where `npm init` has left none', async () => {
    put(context.workspace, { 'package.json': MANIFEST('echo "Error: no test specified" && exit 1') });
    expect(await changesAfter([['make', { 'package.json': MANIFEST('node --test') }]])).toMatchObject({ ok: true });
  });

  it.each<[string, object]>([
    ['a script that it calls', { scripts: { test: 'npm run unit', unit: 'echo 3 passed' } }],
    ['what runs before that', { scripts: { test: 'npm run unit', unit: 'jest', preunit: 'rm *.test.js' } }],
    ['the keys of its runner', { scripts: { test: 'npm run unit', unit: 'jest' }, jest: { testMatch: [] } }],
  ])('are what `npm test` runs, with %s', async (_what, manifest) => {
    const unit = JSON.stringify({ name: 'b', scripts: { test: 'npm run unit', unit: 'jest', build: 'tsc' } });
    const his: Commit = ['build/check/0/work', { 'package.json': unit }];
    const { changes } = await changesAfter([his, ['make', { 'package.json': JSON.stringify(manifest) }]]);
    expect(changes).toMatchObject([{ path: 'package.json' }]);
  });

  it.each([
    ['.npmrc', 'registry=https://example.org'],
    ['pyproject.toml', '[project]\ndependencies = ["pytest"]\n[tool.black]\nline-length = 90'],
    ['setup.cfg', '[metadata]\nname = x'],
    ['vite.config.ts', 'export default { base: "./", plugins: [test()] }'],
    ['tsconfig.json', '{}'],
  ])('are as they shall be where a builder writes in `%s` what is not about them', async (name, text) => {
    const mended: Commit = ['tests/1/mend', { [name]: `${text}\n` }];
    expect(await changesAfter([['make', { [name]: text }], HIS, mended])).toMatchObject({ ok: true });
  });

  it('are not known where the run has no work tree', async () => {
    expect(await ask()).toEqual({ known: false, ok: true, reason: null, changes: [] });
  });
});
