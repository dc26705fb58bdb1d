import { createHash } from 'node:crypto';
import { chmod, mkdir, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { UnavailableError } from '../errors.js';
import { identify, isRunning } from '../processes/processes.js';
import type { ProcessIdentity } from '../processes/processes.js';
import type { ServerPorts } from '../server/server-command.js';
import { readText } from '../../store/read-regular.js';

/** What a host writes beside its state, so that commands find it. Only the lock says whether it is still true. */
export interface HostFile {
  host: ProcessIdentity;
  /** Path of the control socket. */
  socket: string;
  /** Ports of the last healthy server: the next one takes the same where they are free. */
  ports: ServerPorts | null;
  server: ProcessIdentity | null;
  uiUrl: string | null;
  /** ISO 8601, UTC. */
  since: string;
}

/** Longest path of a socket that every system takes, in bytes. */
const SOCKET_BYTES = 100;

export function hostFile(stateDir: string): string {
  return join(stateDir, 'host.json');
}

/** The log of the host: its own words and the worker's. */
export function hostLog(stateDir: string): string {
  return join(stateDir, 'logs', 'host.log');
}

/** Reads what the last host wrote; null when there is nothing readable. */
export async function readHostFile(stateDir: string): Promise<HostFile | null> {
  try {
    return JSON.parse(await readText(hostFile(stateDir))) as HostFile; // written below, by ourselves
  } catch {
    return null;
  }
}

/** Writes atomically, for the owner alone. What cannot be written leaves nothing beside it. */
export async function writeHostFile(stateDir: string, content: HostFile): Promise<void> {
  const draft = `${hostFile(stateDir)}.${String(process.pid)}`;
  try {
    await writeFile(draft, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
    await rename(draft, hostFile(stateDir));
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

/** Names this process. */
export async function identifySelf(): Promise<ProcessIdentity> {
  return (await identify(process.pid)) ?? { pid: process.pid, started: '' };
}

/** Tells whether the host that wrote this file still runs. */
export async function isHostRunning(file: HostFile): Promise<boolean> {
  return isRunning(file.host);
}

/**
 * Where the control socket goes: in a folder that only its owner may enter, because whoever connects can stop the
 * host. In the state folder where its path is short enough, else in the system's folder for temporary files.
 */
export async function controlSocketPath(stateDir: string): Promise<string> {
  const path = socketAt(await realpath(stateDir));
  await makePrivate(dirname(path));
  return path;
}

/** Where the socket of a host is looked for: it moves with its folder, as its lock does. */
export function socketAt(stateDir: string): string {
  const near = join(stateDir, 'host', 'control.sock');
  if (Buffer.byteLength(near) <= SOCKET_BYTES) return near;
  const { dev, ino } = statSync(stateDir);
  const name = createHash('sha256')
    .update(`${String(dev)} ${String(ino)}`)
    .digest('hex')
    .slice(0, 32);
  return join(`/tmp/perdure-${String(process.getuid?.() ?? 0)}`, `${name}.sock`);
}

async function makePrivate(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const { uid } = await stat(folder);
  if (process.getuid !== undefined && uid !== process.getuid()) {
    throw new UnavailableError(
      `The folder \`${folder}\` belongs to another user (${String(uid)}).`,
      'Remove it, or set PERDURE_STATE_DIR to a shorter path.',
    );
  }
  await chmod(folder, 0o700);
}
