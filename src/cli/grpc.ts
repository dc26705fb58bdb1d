import type { Connection } from '@temporalio/client';

/**
 * Makes calls that end when the signal aborts. The connection never takes its listener off the signal it is given,
 * so it gets one that lives only as long as the call.
 */
export async function abortable<T>(connection: Connection, signal: AbortSignal, call: () => Promise<T>): Promise<T> {
  const own = new AbortController();
  const abort = (): void => own.abort(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort);
  try {
    return await connection.withAbortSignal(own.signal, call);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** What a failed call to the server means to us. */
export type GrpcTrouble = 'not-found' | 'connection-lost' | 'not-ready' | 'other';

const NOT_FOUND = 5;
/** Failed precondition: nothing was done, for the state in which the run was. */
const NOT_READY = 9;
/** Cancelled, unknown, deadline exceeded, internal, unavailable. */
const LOST = new Set([1, 2, 4, 13, 14]);

/** What kind of gRPC error this is, also where Temporal's client wrapped it; null for any other error. */
export function grpcTrouble(error: unknown): GrpcTrouble | null {
  if (!(error instanceof Error)) return null;
  if (error.name === 'WorkflowNotFoundError') return 'not-found';
  if (!('code' in error && typeof error.code === 'number' && 'details' in error)) return grpcTrouble(error.cause);
  if (error.code === NOT_FOUND) return 'not-found';
  if (error.code === NOT_READY) return 'not-ready';
  return LOST.has(error.code) ? 'connection-lost' : 'other';
}
