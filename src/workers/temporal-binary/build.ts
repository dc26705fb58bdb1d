import { mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { writeAtomically } from '../../store/files.js';
import { identify, isRunning, signalGroup } from '../processes/processes.js';
import type { ProcessIdentity } from '../processes/processes.js';
import { runProgram } from '../../store/processes/run-program.js';
import { findOnPath } from '../../store/processes/find-on-path.js';
import { elapsed, TEMPORAL_CLI_VERSION } from './progress.js';
import type { Provision } from './progress.js';

const MODULE = `github.com/temporalio/cli/cmd/temporal@v${TEMPORAL_CLI_VERSION}`;
/** Without these the C library is asked who runs it, and a user without an entry in passwd has no name there. */
const BUILD_TAGS = ['-tags', 'osusergo'];
const PROGRESS_MS = 5000;

/**
 * Builds the Temporal command line with Go, in a folder of its own, and renames it into place when it is whole.
 * The caller holds the lock on the cache folder. Throws when there is no Go, or with the tail of what Go said.
 */
export async function buildTemporal(provision: Provision): Promise<void> {
  const { folder, env, onProgress } = provision;
  const go = findOnPath('go', env['PATH'] ?? '');
  if (go === null) throw new Error('There is no `go` on the PATH to build it with.');
  await removeLeftovers(folder);
  const draft = await mkdtemp(join(folder, DRAFT));
  try {
    const began = Date.now();
    onProgress(`building Temporal ${TEMPORAL_CLI_VERSION} with Go: once, about 4 minutes`);
    await runGo(go, draft, provision);
    await rename(join(draft, 'temporal'), join(folder, 'temporal'));
    onProgress(`built Temporal ${TEMPORAL_CLI_VERSION} in ${elapsed(began)}`);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

const DRAFT = 'build-';
const OWNER = 'go.json';

/**
 * Ends the `go` of a builder that was killed and removes its half-made files. We hold the lock, so all are left over.
 */
async function removeLeftovers(folder: string): Promise<void> {
  for (const name of (await readdir(folder)).filter((entry) => entry.startsWith(DRAFT))) {
    const go = await readFile(join(folder, name, OWNER), 'utf8')
      .then((text) => JSON.parse(text) as ProcessIdentity) // written below, by ourselves
      .catch(() => null);
    if (go !== null && (await isRunning(go))) signalGroup(go.pid, 'SIGKILL');
    await rm(join(folder, name), { recursive: true, force: true });
  }
}

async function runGo(go: string, draft: string, { env, onProgress, signal }: Provision): Promise<void> {
  const child = runProgram(go, ['install', '-v', ...BUILD_TAGS, MODULE], {
    cwd: draft,
    env: { ...env, GOBIN: draft },
    stdio: ['ignore', 'ignore', 'pipe'],
    buffer: false,
    // A group of its own, so that its compilers end with it.
    detached: true,
  });
  const stop = (): void => {
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null)
      signalGroup(child.pid, 'SIGKILL');
  };
  signal?.addEventListener('abort', stop, { once: true });
  const report = followGo(child.stderr, onProgress);
  try {
    const identity = child.pid === undefined ? null : await identify(child.pid);
    // Who takes over reads all of it or nothing.
    if (identity !== null) await writeAtomically(join(draft, OWNER), JSON.stringify(identity));
    const { exitCode, shortMessage } = await child;
    signal?.throwIfAborted();
    if (child.pid === undefined) throw new Error(`\`go\` could not be started: ${shortMessage ?? ''}`);
    if (exitCode !== 0) throw new Error(`\`go install ${MODULE}\` failed:\n${report.tail()}`);
  } finally {
    report.end();
    signal?.removeEventListener('abort', stop);
    stop();
  }
}

/** Says every five seconds what Go does: `-v` names each package, and downloads are announced. */
function followGo(stderr: Readable, onProgress: (line: string) => void): { tail: () => string; end: () => void } {
  const began = Date.now();
  const last: string[] = [];
  let packages = 0;
  let now = 'starting';
  createInterface({ input: stderr }).on('line', (line) => {
    last.push(line);
    if (last.length > 10) last.shift();
    if (line.startsWith('go: downloading ')) now = line.slice('go: '.length);
    else if (/^[\w./~-]+$/.test(line)) now = `package ${String(++packages)}, ${line}`;
  });
  const timer = setInterval(
    () => onProgress(`building Temporal ${TEMPORAL_CLI_VERSION}: ${elapsed(began)}, ${now}`),
    PROGRESS_MS,
  );
  return { tail: () => last.map((line) => `    ${line}`).join('\n'), end: () => clearInterval(timer) };
}
