import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { ApprovalKey } from '../records/approval-key.js';
import type { Database } from './database.js';
import { recordsOf } from './records.js';

const KEY_BYTES = 32;

/** The key that signs decisions, made when it is first needed: of several who do so at once one wins. */
export function createApproval(database: Database): ApprovalKey {
  const records = recordsOf(database, 'approval-key');
  async function key(): Promise<Buffer> {
    const known = await records.read('');
    if (known !== null) return Buffer.from(known, 'base64url');
    await records.writeOnce('', randomBytes(KEY_BYTES).toString('base64url'));
    return key();
  }
  const sign = async (text: string): Promise<string> =>
    createHmac('sha256', await key())
      .update(text)
      .digest('base64url');
  return {
    sign,
    async isSigned(text, signature) {
      const [ours, theirs] = [Buffer.from(await sign(text)), Buffer.from(signature)];
      return ours.length === theirs.length && timingSafeEqual(ours, theirs);
    },
  };
}
