import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { NarrateOptions } from '../../../src/cli/narration/narrate.js';
import { narrate } from '../../../src/cli/narration/narrate.js';
import type { RunView } from '../../../src/cli/observe/view/view.js';
import type { NarrationLine } from '../../../src/plan/narration/record.js';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const LINE: NarrationLine = {
  kind: 'message',
  at: '2026-01-01T00:00:00Z',
  key: 'a',
  task: 'a',
  mood: 'excited',
  text: 'Here we go!',
  from: 'template',
};

it('asks ever less often what is said of a run that nobody narrates, and each second once somebody does', async () => {
  const lines: NarrationLine[] = [];
  let asked = 0;
  const told: NarrationLine[] = [];
  const store = {
    readNarration: () => {
      asked += 1;
      return Promise.resolve([...lines]);
    },
  } as unknown as NarrateOptions['store']; // who only hears asks for nothing else
  const heard = narrate('run', {
    store,
    speaks: false,
    tell: (line: NarrationLine) => told.push(line),
  } as unknown as NarrateOptions);
  heard.see({ endedAt: null } as RunView);
  await vi.advanceTimersByTimeAsync(600_000);
  expect(asked).toBeLessThan(50);
  lines.push(LINE);
  await vi.advanceTimersByTimeAsync(16_000);
  expect(told).toEqual([LINE]);
  asked = 0;
  lines.push(LINE, LINE);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(told).toHaveLength(3);
  expect(asked).toBeGreaterThan(0);
  await heard.close(null);
});
