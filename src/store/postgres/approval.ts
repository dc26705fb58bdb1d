import { randomBytes } from 'node:crypto';
import type { ApprovalKey } from '../records/approval-key.js';
import { KEY_BYTES, signingBy } from '../records/approval-key.js';
import type { Database } from './database.js';
import { recordsOf } from './records.js';

/** The key that signs decisions, made when it is first needed: of several who do so at once one wins. */
export function createApproval(database: Database): ApprovalKey {
  const records = recordsOf(database, 'approval-key');
  async function key(): Promise<Buffer> {
    const known = await records.read('');
    if (known !== null) return Buffer.from(known, 'base64url');
    await records.writeOnce('', randomBytes(KEY_BYTES).toString('base64url'));
    return key();
  }
  return signingBy(key);
}
