import type { StorePlace } from '../open-store.js';
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { healthPlace } from '../telemetry/health-place.js';
import { UnavailableError } from '../errors.js';
import { closeInherited } from '../processes/inherited.js';
import { isLocked } from '../processes/lock.js';
import { EXIT_HELD, hostSignal, idleSetting, outliveLog, timestamped } from './host-process.js';

/** Entry of the background process `perdure-host`. Its stdout and stderr are the host's log. */
async function main(): Promise<number> {
  process.title = 'perdure-host';
  closeInherited();
  outliveLog();
  const { values } = parseArgs({
    options: {
      'state-dir': { type: 'string' },
      'task-queue': { type: 'string' },
      key: { type: 'string', multiple: true, default: [] },
      'store-from-stdin': { type: 'boolean' },
      'load-only': { type: 'boolean' },
    },
  });
  if (values['load-only']) return loadOnly();
  const stateDir = values['state-dir'];
  if (stateDir === undefined) throw new UnavailableError('Expected the option `--state-dir`.');
  // Losers of a race leave before they load Temporal's client and native code.
  if (await isLocked(stateDir, 'host')) return EXIT_HELD;
  const { runHost } = await import('./host.js');
  const end = await runHost({
    stateDir,
    taskQueue: values['task-queue'] ?? null,
    // whoever starts it has made it
    storePlace: values['store-from-stdin'] === true ? (JSON.parse(readFileSync(0, 'utf8')) as StorePlace) : null,
    idleMs: idleSetting(process.env),
    env: process.env,
    uiPort: null,
    health: healthPlace(process.env),
    credentials: {},
    keys: { wanted: values.key },
    log: timestamped,
    signal: hostSignal(),
  });
  if (end.kind === 'held') return EXIT_HELD;
  return end.kind === 'failed' ? 3 : 0;
}

/** Loads what a host uses and ends: the build keeps what V8 has compiled by then. */
async function loadOnly(): Promise<number> {
  await Promise.all([
    import('./host.js'),
    import('../connection/server-health.js'),
    import('./host-queries.js'),
    import('./host-worker.js'),
  ]);
  return 0;
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    timestamped(error instanceof Error ? (error.stack ?? error.message) : String(error));
    process.exit(3);
  },
);
