import { unescape } from 'node:querystring';
import type { Mask } from '../values/mask-secrets.js';
import { maskOf } from '../values/mask-secrets.js';
import type { Program } from './program.js';
import { SECRET_CHARACTERS } from '../../plan/tools/mcp-server.js';
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

/**
 * What a program gets beside what every command gets: the variables of its own providers, where it keeps its sessions,
 * and how the network is reached. `redact` takes those secrets out of a text (I13): a program may show its environment.
 */
export function programEnvironment(
  { credentials, homes }: Pick<Program, 'credentials' | 'homes'>,
  known: Record<string, string | undefined>,
): { declared: Record<string, string>; redact: Mask } {
  const own = pick(credentials, known);
  const network = pick(NETWORK, process.env);
  const secrets = [
    ...Object.entries(own).flatMap(([name, value]) => (/(_KEY|_TOKEN)$/.test(name) ? [value] : [])),
    ...Object.values({ ...network, ...own }).flatMap(passwordIn),
  ].filter(({ length }) => length >= SECRET_CHARACTERS);
  return {
    declared: { ...pick(homes, process.env), ...network, ...own },
    redact: maskOf(secrets),
  };
}

/** The password of an address, as it is written and as it is meant; nothing of any other text. */
function passwordIn(address: string): string[] {
  if (!URL.canParse(address)) return [];
  const { password } = new URL(address);
  return [password, unescape(password)];
}

function pick(names: string[], from: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = ownOf(from, name);
      return value === undefined || value === '' ? [] : [[name, value] as const];
    }),
  );
}
