/** A signal that aborts when `signal` does or when `limit_ms` have passed; `release` frees the timer. */
export interface TimeLimit {
  signal: AbortSignal;
  isOver(): boolean;
  release(): void;
}

/** The longest a timer of Node can wait: 24.8 days. */
const LONGEST_MS = 2 ** 31 - 1;

/** Bounds work by a time of its own, beside the cancellation that comes from outside. */
export function startTimeLimit(signal: AbortSignal, limitMs: number): TimeLimit {
  const controller = new AbortController();
  let isOver = false;
  const forward = (): void => controller.abort(signal.reason);
  const timer = setTimeout(
    () => {
      isOver = !controller.signal.aborted;
      controller.abort(new Error('time limit'));
    },
    Math.min(limitMs, LONGEST_MS),
  );
  if (signal.aborted) forward();
  else signal.addEventListener('abort', forward, { once: true });
  return {
    signal: controller.signal,
    isOver: () => isOver,
    release: () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', forward);
    },
  };
}
