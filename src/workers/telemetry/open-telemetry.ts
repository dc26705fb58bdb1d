import { claimFreePort, LOOPBACK } from '../server/ports.js';
import { messageOf } from '../errors.js';
import { isMetered } from './telemetry-settings.js';
import type { TraceOutbox } from './trace-outbox.js';
import { openTraceOutbox } from './trace-outbox.js';
import type { TelemetryOptions, ToldWorker } from './told-worker.js';
import type { WorkerTelemetry } from './worker-telemetry.js';

/** Telemetry of a worker that is about to be made. */
export interface Telemetry {
  /** For its activities: a run that is traced tells that somebody wants to know. */
  traces: Pick<TraceOutbox, 'announce'>;
  /** The worker is there. Throws an UnavailableError where its health port cannot be had. */
  begin(worker: Omit<ToldWorker, 'traces'>): Promise<void>;
  /** Sends what is under way, for a few seconds at most. */
  close(): Promise<void>;
}

/** Metrics and health are loaded where somebody asks for them. */
export function openTelemetry(store: ToldWorker['store'], options: TelemetryOptions): Telemetry {
  const { variables, version, log, health } = options;
  const outbox = openTraceOutbox(store, { variables, version, log });
  let told: ToldWorker | null = null;
  let opened: Promise<WorkerTelemetry> | null = null;

  function open(worker: ToldWorker): Promise<WorkerTelemetry> {
    opened ??= import('./worker-telemetry.js').then((module) => module.openWorkerTelemetry(worker, options));
    return opened;
  }

  return {
    traces: {
      announce(run) {
        // A host learns from the commands that join it where telemetry goes.
        if (told !== null)
          open(told).then(
            (telemetry) => telemetry.refresh(),
            (error: unknown) => log(`telemetry: ${messageOf(error)}`),
          );
        return outbox.announce(run);
      },
    },
    async begin(worker) {
      told = { ...worker, traces: outbox };
      if (health !== null || isMetered(variables())) await open(told);
    },
    async close() {
      await outbox.close();
      await opened?.then((telemetry) => telemetry.close());
    },
  };
}

/** Where the SDK is to show its metrics on this machine, for who serves health; null for who does not. */
export async function sdkMetricsFor(health: TelemetryOptions['health']): Promise<string | null> {
  return health === null ? null : `${LOOPBACK}:${String((await claimFreePort(null)).port)}`;
}
