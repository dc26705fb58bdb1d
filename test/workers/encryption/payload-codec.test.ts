import { randomBytes } from 'node:crypto';
import { defaultPayloadConverter } from '@temporalio/common';
import { expect, it } from 'vitest';
import { createKeyRing } from '../../../src/store/encryption/key-ring.js';
import { createPayloadCodec, payloadKey } from '../../../src/workers/encryption/payload-codec.js';

const ring = createKeyRing([randomBytes(32)]);
const codec = createPayloadCodec(ring);

it.each<[string, unknown]>([
  ['a text', 'secret'],
  ['null', null],
  ['nothing', undefined],
  ['bytes', new Uint8Array([0, 255, 10])],
  ['an object', { a: [1, { b: 'ü' }] }],
])('a payload of %s comes back as it was, and is named by its key alone', async (_, value) => {
  const plain = defaultPayloadConverter.toPayload(value);
  const [sealed] = await codec.encode([plain]);
  expect(payloadKey(sealed!)).toBe(ring.ids[0]); // one was given
  expect(Object.keys(sealed?.metadata ?? {})).toEqual(['encoding']);
  const [open] = await codec.decode([sealed!]); // likewise
  expect(defaultPayloadConverter.fromPayload(open!)).toEqual(value);
});

it('a payload without data, as the SDK gives it to codecs, may have an empty list there', async () => {
  const bare = { ...defaultPayloadConverter.toPayload(undefined), data: [] as unknown as Uint8Array }; // so it does
  const [open] = await codec.decode(await codec.encode([bare]));
  expect(defaultPayloadConverter.fromPayload(open!)).toBe(undefined); // one was given
});

it('what was written before there were keys is read as it is', async () => {
  const plain = defaultPayloadConverter.toPayload('as it was');
  expect(payloadKey(plain)).toBe(null);
  expect(await codec.decode([plain])).toEqual([plain]);
});
