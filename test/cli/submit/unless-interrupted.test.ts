import { describe, expect, it } from 'vitest';
import { unlessInterrupted } from '../../../src/cli/submit/unless-interrupted.js';

/** Ctrl-C that a test presses. */
function presses(): {
  interrupts: Parameters<typeof unlessInterrupted>[1];
  press: () => void;
  isClosed: () => boolean;
} {
  const first = new AbortController();
  let closed = false;
  const press = (): void => first.abort();
  return {
    press,
    isClosed: () => closed,
    interrupts: {
      signal: first.signal,
      interrupt: press,
      second: () => Promise.resolve(false),
      close: () => {
        closed = true;
      },
    },
  };
}

const STANDING = { message: 'Nothing was started.', hint: null };

describe('Ctrl-C before a run is followed', () => {
  it('ends the command at once and says how things stand', async () => {
    const { interrupts, press, isClosed } = presses();
    const waited = unlessInterrupted(new Promise(() => undefined), interrupts, STANDING);
    press();
    await expect(waited).rejects.toMatchObject({ message: 'Interrupted. Nothing was started.', exit: 130 });
    expect(isClosed()).toBe(true);
  });

  it('changes nothing where it is not pressed', async () => {
    const { interrupts, isClosed } = presses();
    expect(await unlessInterrupted(Promise.resolve('linked'), interrupts, STANDING)).toBe('linked');
    expect(isClosed()).toBe(true);
  });
});
