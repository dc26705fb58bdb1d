import type { Config } from '../../compiler/project/config.js';
import type { Project } from '../../compiler/project/project.js';
import type { KeyRing } from '../../store/encryption/key-ring.js';
import type { Store } from '../../store/store.js';
import type { StorePlace } from './ask-store.js';

/** A store that workers elsewhere have, and how to reach them. */
export interface StoreElsewhere extends StorePlace {
  store: Store;
}

interface Looking {
  project: Project;
  config: Config;
  taskQueue: string | null;
  env: Record<string, string | undefined>;
  keys: KeyRing | null;
}

/**
 * The store of the workers that poll the named queue of a server elsewhere, where none of them has this project's own;
 * null where it is that one, or where nobody polls. Throws an UnavailableError when the server cannot be reached.
 */
export async function findStoreElsewhere({
  project,
  config,
  taskQueue,
  env,
  keys,
}: Looking): Promise<StoreElsewhere | null> {
  const named = taskQueue ?? config.task_queue;
  if (config.store !== undefined) return null; // Whoever reaches the database has the store.
  if (named === undefined) return null; // The queue that is named after our store is polled by workers that have it.
  const { temporalSettings } = await import('../../workers/connection/temporal-settings.js');
  const settings = temporalSettings(env);
  if (settings === null) return null;
  const { reach } = await import('../../workers/connection/connect.js');
  const { pollersAt, storesOf } = await import('../../workers/connection/task-queue.js');
  const connection = await reach(settings);
  const stores = storesOf(await pollersAt(connection, settings.namespace, named));
  const [id] = stores;
  const { readStoreId } = await import('../../store/identity.js');
  const ours = await readStoreId(project.stateDir);
  if (id === undefined || (ours !== null && stores.includes(ours))) {
    await connection.close();
    return null;
  }
  const { createClient } = await import('../../workers/connection/temporal-client.js');
  const client = createClient({ connection, namespace: settings.namespace, keys });
  const { createStoreElsewhere } = await import('./store-elsewhere.js');
  const place = { client, taskQueue: named, id };
  return { ...place, store: createStoreElsewhere(place) };
}
