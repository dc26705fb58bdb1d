import { appendFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import type { NarrationLine } from '../../../src/plan/narration/record.js';
import { openStore } from '../../../src/store/local-store.js';
import { removeRun } from '../../../src/store/records/prune-files.js';
import type { Store } from '../../../src/store/store.js';

let folder: string;
let store: Store;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'perdure-narration-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  store = await openStore(folder);
});

const MESSAGE: NarrationLine = {
  kind: 'message',
  at: '2026-11-25T10:00:00.000Z',
  key: 'a started',
  task: 'a',
  mood: 'excited',
  text: 'Off we go!',
  from: 'template',
};

it('keeps what was said of a run in order, and leaves out what was cut or is none of it', async () => {
  await store.addNarration('run', MESSAGE);
  appendFileSync(join(folder, 'narration', 'run.ndjson'), '{"kind":"message","mood":"gloomy"}\n{"kind":"mess');
  const lesson: NarrationLine = {
    ...{ kind: 'lesson', at: MESSAGE.at, key: 'l', task: 'a', from: 'curriculum' },
    ...{ concept: 'testing', headline: 'h', explanation: 'e', tell_me_more: 't' },
  };
  await store.addNarration('run', lesson);
  expect(await store.readNarration('run')).toEqual([MESSAGE, lesson]);
  expect(await store.readNarration('another')).toEqual([]);
});

it('gives a concept to one of many who want to teach it, whatever it is called', async () => {
  for (const concept of ['testing', 'own ../x', 'own ünï']) {
    const claims = await Promise.all(Array.from({ length: 8 }, () => store.claimConcept('origin', concept)));
    expect(claims.filter(Boolean)).toHaveLength(1);
  }
  expect(await store.listConcepts('origin')).toEqual(['own ../x', 'own ünï', 'testing']);
  expect(await store.claimConcept('another', 'testing')).toBe(true);
});

it('goes with its run', async () => {
  await store.addNarration('run', MESSAGE);
  await store.claimConcept('run', 'testing');
  await removeRun(folder, 'run');
  expect([await store.readNarration('run'), await store.listConcepts('run')]).toEqual([[], []]);
  expect(existsSync(join(folder, 'narration', 'run.ndjson'))).toBe(false);
});
