// @module-tag git
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createPruning } from '../../../src/store/records/prune-files.js';
import { snapshotFolder } from '../../../src/store/snapshots/snapshots.js';
import { temporaryFolder } from '../helpers/harness.js';

function put(folder: string, ...names: string[]): void {
  for (const name of names) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), '{}');
  }
}

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();

/** What a store has of one run and of those nested in it. */
const filesOf = (run: string): string[] => [
  `logs/${run}/step.ndjson`,
  `narration/${run}.concepts/testing`,
  `narration/${run}.ndjson`,
  `recorded/${run}.json`,
  `runs/${run}+a+b.json`,
  `runs/${run}+a.json`,
  `runs/${run}.json`,
  `snapshots/refs/runs/${run}/start`,
  `submitted/${run}.json`,
];

describe('what is left of a closed run', () => {
  it('goes, and nothing of another whose name begins alike', async () => {
    const state = await temporaryFolder();
    const rest = [...filesOf('run2'), ...filesOf('ru'), 'values/ab/cd', 'journal/run.ndjson'];
    put(state, ...filesOf('run'), ...rest);
    await createPruning(state).removeRun('run');
    expect(filesIn(state)).toEqual(rest.sort());
    await createPruning(state).removeRun('run');
    await createPruning(state).removeRun('../values');
    expect(filesIn(state)).toEqual(rest);
  });

  it.each(['logs/run', 'narration/run.ndjson', 'recorded/run.json', 'runs/run+a.json', 'submitted/run.json'])(
    'keeps its own record, by which it is found again, where %s cannot be removed',
    async (name) => {
      const state = await temporaryFolder();
      // No file has an entry in it, and no folder goes as a file.
      if (name.startsWith('logs')) put(state, 'logs', 'runs/run.json');
      else put(state, `${name}/x`, 'runs/run.json');
      await expect(createPruning(state).removeRun('run')).rejects.toThrow();
      expect(filesIn(state)).toContain('runs/run.json');
    },
  );
});

describe('journals', () => {
  const LONG_AGO = new Date('2026-01-01');

  it('are old that nobody has written to since, but those that are kept', async () => {
    const state = await temporaryFolder();
    const pruning = createPruning(state);
    const old = (keep: string[]) => pruning.listOldJournals({ before: new Date('2026-02-01'), keep });
    expect(await old([])).toEqual([]);
    put(state, ...['b', 'a', 'kept', 'new', 'at-once'].map((name) => `journal/${name}.ndjson`), 'journal/a.tmp');
    for (const name of readdirSync(join(state, 'journal')))
      if (!name.startsWith('new')) utimesSync(join(state, 'journal', name), LONG_AGO, LONG_AGO);
    utimesSync(join(state, 'journal', 'at-once.ndjson'), new Date('2026-02-01'), new Date('2026-02-01'));
    expect(await old(['kept', 'x'])).toEqual(['a.ndjson', 'b.ndjson']);
    await pruning.removeJournals(['a.ndjson', 'gone.ndjson', 'b.ndjson']);
    expect(readdirSync(join(state, 'journal')).sort()).toEqual([
      ...['a.tmp', 'at-once.ndjson', 'kept.ndjson', 'new.ndjson'],
    ]);
  });

  it('that cannot be listed are a failure, not none', async () => {
    const state = await temporaryFolder();
    put(state, 'journal');
    const listed = createPruning(state).listOldJournals({ before: LONG_AGO, keep: [] });
    await expect(listed).rejects.toThrow(/Cannot read `.*journal`/);
  });
});

it('files that no snapshot names go when they are an hour old, where there are snapshots', async () => {
  const state = await temporaryFolder();
  const pruning = createPruning(state);
  await pruning.removeUnnamedFiles();
  expect(readdirSync(state)).toEqual([]);
  const folder = snapshotFolder(state);
  execFileSync('git', ['init', '--quiet', '--bare', folder]);
  const [old, young] = ['old', 'young'].map((input) =>
    execFileSync('git', ['-C', folder, 'hash-object', '-w', '--stdin'], { input, encoding: 'utf8' }).trim(),
  );
  const file = (id = ''): string => `objects/${id.slice(0, 2)}/${id.slice(2)}`;
  const aWhileAgo = Date.now() / 1000 - 3700;
  utimesSync(join(folder, file(old)), aWhileAgo, aWhileAgo);
  await pruning.removeUnnamedFiles();
  expect(filesIn(folder)).toContain(file(young));
  expect(filesIn(folder)).not.toContain(file(old));
});
