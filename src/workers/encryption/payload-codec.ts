import type { Payload, PayloadCodec } from '@temporalio/common';
import type { KeyRing } from '../../store/encryption/key-ring.js';
import { sealingKey } from '../../store/encryption/key-ring.js';

/** What stands as `encoding` in the metadata of an encrypted payload, in place of all metadata that it had. */
const ENCRYPTED = 'binary/encrypted';

/**
 * Encrypts whole payloads, metadata too, and reads those that any key of the ring has encrypted. What was written
 * before there were keys is read as it is. Throws a KeyError for a payload whose key is not here.
 */
export function createPayloadCodec(ring: KeyRing): PayloadCodec {
  return {
    encode: async (payloads) => payloads.map((payload) => encrypted(payload, ring)),
    decode: async (payloads) => payloads.map((payload) => decrypted(payload, ring)),
  };
}

/** The id of the key that a payload is encrypted with; null for one that is not. */
export function payloadKey({ metadata, data }: Payload): string | null {
  return isEncrypted(metadata) ? sealingKey(data ?? new Uint8Array()) : null;
}

function encrypted(payload: Payload, ring: KeyRing): Payload {
  return { metadata: { encoding: Buffer.from(ENCRYPTED) }, data: ring.seal(toBytes(payload), 'payload') };
}

function decrypted(payload: Payload, ring: KeyRing): Payload {
  if (!isEncrypted(payload.metadata)) return payload;
  return fromBytes(ring.open(payload.data ?? new Uint8Array(), 'payload'));
}

function isEncrypted(metadata: Payload['metadata']): boolean {
  const encoding = metadata?.['encoding'];
  return encoding !== undefined && Buffer.from(encoding).toString('latin1') === ENCRYPTED;
}

/** A payload as bytes: the length of its metadata, its metadata as JSON, its data. */
function toBytes({ metadata, data }: Payload): Buffer {
  const named = Object.entries(metadata ?? {}).map(([name, value]) => [name, Buffer.from(value).toString('base64')]);
  const head = Buffer.from(JSON.stringify(Object.fromEntries(named)));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(head.length);
  // A payload without data, of `undefined` say, has an empty list there, or nothing.
  return Buffer.concat([length, head, Buffer.from(data ?? [])]);
}

function fromBytes(bytes: Buffer): Payload {
  const end = 4 + bytes.readUInt32BE();
  const named = JSON.parse(bytes.toString('utf8', 4, end)) as Record<string, string>; // as `toBytes` wrote it
  const metadata = Object.entries(named).map(([name, value]) => [name, Buffer.from(value, 'base64')] as const);
  return { metadata: Object.fromEntries(metadata), data: bytes.subarray(end) };
}
