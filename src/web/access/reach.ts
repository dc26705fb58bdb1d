import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { usageError } from '../../cli/exit-codes.js';

/** From where the pages can be reached. */
export interface Reach {
  /** The address that is listened at. */
  listen: string;
  /** 0 for one that is free. */
  port: number;
  /** `https://host[:port]` as people type it elsewhere; null where this machine alone is meant. */
  publicOrigin: string | null;
  /** Address of the proxy that ends TLS; null where none does. */
  trustedProxy: string | null;
  tls: { cert: Buffer; key: Buffer } | null;
}

/** What the options say, as they were typed. */
export interface ReachOptions {
  port: string | null;
  listen: string | null;
  publicUrl: string | null;
  trustedProxy: string | null;
  tlsCert: string | null;
  tlsKey: string | null;
}

/** Options that nobody gave. */
export const THIS_MACHINE: ReachOptions = {
  port: null,
  listen: null,
  publicUrl: null,
  trustedProxy: null,
  tlsCert: null,
  tlsKey: null,
};

/**
 * Reads the options. What others on the network could reach needs a name that is checked and TLS in front of it; a
 * usage error says in one sentence what is missing.
 */
export function reachOf(options: ReachOptions, cwd: string): Reach {
  const listen = options.listen ?? '127.0.0.1';
  const publicOrigin = options.publicUrl === null ? null : originOf(options.publicUrl);
  const trustedProxy = options.trustedProxy === null ? null : proxyOf(options.trustedProxy);
  const tls = tlsOf(options, cwd);
  if (listen !== 'localhost' && isIP(listen) === 0)
    throw usageError(`Expected \`--listen\` to be an IP address or \`localhost\`, got \`${listen}\`.`);
  const isProtected = publicOrigin !== null && (tls !== null || trustedProxy !== null);
  if (!isLoopback(listen) && !isProtected)
    throw usageError(
      `\`--listen ${listen}\` can be reached from other machines: add \`--public-url https://…\`, and ` +
        `\`--trusted-proxy <address>\` or \`--tls-cert\` with \`--tls-key\`.`,
    );
  if (publicOrigin !== null && !isProtected)
    throw usageError(
      'Expected `--public-url` with what ends TLS for it: `--trusted-proxy <address>`, or `--tls-cert` with ' +
        '`--tls-key`.',
    );
  if (trustedProxy !== null && (publicOrigin === null || tls !== null))
    throw usageError('Expected `--trusted-proxy` with `--public-url`, and without TLS files: the proxy ends TLS.');
  return { listen, port: portOf(options.port), publicOrigin, trustedProxy, tls };
}

/** Tells whether an address is this machine's own, for itself alone. */
export function isLoopback(address: string): boolean {
  const plain = plainAddress(address);
  return plain === 'localhost' || plain === '::1' || /^127\.\d+\.\d+\.\d+$/.test(plain);
}

/** An address that is listened at, as it stands in a URL. */
export function hostOf(listen: string): string {
  if (listen === 'localhost') return '127.0.0.1';
  return listen.includes(':') ? `[${listen}]` : listen;
}

/** An IPv4 address that a socket for both tells as `::ffff:127.0.0.1`. */
export function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/, '');
}

function portOf(text: string | null): number {
  const port = text === null ? 0 : Number(text);
  if (text === null || (/^\d+$/.test(text) && port > 0 && port < 65_536)) return port;
  throw usageError(`Expected \`--port\` to be a port from 1 to 65535, got \`${text}\`.`);
}

function originOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.protocol === 'https:' && `${url.origin}/` === url.href) return url.origin;
  throw usageError(`Expected \`--public-url\` to be \`https://<host>\`, without a path, got \`${text}\`.`);
}

function proxyOf(text: string): string {
  if (isIP(text) !== 0) return plainAddress(text);
  throw usageError(`Expected \`--trusted-proxy\` to be an IP address, got \`${text}\`.`);
}

function tlsOf({ tlsCert, tlsKey }: ReachOptions, cwd: string): Reach['tls'] {
  if (tlsCert === null && tlsKey === null) return null;
  if (tlsCert === null || tlsKey === null) throw usageError('Expected `--tls-cert` and `--tls-key` together.');
  return { cert: fileAt('--tls-cert', resolve(cwd, tlsCert)), key: fileAt('--tls-key', resolve(cwd, tlsKey)) };
}

function fileAt(flag: string, file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw usageError(`Cannot read \`${flag}\`: ${error instanceof Error ? error.message : String(error)}.`);
  }
}
