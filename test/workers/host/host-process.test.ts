import { expect, it, onTestFinished } from 'vitest';
import { hostSignal } from '../../../src/workers/host/host-process.js';

const NAMES = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

it('a terminal that is closed ends a host once, however often it says so, and a second signal ends it at once', () => {
  const before = new Map(NAMES.map((name) => [name, process.listeners(name)]));
  onTestFinished(() => {
    for (const name of NAMES)
      for (const each of process.listeners(name))
        if (before.get(name)?.includes(each) !== true) process.removeListener(name, each);
  });
  let seconds = 0;
  const signal = hostSignal(() => (seconds += 1));
  expect(signal.aborted).toBe(false);
  for (const name of ['SIGHUP', 'SIGHUP'] as const) process.emit(name, name);
  expect([signal.reason, seconds]).toEqual(['it got SIGHUP', 0]);
  process.emit('SIGTERM', 'SIGTERM');
  expect(seconds).toBe(1);
});
