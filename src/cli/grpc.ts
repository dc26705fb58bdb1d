/** What a failed call to the server means to us. */
export type GrpcTrouble = 'not-found' | 'connection-lost' | 'other';

const NOT_FOUND = 5;
/** Cancelled, unknown, deadline exceeded, internal, unavailable. */
const LOST = new Set([1, 2, 4, 13, 14]);

/** What kind of gRPC error this is, also where Temporal's client wrapped it; null for any other error. */
export function grpcTrouble(error: unknown): GrpcTrouble | null {
  if (!(error instanceof Error)) return null;
  if (error.name === 'WorkflowNotFoundError') return 'not-found';
  if (!('code' in error && typeof error.code === 'number' && 'details' in error)) return grpcTrouble(error.cause);
  if (error.code === NOT_FOUND) return 'not-found';
  return LOST.has(error.code) ? 'connection-lost' : 'other';
}
