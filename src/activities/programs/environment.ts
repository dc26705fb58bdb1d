import type { Program } from './program.js';
import { ownOf } from '../../plan/values/own.js';

/** How the machine reaches the network; nothing of a provider. */
const NETWORK = [
  'HTTPS_PROXY',
  'HTTP_PROXY',
  'NO_PROXY',
  'https_proxy',
  'http_proxy',
  'no_proxy',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'NODE_EXTRA_CA_CERTS',
];
/** Shorter texts would be found everywhere. */
const SECRET_CHARACTERS = 8;

/**
 * What a program gets beside what every command gets: the variables of its own providers, where it keeps its sessions,
 * and how the network is reached. `redact` takes those secrets out of a text (I13): a program may show its environment.
 */
export function programEnvironment(
  { credentials, homes }: Pick<Program, 'credentials' | 'homes'>,
  known: Record<string, string | undefined>,
): { declared: Record<string, string>; redact: (text: string) => string } {
  const own = pick(credentials, known);
  const secrets = Object.entries(own).flatMap(([name, value]) =>
    /(_KEY|_TOKEN)$/.test(name) && value.length >= SECRET_CHARACTERS ? [value] : [],
  );
  return {
    declared: { ...pick([...homes, ...NETWORK], process.env), ...own },
    redact: (text) => secrets.reduce((plain, secret) => plain.replaceAll(secret, '…'), text),
  };
}

function pick(names: string[], from: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = ownOf(from, name);
      return value === undefined || value === '' ? [] : [[name, value] as const];
    }),
  );
}
