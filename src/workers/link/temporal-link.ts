import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { Connection, defaultGrpcRetryOptions, makeGrpcRetryInterceptor } from '@temporalio/client';
import type { Credentials } from '../../activities/dependencies.js';
import type { Project } from '../../compiler/project/project.js';
import type { KeyRing } from '../../store/encryption/key-ring.js';
import type { NamesVariables } from '../credentials.js';
import { hostVariables } from '../credentials.js';
import { messageOf, UnavailableError } from '../errors.js';
import { HOST_FAILED } from '../host/control-protocol.js';
import { joinHost } from '../host/host-client.js';
import type { HostConnection, JoinOptions } from '../host/host-client.js';
import type { CallGate } from './call-gate.js';
import { createCallGate } from './call-gate.js';
import { OWN_SERVER, reach } from '../connection/connect.js';
import { missingSearchAttributes } from '../connection/server-health.js';
import { SEARCH_ATTRIBUTES } from '../../plan/names.js';
import type { StorePlace } from '../open-store.js';
import { openProjectStore } from '../open-store.js';
import { readStoreId } from '../../store/identity.js';
import { taskQueueOf } from '../connection/task-queue.js';
import { createClient } from '../connection/temporal-client.js';
import { temporalSettings } from '../connection/temporal-settings.js';
import type { TemporalSettings } from '../connection/temporal-settings.js';

const START_TRIES = 6;
const PAUSE_MS = 2_000;

export interface OpenOptions {
  project: Pick<Project, 'stateDir'>;
  /** The project's store, where it is open already. */
  store?: { id: string } | undefined;
  /** Address of the project's database; null where its store is its state folder. */
  storePlace?: StorePlace | null | undefined;
  config: NamesVariables & { task_queue?: string | undefined };
  /** The flag, which goes before the config. */
  taskQueue?: string | undefined;
  /** Whether to start a host where none runs. */
  start: boolean;
  onProgress: (line: string) => void;
  credentials: Credentials;
  /** By which is encrypted what goes to the server; null or left out for none. */
  keys?: KeyRing | null | undefined;
  signal?: AbortSignal | undefined;
  /** The host's entry; tests put another one here. */
  entry?: string | undefined;
}

/** An open way to a Temporal server that has, or should have, a worker of ours. */
export interface TemporalLink {
  client: Client;
  connection: Connection;
  namespace: string;
  keys: KeyRing | null;
  /** Of the Web UI, without a path; null where it is not known. */
  uiUrl: string | null;
  taskQueue: string;
  /** Whether the server is our own. */
  embedded: boolean;
  /** Whether the server knows our search attributes. */
  searchAttributes: boolean;
  /** Whether it knows the one in which runs say how they stand, which older set-ups lack. */
  statusAttribute: boolean;
  close: () => Promise<void>;
}

/**
 * Opens the server that the environment names, or joins or starts the host of the project. While an embedded link is
 * open its host stays, and is started again when it dies. Throws an UnavailableError.
 */
export async function openTemporal(options: OpenOptions): Promise<TemporalLink> {
  const settings = temporalSettings(process.env);
  return settings === null ? openEmbedded(options) : openElsewhere(settings, options);
}

async function openElsewhere(
  settings: TemporalSettings,
  { project, store, storePlace = null, config, taskQueue, keys = null }: OpenOptions,
): Promise<TemporalLink> {
  const connection = await reach(settings);
  const { namespace } = settings;
  const queue =
    taskQueue ??
    config.task_queue ??
    taskQueueOf(store ?? (await openProjectStore(project.stateDir, storePlace, { keys })), config);
  // Not every server lets a client ask; then they are left out.
  const missing = await missingSearchAttributes(connection, namespace).catch(() => ['all']);
  return {
    client: createClient({ connection, namespace, keys }),
    connection,
    namespace,
    keys,
    uiUrl: null,
    taskQueue: queue,
    embedded: false,
    searchAttributes: missing.every((name) => name === SEARCH_ATTRIBUTES.status),
    statusAttribute: missing.length === 0,
    close: () => connection.close(),
  };
}

async function openEmbedded(options: OpenOptions): Promise<TemporalLink> {
  const { project, config, taskQueue, start, onProgress, credentials, keys = null, signal, entry } = options;
  const wanted = taskQueue ?? config.task_queue ?? null;
  const join: JoinOptions = {
    stateDir: project.stateDir,
    storePlace: options.storePlace ?? null,
    taskQueue: wanted,
    start,
    onProgress,
    credentials: hostVariables(credentials(), config),
    keys,
    signal,
    entry,
  };
  let joined = await joinHost(join);
  const { host } = joined;
  const storeId = await namedStore(options);
  if (storeId !== null && host.storeId !== storeId) {
    joined.leave();
    throw new UnavailableError(
      `The host of this folder works with the store \`${host.storeId}\`, and perdure.yml names the store ` +
        `\`${storeId}\`.`,
      'Stop the host and run the command again: perdure server stop',
    );
  }
  if (wanted !== null && wanted !== host.taskQueue) {
    joined.leave();
    throw new UnavailableError(
      `The host's worker polls the task queue \`${host.taskQueue}\`, not \`${wanted}\`.`,
      'Stop the host and run the command again: perdure server stop',
    );
  }
  let isOpen = true;
  const gate = createCallGate();
  const { address } = host;
  keepJoined({ join, joined, address, gate, isOpen: () => isOpen, onConnection: (next) => (joined = next) });
  const connection = await Connection.connect({
    address,
    ...OWN_SERVER,
    // A call that is tried again passes the gate again.
    interceptors: [makeGrpcRetryInterceptor(defaultGrpcRetryOptions()), gate.interceptor],
  });
  return {
    client: createClient({ connection, namespace: host.namespace, keys }),
    connection,
    namespace: host.namespace,
    keys,
    uiUrl: host.uiUrl,
    taskQueue: host.taskQueue,
    embedded: true,
    searchAttributes: true,
    statusAttribute: true,
    close: async () => {
      isOpen = false;
      joined.leave();
      await connection.close();
    },
  };
}

/**
 * The store that perdure.yml names, as it is known once a host runs: a folder that was copied, or is looked at only,
 * has its id from the host. Null where nobody has asked for one.
 */
async function namedStore({ store, storePlace = null, project }: OpenOptions): Promise<string | null> {
  if (store === undefined) return null;
  return storePlace === null ? readStoreId(project.stateDir) : store.id;
}

/** A host that cannot start now, on a full disk or beside what was killed, is tried again for about a minute. */
async function joinPatiently(join: JoinOptions, isOpen: () => boolean): Promise<HostConnection> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await joinHost(join);
    } catch (error) {
      if (tries === START_TRIES || !isOpen()) throw error;
      join.onProgress(`the host could not be started: ${messageOf(error)}; trying again`);
      await pause(PAUSE_MS * tries, undefined, { signal: join.signal });
    }
  }
}

/**
 * Joins again, and starts the host again, when it died under an open link. A host that was told to stop stays away.
 * Calls wait meanwhile, and are refused where its server is not at its address again: another project's may be there.
 */
function keepJoined({
  join,
  joined,
  address,
  gate,
  isOpen,
  onConnection,
}: {
  join: JoinOptions;
  joined: HostConnection;
  /** Where the calls of the link go, wherever the server is later. */
  address: string;
  gate: Omit<CallGate, 'interceptor'>;
  isOpen: () => boolean;
  onConnection: (joined: HostConnection) => void;
}): void {
  const refuse = (why: string): void => {
    gate.refuse(why);
    join.onProgress(why);
  };
  void joined.gone.then(async (lastWord) => {
    if (!isOpen()) return;
    const ended = `the host ended: ${lastWord ?? 'it was killed'}`;
    if (lastWord !== null && lastWord !== HOST_FAILED) return refuse(ended);
    gate.hold();
    join.onProgress(ended);
    try {
      const next = await joinPatiently({ ...join, start: true }, isOpen);
      if (!isOpen()) return next.leave();
      onConnection(next);
      if (next.host.address === address) gate.pass();
      else refuse(`the Temporal server is at ${next.host.address} now`);
      keepJoined({ join, joined: next, address, gate, isOpen, onConnection });
    } catch (error) {
      refuse(`the host could not be started again: ${messageOf(error)}`);
    }
  });
}
