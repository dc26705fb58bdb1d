import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SMTPServer } from 'smtp-server';

/** A mail as the server took it. */
export interface TakenMail {
  /** Of the envelope: who really gets it. */
  to: string[];
  from: string;
  /** Who had signed in. */
  user: string | null;
  /** Whether it came over TLS. */
  secure: boolean;
  /** Header lines as they came, unfolded. */
  headers: string[];
  body: string;
}

export interface MailServer {
  port: number;
  taken: TakenMail[];
  /** Passwords that it was told. */
  passwords: string[];
  /** Answers for the next mails: the number of a refusal. */
  refusals: number[];
  /** How many are connected now. */
  connected(): number;
  close(): Promise<void>;
}

/** A certificate of `localhost` that signs itself, made by OpenSSL; `file` is that of the certificate. */
export function makeCertificate(): { key: string; cert: string; file: string } {
  const folder = mkdtempSync(join(tmpdir(), 'perdure-mail-'));
  const [key, file] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  execFileSync(
    'openssl',
    [
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'],
      ...['-keyout', key, '-out', file, '-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'],
    ],
    { stdio: 'ignore' },
  );
  return { key: readFileSync(key, 'utf8'), cert: readFileSync(file, 'utf8'), file };
}

/** An SMTP server on loopback. `tls` is null for one without TLS; with `user` it takes mails of nobody else. */
export async function startMailServer(
  tls: { key: string; cert: string; secure: boolean } | null,
  account: { user: string; password: string } | null = null,
): Promise<MailServer> {
  const taken: TakenMail[] = [];
  const passwords: string[] = [];
  const refusals: number[] = [];
  const server = new SMTPServer({
    ...(tls === null ? { disabledCommands: ['STARTTLS'] } : tls),
    authOptional: account === null,
    allowInsecureAuth: true,
    onAuth({ username = '', password = '' }, _session, done) {
      passwords.push(password ?? '');
      if (username === account?.user && password === account.password) done(null, { user: username });
      else done(new Error(`no such password: ${password ?? ''}`));
    },
    onData(stream, { envelope, user, secure }, done) {
      let text = '';
      stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
      stream.on('end', () => {
        const code = refusals.shift();
        if (code !== undefined) return done(Object.assign(new Error('not now'), { responseCode: code }));
        const [head = '', ...rest] = text.split('\r\n\r\n');
        taken.push({
          to: envelope.rcptTo.map(({ address }) => address),
          from: envelope.mailFrom === false ? '' : envelope.mailFrom.address,
          user: typeof user === 'string' ? user : null,
          secure,
          headers: head.replaceAll(/\r\n[ \t]+/g, ' ').split('\r\n'),
          body: rest.join('\r\n\r\n'),
        });
        return done();
      });
    },
  });
  server.on('error', () => undefined); // a client that leaves is no failure of it
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve());
  });
  return {
    port: (server.server.address() as AddressInfo).port, // A server on TCP has such an address.
    taken,
    passwords,
    refusals,
    connected: () => server.connections.size,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
