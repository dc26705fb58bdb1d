import type { BucketPlace } from '../store/bucket/place.js';
import type { KeyRing } from '../store/encryption/key-ring.js';
import { openStore } from '../store/local-store.js';
import { isPassing } from '../store/store-failure.js';
import type { Store } from '../store/store.js';
import type { Env } from '../store/cache-folder.js';
import { UnavailableError } from './errors.js';
import { ownOf } from '../plan/values/own.js';

/** What `perdure.yml` says of the store. */
export interface StoreConfig {
  store?:
    | {
        postgres: string;
        blobs?:
          | {
              bucket: string;
              prefix?: string | undefined;
              region?: string | undefined;
              endpoint?: string | undefined;
              above_kb?: number | undefined;
            }
          | undefined;
      }
    | undefined;
}

/** A store that is no state folder, with what opens it: it is never told, and goes to a host by a pipe (I13). */
export interface StorePlace {
  /** Address of a PostgreSQL database. */
  postgres: string;
  bucket: BucketPlace | null;
}

const ABOVE_KB = 256;
const KB = 1024;

/** The variable that holds the address of a project's database; null where its store is its state folder. */
function storeVariable({ store }: StoreConfig): string | null {
  return store === undefined ? null : store.postgres.slice('${env.'.length, -'}'.length);
}

/**
 * Where a project's store is; null where that is its state folder. Throws an UnavailableError where the variable with
 * the database's address is not set.
 */
export function storePlace(config: StoreConfig, env: Env): StorePlace | null {
  const variable = storeVariable(config);
  if (variable === null) return null;
  const address = ownOf(env, variable);
  if (address !== undefined && address !== '') return { postgres: address, bucket: bucketPlace(config, env) };
  throw new UnavailableError(
    `The store of this project is a database, and the variable \`${variable}\` with its address is not set.`,
    `Set it, or remove \`store\` from perdure.yml to keep everything in the state folder.`,
  );
}

function bucketPlace({ store }: StoreConfig, env: Env): BucketPlace | null {
  if (store?.blobs === undefined) return null;
  const { bucket, prefix = '', region = env['AWS_REGION'] ?? 'us-east-1', endpoint, above_kb } = store.blobs;
  const { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret, AWS_SESSION_TOKEN: token } = env;
  return {
    bucket,
    prefix,
    region,
    endpoint: endpoint ?? null,
    aboveBytes: (above_kb ?? ABOVE_KB) * KB,
    credentials:
      id === undefined || secret === undefined
        ? null
        : { accessKeyId: id, secretAccessKey: secret, ...(token === undefined ? {} : { sessionToken: token }) },
    profile: env['AWS_PROFILE'] ?? null,
  };
}

/**
 * Opens the store of a project: its state folder, or the database at a place. What a database needs is loaded where
 * there is one, whose contents are sealed where there are keys. Throws a `StoreFailure`, a KeyError for other keys than
 * the database is sealed with, or an UnavailableError where it is not reached.
 */
export async function openProjectStore(
  stateDir: string,
  place: StorePlace | null,
  { keys = null, ...options }: { lookOnly?: boolean; keys?: KeyRing | null } = {},
): Promise<Store> {
  if (place === null) return openStore(stateDir, options);
  const { openPostgresStore } = await import('../store/postgres/postgres-store.js');
  return openPostgresStore(place.postgres, stateDir, { keys, bucket: place.bucket }).catch((error: unknown) => {
    throw isPassing(error) ? new UnavailableError(error.message) : error;
  });
}
