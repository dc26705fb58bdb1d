/**
 * A signal that aborts with a `TimeoutError` after so many milliseconds, or as one of others does. A timer holds it:
 * `AbortSignal.any` holds an `AbortSignal.timeout` weakly, and in Node 20 one that was collected never aborts. It keeps
 * no process alive.
 */
export function timeLimit(ms: number, ...others: AbortSignal[]): AbortSignal {
  const limit = new AbortController();
  const over = (): void => limit.abort(new DOMException(`${ms} ms are over`, 'TimeoutError'));
  setTimeout(over, ms).unref();
  return others.length === 0 ? limit.signal : AbortSignal.any([limit.signal, ...others]);
}
