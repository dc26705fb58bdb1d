import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { Lessons } from '../../../src/cli/narration/lessons.js';
import { createLessons } from '../../../src/cli/narration/lessons.js';
import { openStore } from '../../../src/store/local-store.js';
import type { Store } from '../../../src/store/store.js';
import { happening } from '../../plan/narration/happenings.js';

const never = new AbortController().signal;
const SCENE = { goal: 'A clock.', spec: null };

async function storeOf(): Promise<Store> {
  const folder = mkdtempSync(join(tmpdir(), 'perdure-lessons-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return openStore(folder);
}

/** A teacher whose model names these concepts, one after the other. */
function teacher(store: Store, origin: string, concepts: (string | null)[] = []) {
  const taught: string[] = [];
  const prompts: string[] = [];
  const lessons: Lessons = createLessons({
    store,
    origin,
    scene: SCENE,
    ask: async ({ prompt }) => {
      prompts.push(prompt);
      return { concept: concepts.shift() ?? null, headline: 'h', explanation: 'e', tell_me_more: 't' };
    },
    say: async (line) => void taught.push(line.kind === 'lesson' ? `${line.from} ${line.concept}` : line.kind),
  });
  const done = (now: number): Promise<void> | false =>
    lessons.teachMore(happening('completed', { task: `t${now}` }), now, never);
  return { lessons, taught, prompts, done };
}

it('teaches a concept of the curriculum once, whoever tells of which run of a build', async () => {
  const store = await storeOf();
  const [built, rerun, another] = ['game', 'game', 'other'].map((origin) => teacher(store, origin));
  for (const { lessons } of [built!, built!, rerun!, another!]) await lessons.teach(happening('committed'));
  expect([built!.taught, rerun!.taught, another!.taught]).toEqual([
    ['curriculum source-control'],
    [],
    ['curriculum source-control'],
  ]);
});

it('asks its model for three lessons at most, 30 s between, and tells it what was taught', async () => {
  const store = await storeOf();
  const { lessons, taught, prompts, done } = teacher(store, 'game', [
    'Loops',
    'Loops',
    'Colour Models',
    'Events',
    'More',
  ]);
  await lessons.teach(happening('committed'));
  expect(done(0)).not.toBe(false);
  expect(done(29_999)).toBe(false);
  for (let now = 30_000; now <= 150_000; now += 30_000) await done(now);
  expect(taught).toEqual(['curriculum source-control', 'model loops', 'model colour-models', 'model events']);
  expect(prompts).toHaveLength(4);
  expect(prompts.at(-1)).toContain('<taught>\ncolour-models, loops, source-control\n</taught>');
});

it('asks about tasks that are done alone, and only where the curriculum has nothing', async () => {
  const { lessons } = teacher(await storeOf(), 'game', ['Loops']);
  const first = { step: 'agent' as const, first: true as const };
  for (const other of [
    happening('started'),
    happening('failed'),
    happening('completed', { path: 'a/0/work' }),
    happening('completed', { about: first }),
  ])
    expect(lessons.teachMore(other, 0, never)).toBe(false);
});

it('teaches nothing where its model names no concept, or answers once the run has ended', async () => {
  const { lessons, taught, done } = teacher(await storeOf(), 'game', [null, 'Loops']);
  await done(0);
  await lessons.teachMore(happening('completed'), 60_000, AbortSignal.abort());
  expect(taught).toEqual([]);
});
