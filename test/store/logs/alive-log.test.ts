import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { AliveLog } from '../../../src/store/logs/alive-log.js';
import { createAliveLog } from '../../../src/store/logs/alive-log.js';
import { temporaryFolder } from '../helpers/harness.js';

/** What one call of the clock counts, in milliseconds; what a process is there for after its last one. */
const TICK = 2_000;
const BEGIN = Date.parse('2026-06-01T00:00:00.000Z');
const DAY = 24 * 3_600_000;

let folder: string;
let now: number;
let log: AliveLog;

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  folder = join(await temporaryFolder(), 'alive');
  now = BEGIN;
  log = createAliveLog(folder, () => now);
});
afterEach(() => vi.useRealTimers());

/** Lets time pass in which the process is running. */
function run(milliseconds: number): void {
  for (let passed = 0; passed < milliseconds; passed += TICK) {
    now += TICK;
    vi.advanceTimersByTime(TICK);
  }
}

const aliveFrom = async (from: number, to: number): Promise<number> => log.countAlive([[BEGIN + from, BEGIN + to]]);

it('counts the time in which a worker was there, up to a tick after its last one, and no other', async () => {
  expect(await aliveFrom(-DAY, DAY)).toBe(0);
  now -= TICK;
  const end = log.keepAlive();
  run(TICK);
  run(60_000);
  now += 500;
  end();
  expect(await aliveFrom(-DAY, DAY)).toBe(TICK + 60_500 + TICK);
  expect(await aliveFrom(10_000, 20_000)).toBe(10_000);
  expect(
    await log.countAlive([
      [BEGIN, BEGIN + 1_000],
      [BEGIN + 60_000, BEGIN + DAY],
    ]),
  ).toBe(1_000 + 500 + TICK);
  run(60_000);
  expect(await aliveFrom(-DAY, DAY)).toBe(TICK + 60_500 + TICK);
});

it('counts the same in a copy whose files are of another time, and no more of what was emptied', async () => {
  const end = log.keepAlive();
  run(60_000);
  end();
  const copy = `${folder}-copy`;
  cpSync(folder, copy, { recursive: true });
  const counted = async (): Promise<number> =>
    createAliveLog(copy, () => now).countAlive([[BEGIN - DAY, BEGIN + 10_000 * DAY]]);
  expect(await counted()).toBe(60_000 + TICK);
  for (const name of readdirSync(copy)) writeFileSync(join(copy, name), '');
  expect(await counted()).toBe(TICK);
});

it.each([
  [10_000, 10_000],
  [10_001, 0],
  [3_600_000, 0],
])('of a silence of %i ms it counts %i', async (silence, counted) => {
  const end = log.keepAlive();
  run(4_000);
  now += silence;
  end();
  expect(await aliveFrom(0, DAY)).toBe(counted === 0 ? 4_000 + TICK + TICK : 4_000 + counted + TICK);
});

it('counts what was before and after a clock was set back', async () => {
  now += DAY;
  const end = log.keepAlive();
  run(4_000);
  now = BEGIN;
  run(6_000);
  end();
  // What it was there for between its last word and the next is not known.
  expect(await aliveFrom(-DAY, DAY / 2)).toBe(4_000 + TICK);
  expect(await aliveFrom(DAY / 2, 2 * DAY)).toBe(4_000 + TICK);
});

it('counts once what two workers were there for', async () => {
  const ends = [log.keepAlive()];
  run(4_000);
  ends.push(createAliveLog(folder, () => now).keepAlive());
  run(6_000);
  for (const end of ends) end();
  expect(readdirSync(folder)).toHaveLength(2);
  expect(await aliveFrom(0, DAY)).toBe(10_000 + TICK);
});

it('goes on by itself where its folder was removed, and is silent as long as it cannot be made', async () => {
  const end = log.keepAlive();
  run(4_000);
  rmSync(folder, { recursive: true });
  run(TICK);
  expect(existsSync(folder)).toBe(true);
  rmSync(folder, { recursive: true });
  writeFileSync(folder, '');
  run(4_000);
  expect(await aliveFrom(0, DAY)).toBe(0);
  rmSync(folder);
  run(TICK);
  run(6_000);
  end();
  expect(await aliveFrom(0, DAY)).toBe(6_000 + TICK);
});

it('forgets what is longer ago than a hundred days, and takes other files for nothing', async () => {
  mkdirSync(folder);
  for (const [name, days] of [
    ['older', 100.001],
    ['kept', 100],
  ] as const) {
    const at = String(BEGIN - days * DAY);
    writeFileSync(join(folder, `${at}-${name}`), at);
  }
  writeFileSync(join(folder, '.DS_Store'), '');
  log.keepAlive()();
  expect(readdirSync(folder).filter((name) => name.endsWith('older') || name.endsWith('kept'))).toEqual([
    expect.stringMatching(/kept$/),
  ]);
  expect(await aliveFrom(-101 * DAY, -DAY)).toBe(TICK);
});
