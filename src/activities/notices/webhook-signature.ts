import { createHmac } from 'node:crypto';

/**
 * The headers by which a receiver knows a message for ours (Standard Webhooks): `id` is the same each time that it is
 * sent again, `at` is when it is sent, in epoch milliseconds. Throws an Error where the secret is none.
 */
export function signedHeaders(
  secret: string,
  { id, body, at }: { id: string; body: string; at: number },
): {
  [name: string]: string;
} {
  const timestamp = String(Math.floor(at / 1000));
  const signature = createHmac('sha256', secretBytes(secret)).update(`${id}.${timestamp}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` };
}

/** Bytes that a secret has at least. */
export const LEAST_BYTES = 16;

function secretBytes(secret: string): Buffer {
  if (!isSecret(secret))
    throw new Error(`expected the secret to be \`whsec_\` and at least ${LEAST_BYTES} bytes in base 64`);
  return Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
}

/** Tells whether a text is a secret of Standard Webhooks. */
export function isSecret(secret: string): boolean {
  return (
    /^(whsec_)?[A-Za-z0-9+/_-]+={0,2}$/.test(secret) &&
    Buffer.from(secret.replace(/^whsec_/, ''), 'base64').length >= LEAST_BYTES
  );
}
