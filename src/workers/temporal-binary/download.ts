import { mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { runProgram } from '../../store/processes/run-program.js';
import { elapsed, TEMPORAL_CLI_VERSION } from './progress.js';
import type { Provision } from './progress.js';

const DRAFT = 'download-';
const WATCH_MS = 1000;
/** A download that gains no byte for so long is given up. */
const STALLED_MS = 30_000;

/**
 * Runs in a process of its own, because the resolver is native code that cannot be interrupted: it downloads the
 * program into a folder and starts it once. The path of the package, the folder and the version are arguments.
 */
const RESOLVER = `
const [testing, downloadDir, version] = process.argv.slice(1);
const { TestWorkflowEnvironment } = require(testing);
TestWorkflowEnvironment.createLocal({ server: { executable: { type: 'cached-download', downloadDir, version } } })
  .then((environment) => environment.teardown())
  .catch((error) => { console.error(error.message); process.exitCode = 1; });
`;

/**
 * Downloads the Temporal command line by the resolver of `@temporalio/testing`, where that development dependency is
 * installed. The caller holds the lock on the cache folder. Throws at once where there is no network.
 */
export async function downloadTemporal({ folder, onProgress, signal }: Provision): Promise<void> {
  const testing = resolveTesting();
  if (testing === null) throw new Error('No download: `@temporalio/testing` is not installed.');
  for (const name of (await readdir(folder)).filter((entry) => entry.startsWith(DRAFT)))
    await rm(join(folder, name), { recursive: true, force: true });
  const draft = await mkdtemp(join(folder, DRAFT));
  try {
    onProgress(`looking for Temporal ${TEMPORAL_CLI_VERSION} to download`);
    await runResolver(testing, draft, { onProgress, signal });
    const program = (await readdir(draft)).find((name) => !name.endsWith('.downloading'));
    if (program === undefined) throw new Error('The download left no program.');
    await rename(join(draft, program), join(folder, 'temporal'));
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

function resolveTesting(): string | null {
  try {
    return createRequire(import.meta.url).resolve('@temporalio/testing');
  } catch {
    return null;
  }
}

async function runResolver(
  testing: string,
  draft: string,
  { onProgress, signal }: Pick<Provision, 'onProgress' | 'signal'>,
): Promise<void> {
  const words = ['-e', RESOLVER, testing, draft, `v${TEMPORAL_CLI_VERSION}`];
  const child = runProgram(process.execPath, words, {
    env: process.env,
    stdio: ['ignore', 'ignore', 'pipe'],
    ...(signal === undefined ? {} : { cancelSignal: signal }),
  });
  const watch = watchGrowth(draft, onProgress, () => child.kill('SIGKILL'));
  try {
    const { exitCode, stderr } = await child;
    signal?.throwIfAborted();
    if (exitCode !== 0)
      throw new Error(`No download: ${exitCode === undefined ? 'it made no progress' : reasonIn(stderr)}.`);
  } finally {
    clearInterval(watch);
  }
}

/** The resolver nests its causes in one line; the last says why. */
function reasonIn(said: string): string {
  return said.trim().split('\n')[0]?.split(': ').slice(-2).join(': ') ?? 'it failed';
}

function watchGrowth(draft: string, onProgress: Provision['onProgress'], giveUp: () => void): NodeJS.Timeout {
  const began = Date.now();
  let bytes = 0;
  let grown = began;
  const look = async (): Promise<void> => {
    const sizes = await Promise.all((await readdir(draft)).map(async (name) => (await stat(join(draft, name))).size));
    const now = sizes.reduce((sum, size) => sum + size, 0);
    if (now > bytes) {
      [bytes, grown] = [now, Date.now()];
      onProgress(
        `downloading Temporal ${TEMPORAL_CLI_VERSION}: ${String(Math.round(bytes / 1e6))} MB, ${elapsed(began)}`,
      );
    } else if (Date.now() - grown > STALLED_MS) giveUp();
  };
  // Files come and go while it looks; what it cannot see this second it sees the next.
  return setInterval(() => void look().catch(() => {}), WATCH_MS);
}
