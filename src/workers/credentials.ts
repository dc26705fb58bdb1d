import { CREDENTIALS } from '../activities/dependencies.js';
import type { Env } from './cache-folder.js';

/** The provider variables that are set: they travel from a command to the host in memory only (I13). */
export function providerVariables(env: Env): Record<string, string> {
  return Object.fromEntries(
    CREDENTIALS.flatMap((name) => {
      const value = env[name];
      return value === undefined || value === '' ? [] : [[name, value]];
    }),
  );
}

/**
 * What a host knows after another command joined it. A provider for which the command sets anything is taken whole
 * from it, so that one command's key never goes to another command's address; providers it does not name stay.
 */
export function mergeCredentials(known: Record<string, string>, given: Record<string, string>): Record<string, string> {
  const providers = new Set(Object.keys(given).map(providerOf));
  const kept = Object.entries(known).filter(([name]) => !providers.has(providerOf(name)));
  return { ...Object.fromEntries(kept), ...given };
}

function providerOf(variable: string): string {
  return variable.split('_')[0] ?? variable;
}
