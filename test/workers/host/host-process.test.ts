import { expect, it, onTestFinished } from 'vitest';
import { hostSignal } from '../../../src/workers/host/host-process.js';
import { spawnHost } from '../../../src/workers/host/host-spawn.js';

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

it('a setting that a host cannot have is told before one is started', () => {
  process.env['PERDURE_HOST_IDLE_MS'] = 'abc';
  onTestFinished(() => void delete process.env['PERDURE_HOST_IDLE_MS']);
  expect(() => spawnHost({ stateDir: '/nonexistent', taskQueue: null })).toThrow(
    'Expected PERDURE_HOST_IDLE_MS to be a number of milliseconds, got `abc`.',
  );
});
