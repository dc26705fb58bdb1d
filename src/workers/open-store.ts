import type { KeyRing } from '../store/encryption/key-ring.js';
import { openStore } from '../store/local-store.js';
import { StoreFailure } from '../store/store-failure.js';
import type { Store } from '../store/store.js';
import type { Env } from '../store/cache-folder.js';
import { UnavailableError } from './errors.js';

/** What `perdure.yml` says of the store. */
export interface StoreConfig {
  store?: { postgres: string } | undefined;
}

/** The variable that holds the address of a project's database; null where its store is its state folder. */
export function storeVariable({ store }: StoreConfig): string | null {
  return store === undefined ? null : store.postgres.slice('${env.'.length, -'}'.length);
}

/**
 * The address of a project's database, which is never told (I13); null where its store is its state folder. Throws an
 * UnavailableError where its variable is not set.
 */
export function storeAddress(config: StoreConfig, env: Env): string | null {
  const variable = storeVariable(config);
  if (variable === null) return null;
  const address = env[variable];
  if (address !== undefined && address !== '') return address;
  throw new UnavailableError(
    `The store of this project is a database, and the variable \`${variable}\` with its address is not set.`,
    `Set it, or remove \`store\` from perdure.yml to keep everything in the state folder.`,
  );
}

/**
 * Opens the store of a project: its state folder, or the database at `address`. What a database needs is loaded where
 * there is one, whose contents are sealed where there are keys. Throws a `StoreFailure`, a KeyError for other keys than
 * the database is sealed with, or an UnavailableError where it is not reached.
 */
export async function openProjectStore(
  stateDir: string,
  address: string | null,
  { keys = null, ...options }: { lookOnly?: boolean; keys?: KeyRing | null } = {},
): Promise<Store> {
  if (address === null) return openStore(stateDir, options);
  const { openPostgresStore } = await import('../store/postgres/postgres-store.js');
  return openPostgresStore(address, stateDir, keys).catch((error: unknown) => {
    throw error instanceof StoreFailure && error.passes ? new UnavailableError(error.message) : error;
  });
}
