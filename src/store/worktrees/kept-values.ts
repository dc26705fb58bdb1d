import type { Json } from '../../plan/values/json.js';
import type { Hash } from '../../plan/values/value.js';

/** The store of what is kept of work trees. */
export interface Values {
  putAlways(value: string): Promise<{ ref: Hash }>;
  get(ref: Hash): Promise<Json>;
}

/** What is kept is cut into values of so many bytes. */
export const PART_BYTES = 6 * 1024 * 1024;

/** Keeps a part of what is too large for one value. */
export async function putPart(part: Uint8Array, values: Values): Promise<Hash> {
  return (await values.putAlways(Buffer.from(part).toString('base64'))).ref;
}

/** The same bytes again. */
export async function getPart(part: Hash, values: Values): Promise<Buffer> {
  return Buffer.from(String(await values.get(part)), 'base64');
}
