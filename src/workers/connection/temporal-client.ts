import type { ConnectionLike } from '@temporalio/client';
import { Client } from '@temporalio/client';
import type { KeyRing } from '../../store/encryption/key-ring.js';
import { dataConverter } from '../encryption/data-converter.js';

/** A namespace of a server, and the keys by which is encrypted what goes there; null for none. */
export interface ClientPlace {
  connection: ConnectionLike;
  namespace: string;
  keys: KeyRing | null;
}

/** A client: every one of ours is made here, so that none writes in plain where there are keys. */
export function createClient({ connection, namespace, keys }: ClientPlace): Client {
  return new Client({ connection, namespace, ...dataConverter(keys) });
}
