import type { FailureType } from '../plan/failure.js';

/** What went wrong in the store, as the step that needed it will report it. */
export class StoreFailure extends Error {
  override readonly name = 'StoreFailure';
  readonly type: FailureType & ('store-missing' | 'store-full' | 'internal');

  constructor(type: StoreFailure['type'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.type = type;
  }

  /**
   * Whether it passes once somebody has made room, has let this user write, or works where the store is now: then the
   * same can be done again.
   */
  get passes(): boolean {
    const code = errorCode(this.cause);
    return code !== null && (NO_SPACE.has(code) || NOT_NOW.has(code));
  }
}

/** Tells whether an error is one of a store that passes. */
export function isPassing(error: unknown): error is StoreFailure {
  return error instanceof StoreFailure && error.passes;
}

/** The `code` of a Node error (`ENOENT`), or null for other things. */
export function errorCode(error: unknown): string | null {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  return typeof code === 'string' ? code : null;
}

const NO_SPACE = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);
const NOT_ALLOWED = new Set(['EACCES', 'EPERM', 'EROFS']);
/** The code of a database that nobody reaches now, or that takes nothing. */
export const UNREACHED = 'EUNREACHED';
/** A disk that takes nothing as things stand, and a store that was moved: a worker that finds it goes on. */
const NOT_NOW = new Set([...NOT_ALLOWED, 'ESTALE', 'EIO', 'EMFILE', 'ENFILE', 'EAGAIN', UNREACHED]);

/** What a path is not. */
const EXPECTED: Readonly<Record<string, string>> = {
  ENOENT: 'a place that is there, or can be made',
  EISDIR: 'a file, got a folder',
  ENXIO: 'a file, got a pipe, a socket or a device',
  ENOTDIR: 'folders on the way, got something else',
  ELOOP: 'a path whose links end',
  ENAMETOOLONG: 'a shorter path',
};

/** Tells whether the system refused a write for want of room. */
export function isNoSpace(error: unknown): boolean {
  return NO_SPACE.has(errorCode(error) ?? '');
}

const OF_ONE_FILE = new Set(['EISDIR', 'ENXIO', 'ENOTDIR', 'ELOOP', 'EACCES', 'EPERM']);

/** Tells whether one file is not as it should be, and not the disk, or what this process may open. */
export function isOfOneFile({ cause }: StoreFailure): boolean {
  return OF_ONE_FILE.has(errorCode(cause) ?? '');
}

/** Tells whether what could not be read may be there all the same: nothing more can be opened now, say. */
export function mayBeThere(failure: StoreFailure): boolean {
  return failure.passes && !isOfOneFile(failure);
}

/** Turns what the file system said about `path` into a failure that tells a person what to do. `action`: `write`. */
export function storeFailure(error: unknown, action: 'read' | 'write' | 'create', path: string): StoreFailure {
  if (error instanceof StoreFailure) return error;
  const code = errorCode(error);
  const options = { cause: error };
  if (code !== null && NO_SPACE.has(code)) {
    return new StoreFailure(
      'store-full',
      `Cannot ${action} \`${path}\`: no space is left there (${code}). What is written waits for room: free ` +
        `some space.`,
      options,
    );
  }
  if (code !== null && NOT_ALLOWED.has(code)) {
    const place = action === 'read' ? 'place that this user may read' : 'folder that this user may write';
    return new StoreFailure('internal', `Cannot ${action} \`${path}\`: expected a ${place}, got ${code}.`, options);
  }
  const expected = code === null ? undefined : EXPECTED[code];
  if (expected !== undefined)
    return new StoreFailure('internal', `Cannot ${action} \`${path}\`: expected ${expected} (${code}).`, options);
  return new StoreFailure(
    'internal',
    `Cannot ${action} \`${path}\`: ${code ?? (error instanceof Error ? error.message : String(error))}.`,
    options,
  );
}
