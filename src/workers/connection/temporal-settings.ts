import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import type { ConnectionOptions } from '@temporalio/client';
import type { NativeConnectionOptions } from '@temporalio/worker';
import type { Env } from '../../store/cache-folder.js';
import { messageOf, UnavailableError } from '../errors.js';

/** How to reach a server that is not ours. */
export interface TemporalSettings {
  address: string;
  namespace: string;
  /** What both kinds of connection take. */
  connection: Pick<ConnectionOptions, 'address' | 'tls' | 'metadata'> &
    Pick<NativeConnectionOptions, 'tls'> & { apiKey?: string };
  /** What names the server, for messages. */
  source: string;
}

/**
 * The server that `TEMPORAL_ADDRESS` or a Temporal environment profile names; null when neither does, and Perdure's
 * own is meant. Throws an UnavailableError when the profile cannot be read.
 */
export function temporalSettings(env: Env): TemporalSettings | null {
  if (!names(env)) return null;
  const source =
    env['TEMPORAL_ADDRESS'] === undefined
      ? `the Temporal profile \`${env['TEMPORAL_PROFILE'] ?? 'default'}\``
      : 'TEMPORAL_ADDRESS';
  try {
    const overrideEnvVars = Object.fromEntries(
      Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    );
    const { connectionOptions, namespace } = loadClientConnectConfig({ overrideEnvVars });
    const { address, tls, metadata, apiKey } = connectionOptions;
    if (address === undefined) return null;
    const connection = {
      address,
      ...(tls === undefined || tls === null ? {} : { tls }),
      ...(metadata === undefined ? {} : { metadata }),
      ...(typeof apiKey === 'string' ? { apiKey } : {}),
    };
    return { address, namespace: namespace ?? 'default', connection, source };
  } catch (error) {
    throw new UnavailableError(`Temporal's settings cannot be read: ${messageOf(error)}`, `They come from ${source}.`);
  }
}

/** Tells whether anything names a server: the address, a profile, or a default profile with an address. */
function names(env: Env): boolean {
  if ((env['TEMPORAL_ADDRESS'] ?? '') !== '' || (env['TEMPORAL_PROFILE'] ?? '') !== '') return true;
  const file = env['TEMPORAL_CONFIG_FILE'] ?? join(env['HOME'] ?? homedir(), '.config', 'temporalio', 'temporal.toml');
  return existsSync(file) && /^\s*address\s*=/m.test(readFileSync(file, 'utf8'));
}
