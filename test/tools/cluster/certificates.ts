import { execFileSync } from 'node:child_process';
import { createPublicKey, createSign, generateKeyPairSync } from 'node:crypto';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Files of a certificate authority, and of what it signed. */
export interface Certificates {
  authority: string;
  server: { certificate: string; key: string };
  client: { certificate: string; key: string };
}

/** Makes an authority in a folder, with a certificate for a server on this machine and one for clients. */
export function makeCertificates(folder: string): Certificates {
  const openssl = (...args: string[]): Buffer => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  openssl('req', '-x509', ...newKey, '-days', '2', '-keyout', 'ca.key', '-out', 'ca.pem', '-subj', '/CN=authority');
  writeFileSync(join(folder, 'names'), 'subjectAltName=DNS:localhost,IP:127.0.0.1');
  const signed = (who: string): { certificate: string; key: string } => {
    openssl('req', ...newKey, '-keyout', `${who}.key`, '-out', `${who}.csr`, '-subj', `/CN=${who}`);
    const authority = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial'];
    openssl('x509', '-req', '-in', `${who}.csr`, ...authority, '-days', '2', '-out', `${who}.pem`, '-extfile', 'names');
    chmodSync(join(folder, `${who}.key`), 0o600);
    return { certificate: join(folder, `${who}.pem`), key: join(folder, `${who}.key`) };
  };
  return { authority: join(folder, 'ca.pem'), server: signed('server'), client: signed('client') };
}

/** Who signs API keys, as Temporal's server takes them: tokens with permissions such as `team:write`. */
export function createSigner(): { keySet: object; apiKey: (...permissions: string[]) => string } {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const part = (content: object): string => Buffer.from(JSON.stringify(content)).toString('base64url');
  const exp = Math.floor(Date.now() / 1000) + 24 * 60 * 60;
  return {
    keySet: {
      keys: [{ ...createPublicKey(privateKey).export({ format: 'jwk' }), kid: 'test', alg: 'RS256', use: 'sig' }],
    },
    apiKey: (...permissions) => {
      const text = `${part({ alg: 'RS256', typ: 'JWT', kid: 'test' })}.${part({ sub: 'test', permissions, exp })}`;
      return `${text}.${createSign('RSA-SHA256').update(text).sign(privateKey).toString('base64url')}`;
    },
  };
}
