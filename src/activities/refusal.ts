import { errorCode } from '../store/store-failure.js';

/** Why a file of the workspace is not touched: a sentence for the model. */
export class FileRefusal extends Error {}

/** A link is in the way; for reading it may be looked where it leads. */
export class LinkRefusal extends FileRefusal {}

/** There is no such file. */
export class MissingRefusal extends FileRefusal {}

/** A refusal, where an error is one; throws every other error. */
export function asRefusal(error: unknown): FileRefusal {
  if (error instanceof FileRefusal) return error;
  throw error;
}

const SAID: Record<string, string> = {
  ENOENT: 'does not exist',
  ENOTDIR: 'is no folder',
  EISDIR: 'is a folder',
  EACCES: 'may not be accessed',
  EPERM: 'may not be changed',
  EROFS: 'may not be changed',
  ELOOP: 'is a symbolic link',
  ENAMETOOLONG: 'has too long a name',
  ENOTEMPTY: 'is not empty',
  ENXIO: 'is a pipe or a device',
};

/** A system's error as a sentence for the model; what no model can mend (a full disk) stays what it is. */
export function refusalOf(error: unknown, shown: string): unknown {
  if (error instanceof FileRefusal) return error;
  const code = errorCode(error) ?? '';
  const said = SAID[code];
  if (said !== undefined && code === 'ENOENT') return new MissingRefusal(`\`${shown}\` ${said}.`);
  return said === undefined ? error : new FileRefusal(`\`${shown}\` ${said}.`);
}
