import { createHmac, timingSafeEqual } from 'node:crypto';
import type { SignatureKind } from '../../plan/triggers/webhook.js';
import { sha256 } from '../../store/hash.js';

/** What somebody has posted, as it came. */
export interface Posted {
  header: (name: string) => string | undefined;
  body: Buffer;
}

/** A delivery that is genuine: by its id a second one is known. */
export interface Delivery {
  id: string;
  /** What it is about, where a header says so; GitHub does not sign it, so that nothing may be decided by it alone. */
  type: string | null;
}

/** A delivery is refused that was signed longer ago, or later: who has recorded one cannot use it for ever. */
const TOLERANCE_S = 300;

/** The delivery, where it is signed with the secret; else why it is refused. No word of the secret is in that. */
export function verify(
  kind: SignatureKind,
  posted: Posted,
  { secret, now }: { secret: string; now: number },
): Delivery | { refusal: string } {
  return kind === 'github' ? verifyGitHub(posted, secret) : verifyStandard(posted, secret, now);
}

/** The scheme of Standard Webhooks: HMAC-SHA256 of id, time and body; several signatures while keys change. */
function verifyStandard({ header, body }: Posted, secret: string, now: number): Delivery | { refusal: string } {
  const id = header('webhook-id') ?? '';
  const at = header('webhook-timestamp') ?? '';
  const signatures = header('webhook-signature') ?? '';
  if (id === '' || id.length > 256 || !/^\d{1,12}$/.test(at) || signatures === '')
    return { refusal: 'Expected the headers webhook-id, webhook-timestamp and webhook-signature.' };
  if (Math.abs(now / 1000 - Number(at)) > TOLERANCE_S) return { refusal: 'It was signed too long ago, or too early.' };
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const wanted = createHmac('sha256', key).update(`${id}.${at}.`).update(body).digest();
  const genuine = signatures
    .split(' ')
    .some((one) => one.startsWith('v1,') && isSame(Buffer.from(one.slice(3), 'base64'), wanted));
  return genuine ? { id, type: null } : { refusal: 'The signature is wrong.' };
}

/**
 * GitHub signs the body alone. Its header with the delivery's id is nobody's word, so a delivery is known by its body:
 * one that was recorded and is sent under another id starts nothing.
 */
function verifyGitHub({ header, body }: Posted, secret: string): Delivery | { refusal: string } {
  const given = /^sha256=([0-9a-f]{64})$/.exec(header('x-hub-signature-256') ?? '')?.[1];
  if (given === undefined) return { refusal: 'Expected the header X-Hub-Signature-256.' };
  const wanted = createHmac('sha256', secret).update(body).digest();
  if (!isSame(Buffer.from(given, 'hex'), wanted)) return { refusal: 'The signature is wrong.' };
  return { id: sha256(body), type: header('x-github-event') ?? null };
}

function isSame(given: Buffer, wanted: Buffer): boolean {
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}
