import { EventEmitter, once } from 'node:events';
import { timeLimit } from '../../../store/time-limit.js';

/** The calls that this worker makes to one address. */
export interface Line {
  /** Takes a place if one is free at once, and tells so; `limit` null is no limit. */
  enterNow(limit: number | null): boolean;
  /** Waits for a place until `deadline` (epoch milliseconds); false when there was none. */
  enter(limit: number | null, deadline: number, signal: AbortSignal): Promise<boolean>;
  leave(): void;
  /** The address has taken a call. */
  prove(): void;
  /** It refused one: the next goes alone again. */
  doubt(): void;
}

/** So long the first call at an address goes alone; one that says nothing holds up no others for longer. */
const ALONE_MS = 1_000;

/** A line that nobody stands in. */
export function createLine(): Line {
  const changes = new EventEmitter().setMaxListeners(0);
  let active = 0;
  let isProven = false;
  let aloneUntil = 0;

  const mayEnter = (limit: number | null): boolean =>
    active < (limit ?? Infinity) && (isProven || active === 0 || Date.now() >= aloneUntil);
  const changed = (): boolean => changes.emit('change');

  function enterNow(limit: number | null): boolean {
    if (!mayEnter(limit)) return false;
    if (active === 0) aloneUntil = Date.now() + ALONE_MS;
    active += 1;
    return true;
  }

  return {
    enterNow,
    async enter(limit, deadline, signal) {
      while (!enterNow(limit)) {
        const ms = Math.min(ALONE_MS, deadline - Date.now());
        if (ms <= 0) return false;
        await once(changes, 'change', { signal: timeLimit(ms, signal) }).catch(() => signal.throwIfAborted());
      }
      return true;
    },
    leave() {
      active -= 1;
      changed();
    },
    prove() {
      isProven = true;
      changed();
    },
    doubt() {
      isProven = false;
    },
  };
}
