import type { StorePlace } from '../open-store.js';
import { spawn } from 'node:child_process';
import { closeSync, openSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { RUN_TAG } from '../../activities/processes/tagged-processes.js';
import type { Env } from '../../store/cache-folder.js';
import { APPROVAL_KEY } from '../../store/records/given-key.js';
import type { KeyRing } from '../../store/encryption/key-ring.js';
import { UnavailableError } from '../errors.js';
import { hostLog } from './host-files.js';
import { hasRoomAt } from './host-folder.js';
import { diskFull } from '../server/server-database.js';
import { EXIT_HELD, idleSetting } from './host-process.js';
import { packageRoot } from '../../store/folders/package-root.js';
import { WORKER_FLAGS } from '../worker/worker-options.js';
import { readText } from '../../store/read-regular.js';

/** A host process that this one started. It goes on when this one ends. */
export interface SpawnedHost {
  /** `held`: another host was faster. */
  ended: () => 'no' | 'held' | 'failed';
  /** Why it failed, when its process has ended: a full disk, else the tail of its log. */
  error: () => Promise<UnavailableError>;
}

const LOG_BYTES = 4 * 1024 * 1024;

/**
 * What a host inherits: it runs the commands of people's definitions, but no key of theirs is in reach (I13). Nor does
 * it inherit whose it is where a command of another run starts it: it is to outlive that one.
 */
const INHERITED = [
  /^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LC_.*|TZ|TMPDIR|XDG_.*)$/,
  /^(PERDURE_.*|GO.*|CGO_.*)$/,
  /^(.*_proxy|.*_PROXY|NODE_OPTIONS|NODE_EXTRA_CA_CERTS|SSL_CERT_.*)$/,
];

/** Starts a host in a process session of its own. Throws an UnavailableError for settings that it cannot have. */
export function spawnHost({
  stateDir,
  taskQueue,
  keys = null,
  storePlace = null,
  entry = hostEntry(),
}: {
  stateDir: string;
  taskQueue: string | null;
  /** Keys that it is to wait for: it is told their ids alone. */
  keys?: KeyRing | null;
  storePlace?: StorePlace | null | undefined;
  entry?: string | undefined;
}): SpawnedHost {
  idleSetting(process.env); // told here in a sentence, and by the host as a trace
  const log = openLog(stateDir);
  const queue = taskQueue === null ? [] : ['--task-queue', taskQueue];
  const wanted = (keys?.ids ?? []).flatMap((id) => ['--key', id]);
  const store = storePlace === null ? [] : ['--store-from-stdin'];
  const options = ['--state-dir', stateDir, ...queue, ...wanted, ...store];
  const child = spawn(process.execPath, [...WORKER_FLAGS, entry, ...options], {
    cwd: stateDir,
    env: inherited(process.env, storePlace),
    stdio: [storePlace === null ? 'ignore' : 'pipe', log, log],
    detached: true,
  });
  closeSync(log);
  child.stdin?.on('error', () => undefined); // a host that ended at once tells why in its log
  child.stdin?.end(JSON.stringify(storePlace));
  child.unref();
  let failure: string | null = null;
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', (error) => {
      failure = error.message;
      resolve();
    });
  });
  return {
    ended: () => {
      if (failure !== null || child.signalCode !== null) return 'failed';
      if (child.exitCode === null) return 'no';
      return child.exitCode === EXIT_HELD ? 'held' : 'failed';
    },
    error: async () => {
      await ended;
      // Its log takes no line then.
      if (!(await hasRoomAt(stateDir))) return diskFull(stateDir);
      const how = failure ?? (child.signalCode === null ? `exit ${String(child.exitCode)}` : child.signalCode);
      const tail = await readText(hostLog(stateDir)).catch(() => '');
      const last = tail
        .trimEnd()
        .split('\n')
        .slice(-8)
        .map((line) => `  ${line}`);
      return new UnavailableError(
        [`The host ended at its start (${how}):`, ...last].join('\n'),
        `Its log is ${hostLog(stateDir)}`,
      );
    },
  };
}

function hostEntry(): string {
  return join(packageRoot(), 'dist', 'workers', 'host-entry.js');
}

/** Without what is a key, as the address of the database is: commands can look at the environment of their host. */
function inherited(env: Env, storePlace: StorePlace | null): Env {
  const isInherited = (name: string): boolean =>
    INHERITED.some((pattern) => pattern.test(name)) && name !== RUN_TAG && name !== APPROVAL_KEY;
  return Object.fromEntries(
    Object.entries(env).filter(([name, value]) => isInherited(name) && value !== storePlace?.postgres),
  );
}

/** A host's log is begun anew when it has grown big; the one before is kept. */
function openLog(stateDir: string): number {
  const file = hostLog(stateDir);
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > LOG_BYTES) renameSync(file, `${file}.1`);
  return openSync(file, 'a', 0o600);
}
