import { InterceptingCall, Metadata, status } from '@grpc/grpc-js';
import type { ConnectionOptions } from '@temporalio/client';

/**
 * Lets the calls of a connection through, or not: an address says nothing about who listens there after its server has
 * gone.
 */
export interface CallGate {
  interceptor: NonNullable<ConnectionOptions['interceptors']>[number];
  /** Calls wait from now on, for as long as their deadlines allow. */
  hold: () => void;
  /** Those that wait go on. */
  pass: () => void;
  /** Those that wait fail, and all later ones, as calls over a lost connection do. */
  refuse: (why: string) => void;
}

/** Makes a gate that is open. */
export function createCallGate(): CallGate {
  let held: Held | null = null;
  return {
    interceptor: (options, nextCall) => {
      let end: (code: status, details: string) => void = () => undefined;
      return new InterceptingCall(nextCall(options), {
        start(metadata, listener, next) {
          if (held === null) return next(metadata, listener);
          let isOver = false;
          const once = (go: () => void): void => {
            clearTimeout(timer);
            if (!isOver) go();
            isOver = true;
          };
          end = (code, details) =>
            once(() => {
              listener.onReceiveMessage(null); // as a call without an answer does: the SDK's retries wait for it
              listener.onReceiveStatus({ code, details, metadata: new Metadata() });
            });
          const late = (): void => end(status.DEADLINE_EXCEEDED, 'Deadline exceeded');
          const timer = options.deadline === undefined ? undefined : setTimeout(late, leftUntil(options.deadline));
          held.promise.then(
            () => once(() => next(metadata, listener)),
            // No code at which it is tried again: it would be refused again.
            (error: Error) => end(status.INTERNAL, error.message),
          );
        },
        cancel(next) {
          end(status.CANCELLED, 'Cancelled on client');
          next();
        },
      });
    },
    hold: () => (held ??= heldCalls()),
    pass: () => {
      held?.resolve();
      held = null;
    },
    refuse: (why) => {
      held ??= heldCalls();
      held.reject(new Error(why));
    },
  };
}

/** What calls wait for. */
interface Held {
  promise: Promise<void>;
  resolve: () => void;
  reject: (error: Error) => void;
}

function heldCalls(): Held {
  let [resolve, reject]: [Held['resolve'], Held['reject']] = [() => undefined, () => undefined];
  const promise = new Promise<void>((done, failed) => ([resolve, reject] = [done, failed]));
  promise.catch(() => undefined); // nothing may wait
  return { promise, resolve, reject };
}

function leftUntil(deadline: Date | number): number {
  return Math.max(0, Number(deadline) - Date.now());
}
