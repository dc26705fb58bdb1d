/** A second Ctrl-C within this time cancels the run. */
export const SECOND_WITHIN_MS = 2_000;

/** Listens for Ctrl-C, and for the polite signals by which a process is asked to end. */
export interface Interrupts {
  /** Aborts at the first. */
  signal: AbortSignal;
  /** Whether a second one comes in time. Call it after the first. */
  second(): Promise<boolean>;
  /** Counts as one: Ctrl-C that was read as a key. */
  interrupt(): void;
  close(): void;
}

/** Listens from now on; until `close` no signal ends the process by itself. */
export function listenForInterrupts(): Interrupts {
  const first = new AbortController();
  const second = new AbortController();
  const interrupt = (): void => (first.signal.aborted ? second : first).abort();
  const end = (): void => {
    first.abort();
    finished = true;
  };
  let finished = false;
  process.on('SIGINT', interrupt);
  process.once('SIGTERM', end);
  process.once('SIGHUP', end);
  return {
    signal: first.signal,
    interrupt,
    second: () => (finished ? Promise.resolve(false) : abortedWithin(second.signal, SECOND_WITHIN_MS)),
    close() {
      process.removeListener('SIGINT', interrupt);
      process.removeListener('SIGTERM', end);
      process.removeListener('SIGHUP', end);
    },
  };
}

function abortedWithin(signal: AbortSignal, ms: number): Promise<boolean> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve(true);
    const timer = setTimeout(() => resolve(false), ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve(true);
    });
  });
}
