import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Happening, HappeningKind } from '../../../src/plan/narration/happening.js';
import { createPacing, GAP_MS, NEWS_MS, SILENCE_MS, TASK_GAP_MS } from '../../../src/plan/narration/pacing.js';
import { happening } from './happenings.js';

/** What happens when, by seconds; then when what is told, looked at each quarter of a second. */
type Given = [second: number, kind: HappeningKind, task?: string][];

function play(given: Given, seconds: number): string[] {
  const pacing = createPacing();
  const told: string[] = [];
  const left = [...given];
  for (let now = 0; now <= seconds * 1000; now += 250) {
    while (left[0] !== undefined && left[0][0] * 1000 <= now) {
      const [at, kind, task = 'a'] = left.shift()!;
      pacing.offer(happening(kind, { task, at: at * 1000 }), now);
    }
    const next = pacing.next(now);
    if (next !== null) told.push(`${now / 1000} ${next.task} ${next.kind}`);
  }
  return told;
}

describe('what a narrator tells when', () => {
  it.each<[string, Given, string[]]>([
    ['tells the first thing at once', [[1, 'started']], ['1 a started']],
    [
      'waits 15 s with the next about the same task, and tells the last',
      [
        [1, 'started'],
        [3, 'again'],
        [5, 'completed'],
      ],
      ['1 a started', '16 a completed'],
    ],
    [
      'tells a failure rather than what came after it',
      [
        [1, 'started'],
        [3, 'failed'],
        [5, 'started'],
      ],
      ['1 a started', '16 a failed'],
    ],
    [
      'tells of two tasks 2 s after each other',
      [
        [1, 'started'],
        [1, 'started', 'b'],
      ],
      ['1 a started', '3 b started'],
    ],
    [
      'tells what an agent says after 10 s of silence',
      [
        [1, 'output'],
        [6, 'output'],
        [9, 'output'],
      ],
      ['19 a output'],
    ],
    [
      'tells nothing of what an agent said that has finished meanwhile',
      [
        [1, 'started'],
        [2, 'output'],
        [11, 'completed'],
      ],
      ['1 a started', '16 a completed'],
    ],
    [
      'has no silence while an agent goes on',
      Array.from({ length: 40 }, (_, second): Given[number] => [second, 'output']),
      ['49 a output'],
    ],
    [
      'tells later what an agent said when its task had just been told of',
      [
        [1, 'started'],
        [1, 'output'],
      ],
      ['1 a started', '16 a output'],
    ],
    [
      'tells nothing of what an agent said that has failed meanwhile',
      [
        [1, 'started'],
        [2, 'output'],
        [11, 'failed'],
      ],
      ['1 a started', '16 a failed'],
    ],
    [
      'still tells what an agent said before it tried again',
      [
        [1, 'output'],
        [2, 'again'],
      ],
      ['2 a again', '17 a output'],
    ],
    [
      'tells the most telling of several tasks first, then what happened first',
      [
        [1.1, 'started', 'a'],
        [1.05, 'started', 'b'],
        [1.2, 'failed', 'c'],
        [1.15, 'completed', 'd'],
      ],
      ['1.25 c failed', '3.25 d completed', '5.25 b started', '7.25 a started'],
    ],
    ['leaves commits to the teacher', [[1, 'committed']], []],
  ])('%s', (_title, given, expected) => {
    expect(play(given, 60)).toEqual(expected);
  });

  it('takes what is older than 15 s for no news', () => {
    const pacing = createPacing();
    pacing.offer(happening('completed', { at: 0 }), NEWS_MS + 1);
    expect(pacing.next(NEWS_MS + 1)).toBeNull();
  });

  it('takes what is 15 s old for news, and of two alike the later', () => {
    const pacing = createPacing();
    for (const path of ['a/0', 'a/1']) pacing.offer(happening('completed', { at: 0, path }), NEWS_MS);
    expect(pacing.next(NEWS_MS)?.path).toBe('a/1');
    expect(pacing.next(NEWS_MS + TASK_GAP_MS)).toBeNull();
  });

  it('forgets what could not be told for 30 s', () => {
    for (const late of [0, 1]) {
      const pacing = createPacing();
      pacing.told('a', 0);
      pacing.offer(happening('failed', { at: 0 }), 0);
      pacing.told('a', TASK_GAP_MS + late);
      expect(pacing.next(2 * TASK_GAP_MS + late)?.kind).toBe(late === 0 ? 'failed' : undefined);
    }
  });

  it('leaves 2 s after what somebody else has told of any task', () => {
    const pacing = createPacing();
    pacing.offer(happening('started', { at: 5_000 }), 5_000);
    pacing.told('b', 5_000);
    pacing.told('b', 4_000);
    expect([pacing.next(5_000 + GAP_MS - 1), pacing.next(5_000 + GAP_MS)?.kind]).toEqual([null, 'started']);
  });

  it('counts from when a message was told, also by somebody else', () => {
    const pacing = createPacing();
    pacing.told('a', 5_000);
    pacing.offer(happening('started', { at: 6_000 }), 6_000);
    expect([pacing.next(5_000 + TASK_GAP_MS - 1), pacing.next(5_000 + TASK_GAP_MS)?.kind]).toEqual([null, 'started']);
  });

  it('holds its limits whatever comes, a thousand things a second', () => {
    const kinds: HappeningKind[] = ['started', 'output', 'again', 'waiting', 'completed', 'failed'];
    const arrivals = fc.array(fc.tuple(fc.nat(50_000), fc.constantFrom(...kinds), fc.nat(3)), {
      minLength: 2_000,
      maxLength: 3_000,
      size: 'max',
    });
    fc.assert(
      fc.property(arrivals, (all) => {
        const pacing = createPacing();
        const left = [...all].sort(([a], [b]) => a - b);
        const last = new Map<string, number>();
        const output = new Map<string, number>();
        let any = -Infinity;
        for (let now = 0, next = 0; now <= 80_000; now += 250) {
          for (; next < left.length && left[next]![0] <= now; next += 1) {
            const [at, kind, task] = left[next]!;
            pacing.offer(happening(kind, { task: String(task), at }), now);
            if (kind === 'output') output.set(String(task), now);
          }
          const told: Happening | null = pacing.next(now);
          if (told === null) continue;
          expect(now - (last.get(told.task) ?? -Infinity)).toBeGreaterThanOrEqual(TASK_GAP_MS);
          expect(now - any).toBeGreaterThanOrEqual(GAP_MS);
          if (told.kind === 'output')
            expect(now - (output.get(told.task) ?? -Infinity)).toBeGreaterThanOrEqual(SILENCE_MS);
          last.set(told.task, now);
          any = now;
        }
        expect(last.size).toBeGreaterThan(0);
      }),
      { numRuns: 20 },
    );
  });
});
