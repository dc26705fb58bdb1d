import { join } from 'node:path';
import type { Env } from '../../store/cache-folder.js';
import type { Store } from '../../store/store.js';
import { messageOf } from '../errors.js';
import type { Sending } from './send-trace.js';
import type { TelemetrySettings } from './telemetry-settings.js';
import { isTraced, telemetrySettings } from './telemetry-settings.js';
import { unsentTraces } from './unsent-traces.js';

/** Sends traces of runs that end. Nothing of it slows or fails a run. */
export interface TraceOutbox {
  /**
   * Remembers, before a run's record is written, that its trace is to be sent. What it gives is called once the record
   * is there. Never throws.
   */
  announce(run: string): Promise<() => void>;
  /** How many are to be sent. */
  unsent(): number;
  /** Sends what is under way, for two seconds at most; the rest is sent at the next start. */
  close(): Promise<void>;
}

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;
/** A trace that nobody took for so long is given up. */
const GIVEN_UP_MS = 24 * 3_600_000;
const CLOSE_MS = 2_000;

/**
 * The traces of a store's runs that end in this worker. `variables` say where they go, each time anew: a host learns
 * that from the commands that join it.
 */
export function openTraceOutbox(
  store: Store,
  { variables, version, log }: { variables: () => Env; version: string; log: (line: string) => void },
): TraceOutbox {
  const unsent = store.folder === null ? null : unsentTraces(join(store.folder, 'telemetry'));
  const waiting = new Set<string>();
  const stop = new AbortController();
  let sending: Promise<void> | null = null;
  let again = false;
  let timer: NodeJS.Timeout | undefined;
  let waitMs = FIRST_WAIT_MS;
  let problem = '';

  /** Once for each problem: a receiver may be away for hours. */
  function tell(line: string): void {
    if (line !== problem) log(`telemetry: ${line}`);
    problem = line;
  }

  function settings(): TelemetrySettings | null {
    const now = variables();
    if (!isTraced(now)) return null;
    try {
      return telemetrySettings(now);
    } catch (error) {
      tell(messageOf(error));
      return null;
    }
  }

  /** The store cannot be read or written now, or it has lost a part of a trace. */
  function troubled(error: unknown): 'troubled' {
    if (!stop.signal.aborted) tell(messageOf(error));
    return 'troubled';
  }

  async function sendAll(): Promise<void> {
    const now = settings();
    if (now === null) return;
    for (const run of waiting) {
      if (stop.signal.aborted) return;
      const end = await sendOne(run, { store, settings: now, version, signal: stop.signal, log }).catch(troubled);
      if (end === 'sent') {
        waiting.delete(run);
        await unsent?.remove(run).catch(troubled);
      }
      if (end === 'troubled') {
        later();
        continue;
      }
      if (typeof end === 'object') {
        tell('the receiver of traces is not reached, or takes nothing now; they are sent later');
        waitMs = Math.max(waitMs, end.afterMs ?? 0);
        return later();
      }
      waitMs = FIRST_WAIT_MS;
      problem = '';
    }
  }

  function later(): void {
    clearTimeout(timer);
    timer = setTimeout(wake, waitMs);
    timer.unref();
    waitMs = Math.min(LONGEST_WAIT_MS, waitMs * 2);
  }

  function wake(): void {
    again = sending !== null;
    if (again || stop.signal.aborted) return;
    sending = sendAll().finally(() => {
      sending = null;
      if (again) wake();
    });
  }

  void unsent?.list().then(
    (runs) => {
      for (const run of runs) waiting.add(run);
      if (runs.length > 0) wake();
    },
    (error: unknown) => tell(`what was not sent cannot be read: ${messageOf(error)}`),
  );

  return {
    async announce(run) {
      await unsent?.add(run).catch((error: unknown) => tell(messageOf(error)));
      waiting.add(run);
      return wake;
    },
    unsent: () => waiting.size,
    async close() {
      clearTimeout(timer);
      const late = new Promise<void>((resolve) => setTimeout(resolve, CLOSE_MS).unref());
      await Promise.race([sending, late]);
      stop.abort();
    },
  };
}

/**
 * Sends one trace, unless it is sent: `sent` also where it is given up. `open` is a run that has not closed: it is
 * announced again then. Else how long the receiver wants to be left alone.
 */
async function sendOne(
  run: string,
  { settings, ...sending }: Omit<Sending, 'target'>,
): Promise<'sent' | 'open' | { afterMs: number | null }> {
  const { store, log } = sending;
  const record = await store.readRun(run);
  if (record === null || settings.traces === null) return 'open';
  if (record.trace === undefined) return 'sent';
  if (Date.now() - Date.parse(record.ended_at) > GIVEN_UP_MS) {
    log(`telemetry: the trace of ${run} is given up: nobody took it for a day`);
    return 'sent';
  }
  const { sendTrace } = await import('./send-trace.js');
  return (await sendTrace(record, { ...sending, settings, target: settings.traces })) ?? 'sent';
}
