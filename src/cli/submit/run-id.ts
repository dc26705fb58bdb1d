import { randomBytes } from 'node:crypto';
import { RUN_ID_BYTES, runIdOf } from '../../plan/run-id.js';
import { RUN_ID } from '../../plan/names.js';
import { usageError } from '../exit-codes.js';

/** A new run's id: `<name>-<8 base32>`. */
export function newRunId(name: string): string {
  return runIdOf(name, randomBytes(RUN_ID_BYTES));
}

/** Refuses what cannot be a run's id before it gets anywhere. */
export function checkRunId(id: string): string {
  if (RUN_ID.test(id)) return id;
  throw usageError(
    `Expected a run's id of letters, digits, \`.\`, \`_\` and \`-\`, at most 128, beginning with a letter or a ` +
      `digit; got \`${id}\`.`,
  );
}
