import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it, onTestFinished } from 'vitest';
import { timeLimit } from '../../src/store/time-limit.js';

/** Why a signal aborts that nobody holds but who listens to it, while garbage is collected all the time. */
async function reasonOf(make: () => AbortSignal): Promise<unknown> {
  setFlagsFromString('--expose_gc');
  const collect = runInNewContext('gc') as () => void; // the flag put it there
  const collecting = setInterval(collect, 5);
  onTestFinished(() => clearInterval(collecting));
  return listen(make());
}

function listen(signal: AbortSignal): Promise<unknown> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', ({ target }) => resolve((target as AbortSignal).reason)); // it listens to one
  });
}

describe('a time limit', () => {
  it.each<[string, () => AbortSignal]>([
    ['alone', () => timeLimit(50)],
    ['beside another signal', () => timeLimit(50, new AbortController().signal)],
    ['inside of another', () => AbortSignal.any([timeLimit(50, new AbortController().signal)])],
  ])('aborts %s, however often garbage is collected', async (_, make) => {
    expect(await reasonOf(make)).toMatchObject({ name: 'TimeoutError', message: '50 ms are over' });
  });

  it('aborts at once as another one does', async () => {
    const other = new AbortController();
    const reason = listen(timeLimit(1_000_000, other.signal));
    other.abort('enough');
    expect(await reason).toBe('enough');
  });
});
