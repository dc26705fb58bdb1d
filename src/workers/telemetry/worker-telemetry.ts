import { measureBy } from '../../activities/attempt/measure.js';
import type { Store } from '../../store/store.js';
import { timeLimit } from '../../store/time-limit.js';
import { messageOf } from '../errors.js';
import { countRun } from './count-results.js';
import { healthOf } from './health.js';
import { serveHealth } from './health-server.js';
import type { MetricBook } from './metrics.js';
import { openMetricBook, prometheusText } from './metrics.js';
import { metricsRequest } from './otlp-metrics.js';
import { postOtlp } from './post-otlp.js';
import { showQueue } from './queue-state.js';
import { telemetrySettings } from './telemetry-settings.js';
import type { TelemetryOptions, ToldWorker } from './told-worker.js';

/** Metrics and health of a worker. */
export interface WorkerTelemetry {
  /** Counts and sends from now on, where the variables say so by now. */
  refresh(): void;
  /** Sends the last numbers, for two seconds at most, and serves no more. */
  close(): Promise<void>;
}

const CLOSE_MS = 2_000;

/**
 * Counts what happens in this process, where somebody wants to know: at the health port, or at the receiver that the
 * variables name. Nobody waits for it. Throws an UnavailableError where the health port cannot be had.
 */
export async function openWorkerTelemetry(
  worker: ToldWorker,
  { health, sdkMetrics, variables, version, log }: TelemetryOptions,
): Promise<WorkerTelemetry> {
  const book = openMetricBook();
  let timer: NodeJS.Timeout | undefined;

  async function gauges(): Promise<void> {
    book.set('perdure_traces_unsent', [{ labels: {}, value: worker.traces.unsent() }]);
    await showQueue(worker, book).catch(() => undefined); // what cannot be seen now is shown as it was
  }

  async function push(signal: AbortSignal): Promise<void> {
    const { metrics: target, resource } = telemetrySettings(variables());
    if (target === null) return;
    await gauges();
    const posted = await postOtlp(target, 'metrics', metricsRequest(book, { resource, version }), signal);
    // What was not taken is in the next ones, which count from the start.
    if (posted.kind === 'rejected') log(`telemetry: the receiver rejects metrics: ${posted.why}`);
  }

  function refresh(): void {
    if (timer !== undefined) return;
    try {
      const { metrics, intervalMs } = telemetrySettings(variables());
      if (metrics === null) return;
      count(worker.store, book);
      timer = setInterval(() => void push(new AbortController().signal).catch(() => undefined), intervalMs);
      timer.unref();
    } catch (error) {
      log(`telemetry: ${messageOf(error)}`);
    }
  }

  refresh();
  if (health !== null) count(worker.store, book);
  const server =
    health === null
      ? null
      : await serveHealth({
          ...health,
          ...healthOf(worker),
          metrics: async () => {
            await gauges();
            return prometheusText(book) + (await sdkText(sdkMetrics));
          },
        });
  return {
    refresh,
    async close() {
      measureBy(null);
      if (timer !== undefined) {
        clearInterval(timer);
        await push(timeLimit(CLOSE_MS)).catch(() => undefined);
      }
      await server?.close();
    },
  };
}

function count(store: Store, book: MetricBook): void {
  measureBy({
    called({ what, name, provider }, { seconds, failure, usd, tokens }) {
      const status = failure ?? 'success';
      if (what === 'tool') return book.add('perdure_tool_calls_total', { tool: name, status });
      const labels = { provider: provider ?? what, model: name };
      book.add('perdure_model_calls_total', { ...labels, status });
      book.add('perdure_model_seconds_total', labels, seconds);
      if (typeof usd === 'number') book.add('perdure_cost_usd_total', labels, usd);
      for (const [type, counted] of Object.entries(tokens ?? {}))
        book.add('perdure_tokens_total', { ...labels, type }, counted);
    },
    tried(kind, { failure, again }) {
      book.add('perdure_tries_total', { kind, status: failure ?? 'success' });
      if (again !== null) book.add('perdure_retries_total', { kind, by: again });
    },
    closed: (run) =>
      void store
        .readRun(run)
        .then((record) => (record === null ? undefined : countRun(record, store, book)))
        .catch(() => undefined), // a record whose pages are gone tells nothing
  });
}

/** What the SDK counts, which it serves at a port of its own. */
async function sdkText(address: string | null): Promise<string> {
  if (address === null) return '';
  try {
    const response = await fetch(`http://${address}/metrics`, { signal: timeLimit(CLOSE_MS) });
    return await response.text();
  } catch {
    return '';
  }
}
