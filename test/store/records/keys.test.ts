import { createPublicKey, randomBytes, verify } from 'node:crypto';
import { chmodSync, linkSync, readFileSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createApprovalKey } from '../../../src/store/records/approval-key.js';
import { APPROVAL_KEY, withGivenKey } from '../../../src/store/records/given-key.js';
import { temporaryFolder } from '../helpers/harness.js';

const keyFile = async (): Promise<string> => join(await temporaryFolder(), 'approval.key');

describe('the key that signs decisions', () => {
  it('is made once, by whoever is first, and only its owner reads it', async () => {
    const file = await keyFile();
    const keys = Array.from({ length: 8 }, () => createApprovalKey(file));
    const publicKeys = await Promise.all(keys.map((key) => key.publicKey()));
    expect(new Set(publicKeys).size).toBe(1);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(file, '..'))).toEqual(['approval.key']);
    expect(await createApprovalKey(file).publicKey()).toBe(publicKeys[0]);
  });

  it('signs what its public half verifies, and nothing else counts', async () => {
    const key = createApprovalKey(await keyFile());
    const signature = await key.sign('approve it');
    const publicKey = createPublicKey(await key.publicKey());
    expect(verify(null, Buffer.from('approve it'), publicKey, Buffer.from(signature, 'base64url'))).toBe(true);
    expect(await key.isSigned('approve it', signature)).toBe(true);
    expect(await key.isSigned('approve it!', signature)).toBe(false);
    expect(await createApprovalKey(await keyFile()).isSigned('approve it', signature)).toBe(false);
  });

  it('knows one spelling of a signature alone', async () => {
    const key = createApprovalKey(await keyFile());
    const signature = await key.sign('x');
    const bytes = Buffer.from(signature, 'base64url');
    for (const other of [`${signature}=`, `${signature} `, bytes.toString('hex'), '', signature.slice(0, -1)])
      expect(await key.isSigned('x', other)).toBe(false);
    if (bytes.toString('base64') !== signature) expect(await key.isSigned('x', bytes.toString('base64'))).toBe(false);
  });

  it.each([
    ['is empty', ''],
    ['is too short', randomBytes(31).toString('base64url')],
    ['is too long', randomBytes(33).toString('base64url')],
  ])('is refused where it %s, and stays as it is', async (_, text) => {
    const file = await keyFile();
    writeFileSync(file, text);
    await expect(createApprovalKey(file).sign('x')).rejects.toThrow(/expected 32 bytes; remove the file/);
    expect(readFileSync(file, 'utf8')).toBe(text);
  });

  it('is refused where it has another name, by which others read it, or is a link', async () => {
    const file = await keyFile();
    const key = createApprovalKey(file);
    await key.publicKey();
    linkSync(file, join(file, '..', 'mine'));
    await expect(key.sign('x')).rejects.toThrow(/has another name \(a hard link\)/);
    const link = await keyFile();
    symlinkSync(file, link);
    await expect(createApprovalKey(link).sign('x')).rejects.toThrow();
  });

  it('is freed of a name that a crash has left while it was made', async () => {
    const file = await keyFile();
    const key = createApprovalKey(file);
    const before = await key.publicKey();
    linkSync(file, `${file}.0123456789ab`);
    expect(await key.publicKey()).toBe(before);
    expect(readdirSync(join(file, '..'))).toEqual(['approval.key']);
    chmodSync(file, 0o600);
  });

  it('leaves files beside it that are no names of it, and is read whatever stands around it', async () => {
    const file = await keyFile();
    const seed = randomBytes(32).toString('base64url');
    writeFileSync(file, `\n  ${seed}\r\n`);
    const before = await createApprovalKey(file).publicKey();
    writeFileSync(`${file}.bak`, seed);
    linkSync(file, `${file}.0123456789ab`);
    expect(await createApprovalKey(file).publicKey()).toBe(before);
    expect(readdirSync(join(file, '..')).sort()).toEqual(['approval.key', 'approval.key.bak']);
  });
});

describe('a key that the environment holds', () => {
  it('signs in place of the store as long as it is there', async () => {
    const own = createApprovalKey(await keyFile());
    const env: Record<string, string | undefined> = {};
    const store = withGivenKey(own, () => env);
    const ownPublic = await own.publicKey();
    expect(await store.publicKey()).toBe(ownPublic);
    env[APPROVAL_KEY] = `${randomBytes(32).toString('base64url')}\n`;
    const signature = await store.sign('x');
    expect(await store.publicKey()).not.toBe(ownPublic);
    expect([await store.isSigned('x', signature), await own.isSigned('x', signature)]).toEqual([true, false]);
    env[APPROVAL_KEY] = '';
    expect([await store.publicKey(), await store.isSigned('x', signature)]).toEqual([ownPublic, false]);
  });

  it('is refused where it is none, and never takes the place of one that is', async () => {
    const store = withGivenKey(createApprovalKey(await keyFile()), () => ({ [APPROVAL_KEY]: 'secret' }));
    for (const act of [() => store.sign('x'), () => store.isSigned('x', 'AA'), () => store.publicKey()])
      await expect(act()).rejects.toThrow('Expected `PERDURE_APPROVAL_KEY` to hold 32 bytes in base 64.');
  });
});
