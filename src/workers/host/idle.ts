/** Looks again after so many milliseconds while there is work but nobody who waits for it. */
const RECHECK_MS = 10_000;

export interface IdleWatch {
  /** Whether anybody is joined now. */
  busy: (isBusy: boolean) => void;
}

/**
 * Calls `onIdle` once, when for `idleMs` nobody was joined and nothing is to be done. While there is work, or while
 * that cannot be found out, it looks again from time to time. `idleMs` null never ends.
 */
export function watchIdle({
  idleMs,
  isNeeded,
  onIdle,
  signal,
}: {
  idleMs: number | null;
  isNeeded: () => Promise<boolean>;
  onIdle: () => void;
  signal: AbortSignal;
}): IdleWatch {
  let timer: NodeJS.Timeout | undefined;
  let isBusy = false;

  const arm = (ms: number): void => {
    clearTimeout(timer);
    if (!signal.aborted) timer = setTimeout(() => void look(), ms);
  };
  const look = async (): Promise<void> => {
    const needed = await isNeeded().catch(() => true);
    if (isBusy || idleMs === null || signal.aborted) return;
    if (needed) arm(Math.min(idleMs, RECHECK_MS));
    else onIdle();
  };
  if (idleMs === null) return { busy: () => {} };
  signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
  arm(idleMs);
  return {
    busy: (now) => {
      isBusy = now;
      if (now) clearTimeout(timer);
      else arm(idleMs);
    },
  };
}
