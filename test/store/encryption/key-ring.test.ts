import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KeyError } from '../../../src/store/encryption/key-error.js';
import { createKeyRing, named, sealingKey } from '../../../src/store/encryption/key-ring.js';

const [older, newer] = [randomBytes(32), randomBytes(32)];
/** The id of the key whose bytes are 0 to 31: bytes that were sealed before name their key so. */
const KNOWN = 'ukpqcxql';
const PLAIN = Buffer.from('what nobody else may read');

describe('a ring of keys', () => {
  it('opens what it sealed, whatever it is, and every time it looks another', () => {
    const ring = createKeyRing([newer]);
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 5000 }), (bytes) => {
        const [one, other] = [ring.seal(bytes, 'value'), ring.seal(bytes, 'value')];
        expect(one.equals(other)).toBe(false);
        expect(one.length).toBe(bytes.length + 50);
        expect(ring.open(one, 'value')).toEqual(Buffer.from(bytes));
      }),
    );
  });

  it('writes with the first key and reads by all of them', () => {
    const before = createKeyRing([older]);
    const after = createKeyRing([newer, older]);
    expect(after.open(before.seal(PLAIN, 'payload'), 'payload')).toEqual(PLAIN);
    expect(sealingKey(after.seal(PLAIN, 'payload'))).toBe(createKeyRing([newer]).ids[0]);
  });

  it('says which key is missing, and which are there', () => {
    const [sealed, ring] = [createKeyRing([newer]).seal(PLAIN, 'payload'), createKeyRing([older])];
    expect(() => ring.open(sealed, 'payload')).toThrow(KeyError);
    expect(() => ring.open(sealed, 'payload')).toThrow(
      new RegExp(`^This is encrypted with the key \`${sealingKey(sealed)}\`, and .* has \`${ring.ids[0]}\`\\.$`),
    );
  });

  it('says what to do about a key that is missing, and about what nobody here has sealed', () => {
    const [sealed, ring] = [createKeyRing([newer]).seal(PLAIN, 'payload'), createKeyRing([older])];
    const hintOf = (bytes: Buffer): string | null => {
      try {
        ring.open(bytes, 'payload');
        return null;
      } catch (error) {
        return (error as KeyError).hint; // `open` throws nothing else
      }
    };
    expect(hintOf(sealed)).toMatch(/^Add that key to the list, after the first one\. `perdure doctor`/);
    for (const bytes of [PLAIN, Buffer.alloc(0), Buffer.alloc(200, 9)])
      expect(hintOf(bytes)).toBe('Whoever can write to the server or the store may have put it there.');
    expect(hintOf(ring.seal(PLAIN, 'payload'))).toBeNull();
  });

  it('names its keys by eight characters, in their order, wherever they are', () => {
    const ring = createKeyRing([newer, older]);
    expect(ring.ids).toHaveLength(2);
    for (const id of ring.ids) expect(id).toMatch(/^[a-z2-7]{8}$/);
    expect(createKeyRing([older, newer]).ids).toEqual([...ring.ids].reverse());
    expect(createKeyRing([Buffer.from(Array.from({ length: 32 }, (_, at) => at))]).ids).toEqual([KNOWN]);
    expect(named(ring.ids)).toBe(`\`${ring.ids.join('`, `')}\``);
    expect(named([])).toBe('none');
  });

  it('knows by which key bytes are sealed, wherever they stand, and that others are by none', () => {
    const ring = createKeyRing([newer]);
    const sealed = ring.seal(new Uint8Array(), 'value');
    const within = Buffer.concat([Buffer.from('abc'), sealed]).subarray(3);
    expect([sealingKey(sealed), sealingKey(within)]).toEqual([ring.ids[0], ring.ids[0]]);
    expect(ring.open(new Uint8Array(within), 'value')).toHaveLength(0);
    expect(ring.open(within, 'value')).toHaveLength(0);
    expect(sealingKey(sealed.subarray(0, -1))).toBeNull();
    expect(sealingKey(Buffer.alloc(200))).toBeNull();
  });

  it('opens nothing in which one bit is another', () => {
    const ring = createKeyRing([newer, older]);
    const sealed = ring.seal(PLAIN, 'payload');
    for (let bit = 0; bit < sealed.length * 8; bit++) {
      const changed = Buffer.from(sealed);
      changed[bit >> 3]! ^= 1 << (bit & 7);
      expect(() => ring.open(changed, 'payload')).toThrow(KeyError);
    }
    for (let length = 0; length < sealed.length; length++)
      expect(() => ring.open(sealed.subarray(0, length), 'payload')).toThrow(KeyError);
  });

  it('opens nothing as another thing than it was sealed as', () => {
    const ring = createKeyRing([newer]);
    expect(() => ring.open(ring.seal(PLAIN, 'value'), 'payload')).toThrow(/was changed since, or is no payload/);
  });

  it('has each key once', () => {
    expect(() => createKeyRing([newer, older, newer])).toThrow(/different keys/);
    expect(() => createKeyRing([])).toThrow(KeyError);
  });

  it('shows no part of a key when it is printed or thrown', () => {
    const ring = createKeyRing([newer]);
    const secret = newer.toString('base64').slice(0, 12);
    expect(JSON.stringify(ring)).not.toContain(secret);
    expect(ring.handOver()).toEqual([newer.toString('base64')]);
  });
});
