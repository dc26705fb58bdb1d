import type { Env } from '../../store/cache-folder.js';
import { UnavailableError } from '../errors.js';

/** Another process is the host already: what a host's exit says to whoever started it. */
export const EXIT_HELD = 75;

const IDLE_MS = 60_000;

/** How long a host stays when nobody needs it: `PERDURE_HOST_IDLE_MS`, else a minute. */
export function idleSetting(env: Env): number {
  const given = env['PERDURE_HOST_IDLE_MS'];
  if (given === undefined || given === '') return IDLE_MS;
  const ms = Number(given);
  if (!Number.isFinite(ms) || ms < 0)
    throw new UnavailableError(`Expected PERDURE_HOST_IDLE_MS to be a number of milliseconds, got \`${given}\`.`);
  return ms;
}

/**
 * Aborted by the first SIGTERM, SIGINT or SIGHUP. The second ends the process at once; its server is found and joined
 * later. A terminal that is closed sends SIGHUP more than once: it is no second one.
 */
export function hostSignal(onSecond: () => void = () => process.exit(130)): AbortSignal {
  const ending = new AbortController();
  for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.on(name, () => {
      if (!ending.signal.aborted) ending.abort(`it got ${name}`);
      else if (name !== 'SIGHUP') onSecond();
    });
  }
  return ending.signal;
}

/**
 * Lets this process outlive its log: a line that a full disk does not take, or that nobody reads any more, is lost and
 * ends nothing.
 */
export function outliveLog(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
}

/** One line of a log, with its time. */
export function timestamped(line: string): void {
  process.stderr.write(`${new Date().toISOString()} [${String(process.pid)}] ${line}\n`);
}
