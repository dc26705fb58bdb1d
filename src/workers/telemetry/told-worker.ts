import type { Client } from '@temporalio/client';
import type { NativeConnection } from '@temporalio/worker';
import type { Env } from '../../store/cache-folder.js';
import type { Store } from '../../store/store.js';
import type { TraceOutbox } from './trace-outbox.js';

/** Where a worker serves its health. */
export interface HealthPlace {
  host: string;
  port: number;
}

/** The worker that is told of. */
export interface ToldWorker {
  store: Store;
  client: Client;
  connection: NativeConnection;
  namespace: string;
  taskQueue: string;
  identity: string;
  /** The SDK's own word. */
  state: () => string;
  traces: Pick<TraceOutbox, 'unsent'>;
}

export interface TelemetryOptions {
  health: HealthPlace | null;
  /** Where the SDK shows its metrics on this machine; null where nobody asks for them. */
  sdkMetrics: string | null;
  variables: () => Env;
  version: string;
  log: (line: string) => void;
}
