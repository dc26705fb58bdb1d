import { sha256 } from '../../store/hash.js';
import type { Sent } from './answer-fields.js';

/**
 * Does what a form says once, where it is sent again before that is done: a button may be pressed twice. `who` tells
 * apart where and by whom it is sent.
 */
export function createOnce(): (who: string[], sent: Sent, act: () => Promise<void>) => Promise<void> {
  const doing = new Map<string, Promise<void>>();
  return (who, sent, act) => {
    const key = sha256(JSON.stringify([who, sent]));
    const known = doing.get(key);
    if (known !== undefined) return known;
    const done = act().finally(() => doing.delete(key));
    doing.set(key, done);
    return done;
  };
}
