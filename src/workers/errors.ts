/**
 * A server, a worker or a program that Perdure needs is not there. Exit code 3 of the command line.
 * The message says what was expected and found; the hint says what to do, or is null when the message does.
 */
export class UnavailableError extends Error {
  readonly hint: string | null;

  constructor(message: string, hint: string | null = null) {
    super(message);
    this.name = 'UnavailableError';
    this.hint = hint;
  }
}

/** The `code` of a system error (`ENOENT`), or null. */
export function codeOf(error: unknown): string | null {
  if (typeof error !== 'object' || error === null || !('code' in error)) return null;
  return typeof error.code === 'string' ? error.code : null;
}

/** What an unknown thrown thing says. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** What the server says of something that it does not have. */
export const NOT_FOUND = 5;

/** The gRPC status of a failed call, or null. */
export function grpcCodeOf(error: unknown): number | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'number' ? error.code : null;
}
