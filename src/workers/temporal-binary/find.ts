import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { cacheFolder } from '../../store/cache-folder.js';
import type { Env } from '../../store/cache-folder.js';
import { messageOf, UnavailableError } from '../errors.js';
import { takeLock } from '../processes/lock.js';
import { runProgram } from '../../store/processes/run-program.js';
import { findOnPath, isExecutable } from '../../store/processes/find-on-path.js';
import { elapsed, TEMPORAL_CLI_VERSION } from './progress.js';
import type { Progress, Provision, Way } from './progress.js';
import { buildTemporal } from './build.js';
import { downloadTemporal } from './download.js';
import { outsidePath } from '../../store/processes/search-path.js';

/** The oldest server that Perdure supports. */
export const OLDEST_SERVER: readonly [number, number] = [1, 29];

export interface FindOptions {
  env?: Env;
  onProgress?: Progress;
  signal?: AbortSignal;
  /** How to get the program when it is nowhere, in this order. */
  ways?: Way[];
}

/** A usable Temporal command line. */
export interface TemporalBinary {
  path: string;
  /** `1.29.1` */
  server: string;
}

/**
 * Finds the Temporal command line, which contains the server: `PERDURE_TEMPORAL_BIN`, `temporal` on the PATH, our
 * cache, a download, a build by Go. Getting it takes minutes, is done once, and by one process at a time.
 * Throws an UnavailableError that lists all these ways when none leads to a server of 1.29 or later.
 */
export async function findTemporal({
  env = process.env,
  onProgress = () => {},
  signal,
  ways = [downloadTemporal, buildTemporal],
}: FindOptions = {}): Promise<TemporalBinary> {
  const given = env['PERDURE_TEMPORAL_BIN'];
  if (given !== undefined && given !== '') return useGiven(resolve(given));
  const present = await findPresent(env, onProgress);
  if (present !== null) return present;
  const folder = temporalFolder(env);
  await mkdir(folder, { recursive: true }).catch((error: unknown) => {
    throw new UnavailableError(
      `The cache folder \`${folder}\` cannot be made: ${messageOf(error)}`,
      'Set XDG_CACHE_HOME to a folder that can be written.',
    );
  });
  return provide({ folder, env, onProgress, signal }, ways);
}

/** A program that is there already: on the PATH or in our cache. Null when there is none that will do. */
export async function findPresent(env: Env, onProgress: Progress = () => {}): Promise<TemporalBinary | null> {
  for (const path of [findOnPath('temporal', env['PATH'] ?? ''), join(temporalFolder(env), 'temporal')]) {
    if (path === null || !isExecutable(path)) continue;
    const found = await inspect(path);
    if (typeof found !== 'string') return found;
    onProgress(`${found} It is not used.`);
  }
  return null;
}

/** Where our cache keeps the program. */
export function temporalFolder(env: Env): string {
  return join(cacheFolder(env), `temporal-${TEMPORAL_CLI_VERSION}`);
}

async function useGiven(path: string): Promise<TemporalBinary> {
  const hint = 'Set PERDURE_TEMPORAL_BIN to a Temporal command line with a server of 1.29 or later, or unset it.';
  if (!isExecutable(path))
    throw new UnavailableError(`Expected PERDURE_TEMPORAL_BIN to name an executable file, got \`${path}\`.`, hint);
  const found = await inspect(path);
  if (typeof found === 'string') throw new UnavailableError(found, hint);
  return found;
}

async function provide(provision: Provision, ways: Way[]): Promise<TemporalBinary> {
  const lock = await waitForLock(provision);
  try {
    const reasons: string[] = [];
    // Whoever held the lock before has probably done the work.
    const cached = await inspectIfThere(join(provision.folder, 'temporal'));
    if (cached !== null) return cached;
    for (const way of ways) {
      const reason = await attempt(way, provision);
      provision.signal?.throwIfAborted();
      if (typeof reason !== 'string') return reason;
      provision.onProgress(reason);
      reasons.push(reason);
    }
    throw missing(reasons);
  } finally {
    await lock.release();
  }
}

async function attempt(way: Way, provision: Provision): Promise<TemporalBinary | string> {
  try {
    await way(provision);
    return await inspect(join(provision.folder, 'temporal'));
  } catch (error) {
    return messageOf(error);
  }
}

async function waitForLock({ folder, onProgress, signal }: Provision): Promise<{ release: () => Promise<void> }> {
  const began = Date.now();
  for (let round = 0; ; round++) {
    const lock = await takeLock(folder, 'temporal');
    if (lock !== null) return lock;
    if (round % 20 === 0) onProgress(`another process is getting Temporal; waiting for it (${elapsed(began)})`);
    await pause(250, undefined, { signal });
  }
}

function missing(reasons: string[]): UnavailableError {
  const ways = [
    'Any one of these will do:',
    '  set PERDURE_TEMPORAL_BIN to a Temporal command line with a server of 1.29 or later;',
    '  put `temporal` on the PATH;',
    `  install Go: then it is built once, in 3 to 4 minutes, from github.com/temporalio/cli v${TEMPORAL_CLI_VERSION};`,
    '  set TEMPORAL_ADDRESS to use a Temporal server that runs elsewhere.',
  ];
  return new UnavailableError(
    ['No Temporal server could be found or got.', ...reasons.map((reason) => `  ${reason}`)].join('\n'),
    ways.join('\n'),
  );
}

async function inspectIfThere(path: string): Promise<TemporalBinary | null> {
  if (!isExecutable(path)) return null;
  const found = await inspect(path);
  return typeof found === 'string' ? null : found;
}

/** Asks a program for its version. A text says why it will not do. */
async function inspect(path: string): Promise<TemporalBinary | string> {
  const env = { PATH: outsidePath(process.env['PATH'], null) };
  const { stdout: text, failed, shortMessage } = await runProgram(path, ['--version'], { env, timeout: 30_000 });
  if (failed) return `\`${path} --version\` failed: ${shortMessage?.split('\n')[0] ?? ''}.`;
  const server = /Server (\d+)\.(\d+)\.(\d+)/.exec(text);
  if (server === null)
    return (
      `Expected \`${path} --version\` to name its server, got ` +
      `\`${(text.trim().split('\n')[0] ?? '').slice(0, 80)}\`.`
    );
  const [major, minor] = [Number(server[1]), Number(server[2])];
  const recent = major > OLDEST_SERVER[0] || (major === OLDEST_SERVER[0] && minor >= OLDEST_SERVER[1]);
  const version = server[0].slice('Server '.length);
  return recent
    ? { path, server: version }
    : `Expected a server of ${OLDEST_SERVER.join('.')} or later, got ${version} in \`${path}\`.`;
}
