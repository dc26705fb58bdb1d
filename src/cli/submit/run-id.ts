import { randomBytes } from 'node:crypto';
import { RUN_ID } from '../../plan/names.js';
import { usageError } from '../exit-codes.js';

const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567';

/** A new run's id: `<name>-<8 base32>`. */
export function newRunId(name: string): string {
  const digits = Array.from(randomBytes(8), (byte) => BASE32[byte % BASE32.length]).join('');
  return `${
    name
      .replace(/[^A-Za-z0-9._-]/g, '-')
      .replace(/^[^A-Za-z0-9]+/, '')
      .slice(0, 100) || 'run'
  }-${digits}`;
}

/** Refuses what cannot be a run's id before it gets anywhere. */
export function checkRunId(id: string): string {
  if (RUN_ID.test(id)) return id;
  throw usageError(
    `Expected a run's id of letters, digits, \`.\`, \`_\` and \`-\`, at most 128, beginning with a letter or a ` +
      `digit; got \`${id}\`.`,
  );
}
