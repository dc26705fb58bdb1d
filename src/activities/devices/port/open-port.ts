import { spawn } from 'node:child_process';
import type { Device } from '../../../plan/devices/device.js';
import { isSimulated } from '../../../plan/devices/device.js';
import type { Store } from '../../../store/store.js';
import { commandEnvironment } from '../../processes/command-environment.js';
import { stepFailure } from '../../failures.js';
import { announceCommand } from '../../processes/announced-commands.js';
import { killTagged, runTag } from '../../processes/tagged-processes.js';
import type { PortLock } from './port-lock.js';
import { lockPort } from './port-lock.js';
import type { Port } from './ports.js';
import type { DeviceFolders } from '../../dependencies.js';
import { awaitPort, findPort } from './ports.js';

/** How long a port may be away, as one of a board is that starts anew. */
const AWAY_MS = 5_000;
/** How long another program may have the port. */
const BUSY_MS = 30_000;

/** What opening a port needs from outside. */
export interface PortSetting {
  store: Store;
  run: string;
  /** The simulated board's program, as `activities/devices/board/main.ts` is built. */
  boardProgram: string | null;
  /** How long another program may have the port; 30 s when left out. */
  busyMs?: number;
  folders?: DeviceFolders;
}

/** A port that nobody else on this machine has open through us. */
export interface HeldPort extends Port {
  lock: PortLock;
  /** Where the device is now: a board that starts anew may come back under another name. Null while it is away. */
  now: () => Promise<Port | null>;
}

/** Finds a device's port, takes its lock, and lets go of it when `use` has ended. A simulated board lives as long. */
export async function withPort<T>(
  device: Device,
  setting: PortSetting,
  signal: AbortSignal,
  use: (port: HeldPort) => Promise<T>,
): Promise<T> {
  if (isSimulated(device)) return withSimulated(device, setting, signal, use);
  const port = await awaitPort(device, {
    signal,
    limitMs: AWAY_MS,
    ...(setting.folders === undefined ? {} : { folders: setting.folders }),
  });
  const find = async (): Promise<Port | null> => {
    const found = await findPort(device, setting.folders);
    return 'path' in found ? found : null;
  };
  return withLock({ port, find }, setting, signal, use);
}

interface Located {
  port: Port;
  find: () => Promise<Port | null>;
}

async function withLock<T>(
  { port, find }: Located,
  { store, busyMs = BUSY_MS }: PortSetting,
  signal: AbortSignal,
  use: (port: HeldPort) => Promise<T>,
): Promise<T> {
  const lock = await lockPort(port.identity, { signal, limitMs: busyMs, fence: () => killOrphans(store.id) });
  const locks = new Map([[port.identity, lock]]);
  const now = async (): Promise<Port | null> => {
    const found = await find();
    if (found === null || locks.has(found.identity)) return found;
    const other = await lockPort(found.identity, { signal, limitMs: 0, fence: async () => undefined }).catch(
      () => null,
    );
    if (other === null) return null;
    locks.set(found.identity, other);
    return found;
  };
  try {
    return await use({ ...port, lock, now });
  } finally {
    for (const held of locks.values()) held.release();
  }
}

/** Kills what workers of this store left running that are dead: nobody else will, where their watchdog died too. */
async function killOrphans(store: string): Promise<void> {
  await killTagged(({ tag }) => tag.store === store && tag.worker !== process.pid && !isAlive(tag.worker));
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** A board in a process of its own: a simulation fills a core, and the worker has other things to do. */
async function withSimulated<T>(
  device: Device,
  setting: PortSetting,
  signal: AbortSignal,
  use: (port: HeldPort) => Promise<T>,
): Promise<T> {
  const memory = await setting.store.deviceMemory(device.name);
  const nowhere: Port = { path: '', identity: `simulated:${memory}` };
  return withLock({ port: nowhere, find: async () => nowhere }, setting, signal, async ({ lock, identity }) => {
    const board = await startSimulated(device, setting, memory);
    const port: Port = { path: board.path, identity };
    try {
      return await use({ ...port, lock, now: async () => port });
    } finally {
      board.stop();
    }
  });
}

async function startSimulated(
  device: Device,
  { store, run, boardProgram }: PortSetting,
  memory: string,
): Promise<{ path: string; stop: () => void }> {
  if (boardProgram === null) throw stepFailure('device-missing', 'This worker has no program that simulates boards.');
  const command = announceCommand();
  const env = commandEnvironment({}, runTag({ store: store.id, run, worker: process.pid, command: command.number }));
  const child = spawn(
    process.execPath,
    [boardProgram, memory, '0', device.fault ?? '', device.kind.simulates ?? 'atmega328p'],
    {
      cwd: '/',
      env,
      stdio: ['pipe', 'pipe', 'ignore'],
    },
  );
  const stop = (): void => {
    child.kill('SIGKILL');
    command.release();
  };
  child.stdin.on('error', () => undefined); // It ended by itself; that shows on its port.
  try {
    const path = await new Promise<string>((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', (code) => reject(new Error(`the simulated board ended with ${code ?? 'a signal'}`)));
      child.stdout.once('data', (line: Buffer) => resolve(line.toString().trim()));
    });
    return { path, stop };
  } catch (error) {
    stop();
    throw stepFailure(
      'device-missing',
      `\`${device.name}\` cannot be simulated: ${error instanceof Error ? error.message : String(error)}.`,
    );
  }
}
