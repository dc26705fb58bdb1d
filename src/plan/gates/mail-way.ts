/** A mail server and who is told by it (`notify: {email: …}`). */
export interface MailSettings {
  /** `smtp://host[:port]`, which begins TLS with STARTTLS, or `smtps://host[:port]`. */
  server: string;
  /** Only of a server on the worker's own machine. */
  tls?: false;
  /** `${env.NAME}`, both or neither (I13). */
  user?: string;
  password?: string;
  from: string;
  to: string[];
}

/** A mail to one of them: each is sent, and sent again, by itself. */
export type MailWay = Omit<MailSettings, 'to'> & { to: string };

const SERVER = /^(smtps?):\/\/([A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(?::(\d{1,5}))?$/;
const HERE = new Set(['localhost', '127.0.0.1', '[::1]']);
const PORTS = { smtp: 587, smtps: 465 } as const;

/** Where a mail server is; null for what is no address of one. */
export function mailServerAt(written: string): { host: string; port: number; secure: boolean; isHere: boolean } | null {
  const [, scheme, name = '', typed] = SERVER.exec(written) ?? [];
  if (scheme !== 'smtp' && scheme !== 'smtps') return null;
  const port = typed === undefined ? PORTS[scheme] : Number(typed);
  if (port < 1 || port > 65_535) return null;
  return { host: name.replace(/^\[|\]$/g, ''), port, secure: scheme === 'smtps', isHere: HERE.has(name.toLowerCase()) };
}

/** Tells whether it is the address of a mail server, or of one that may be spoken to without TLS. */
export function isMailServer(written: string, where: 'anywhere' | 'of this machine' = 'anywhere'): boolean {
  const at = mailServerAt(written);
  return at !== null && (where === 'anywhere' || (at.isHere && !at.secure));
}

/** Tells whether a text is one bare mail address: nothing in it ends a header or begins another address. */
export function isMailbox(written: string): boolean {
  return (
    written.length <= 254 && /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*$/.test(written)
  );
}
