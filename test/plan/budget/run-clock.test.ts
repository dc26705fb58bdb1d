import { describe, expect, it } from 'vitest';
import { count, msLeft, overlap, setWorking, startClock, uncounted } from '../../../src/plan/budget/run-clock.js';

describe("a run's clock", () => {
  it('runs from its start on, and not while only people are waited for', () => {
    const clock = startClock(60_000, 1_000);
    expect(msLeft(clock, 11_000)).toBe(50_000);
    setWorking(clock, false, 21_000);
    expect(msLeft(clock, 90_000)).toBeNull();
    expect(uncounted(clock, 90_000)).toEqual([[1_000, 21_000]]);
    setWorking(clock, true, 100_000);
    expect(msLeft(clock, 100_000)).toBe(40_000);
    expect(uncounted(clock, 105_000)).toEqual([
      [1_000, 21_000],
      [100_000, 105_000],
    ]);
    expect(msLeft(clock, 500_000)).toBe(0);
  });

  it('changes nothing where the same is said again', () => {
    const clock = startClock(60_000, 1_000);
    setWorking(clock, true, 5_000);
    expect(clock).toEqual(startClock(60_000, 1_000));
    setWorking(clock, false, 6_000);
    setWorking(clock, false, 9_000);
    expect(uncounted(clock, 10_000)).toEqual([[1_000, 6_000]]);
  });

  it('takes a moment between two pieces of work for no gap', () => {
    const clock = startClock(60_000, 0);
    setWorking(clock, false, 5_000);
    setWorking(clock, true, 5_999);
    setWorking(clock, false, 7_000);
    expect(clock.worked).toEqual([[0, 7_000]]);
    setWorking(clock, true, 8_000);
    setWorking(clock, false, 9_000);
    expect(clock.worked).toEqual([
      [0, 7_000],
      [8_000, 9_000],
    ]);
  });

  it('counts once what a worker was there for', () => {
    const clock = startClock(60_000, 0);
    count(clock, 7_000, 10_000);
    expect(clock).toEqual({ limit_ms: 60_000, used_ms: 7_000, worked: [], since: 10_000 });
    expect(msLeft(clock, 11_000)).toBe(52_000);
    expect(msLeft(clock, 11_000, 30_000)).toBe(22_000);
    setWorking(clock, false, 12_000);
    count(clock, 2_000, 20_000);
    expect(clock).toEqual({ limit_ms: 60_000, used_ms: 9_000, worked: [], since: null });
  });
});

describe('the time in which it was worked and a worker was there', () => {
  it.each<[string, [number, number][], [number, number][], number]>([
    ['is none without workers', [[0, 10]], [], 0],
    ['is none apart', [[0, 10]], [[10, 20]], 0],
    ['is what lies in both', [[0, 10]], [[5, 20]], 5],
    [
      'counts each part',
      [
        [0, 10],
        [20, 30],
      ],
      [[5, 25]],
      10,
    ],
    [
      'counts nothing twice of work',
      [
        [0, 10],
        [2, 8],
        [5, 12],
      ],
      [[0, 100]],
      12,
    ],
    [
      'counts nothing twice of workers',
      [[0, 10]],
      [
        [0, 6],
        [4, 8],
        [1, 2],
      ],
      8,
    ],
    [
      'does not need an order',
      [
        [20, 30],
        [0, 10],
      ],
      [
        [25, 40],
        [0, 5],
      ],
      10,
    ],
    [
      'has no time in what ended before it began',
      [
        [10, 5],
        [7, 7],
      ],
      [[0, 100]],
      0,
    ],
    [
      'joins what touches',
      [
        [0, 5],
        [5, 10],
      ],
      [[0, 10]],
      10,
    ],
  ])('%s', (_, worked, alive, ms) => {
    expect(overlap(worked, alive)).toBe(ms);
  });
});
