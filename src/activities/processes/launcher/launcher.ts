import type { ChildProcess } from 'node:child_process';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { createServer } from 'node:net';
import { dirname } from 'node:path';
import { ApplicationFailure } from '@temporalio/common';
import { announceCommand } from '../announced-commands.js';
import type { StartedProcess } from '../started-process.js';
import { RUN_TAG, runTag } from '../tagged-processes.js';
import type { Launch, LauncherMessage } from './messages.js';
import { HEADER_BYTES, launchId, parseHeader } from './messages.js';
import { outputAddress, removeLeftFolders } from './output-folder.js';
import type { PendingLaunch } from './pending-launch.js';
import { CutOff, pendingLaunch } from './pending-launch.js';

/** A process beside this one that starts programs for it. */
export interface Launcher {
  /**
   * Starts a program that gets no input. Rejects with the error of `spawn`, with `CutOff` where the launcher has ended
   * before it was asked, or with `worker-lost` where it ends then.
   */
  launch: (program: Omit<Launch, 'id'>) => Promise<StartedProcess>;
  /** Resolves when it has ended. */
  ended: Promise<void>;
  /** Ends it, and what it has started. */
  close: () => void;
}

export interface LauncherPlace {
  /** `launcher/main.ts` as it is built. */
  program: string;
  /** Of the store whose worker this is. */
  store: string;
}

type Pending = Map<string, PendingLaunch>;

/**
 * Starts a launcher. `spawn` copies the page tables of the process that calls it, on Linux some 5 ms for each 100 MB of
 * its memory: a worker has 250 MB and one thread for everything, a launcher 45. Programs write to sockets that it has
 * opened to this process, in a folder that only this user may enter. It has a tag as commands have, which a program
 * inherits until it has its own: there is no moment in which one would not be found. Rejects where it cannot be
 * started.
 */
export async function startLauncher({ program, store }: LauncherPlace): Promise<Launcher> {
  const address = await outputAddress();
  const pending: Pending = new Map();
  const server = createServer((socket) => welcome(socket, pending));
  const command = announceCommand();
  const env = { [RUN_TAG]: runTag({ store, worker: process.pid, command: command.number, run: 'launcher' }) };
  const stop = async (): Promise<void> => {
    server.close();
    await rm(dirname(address), { recursive: true, force: true });
  };
  try {
    server.listen(address);
    await once(server, 'listening');
    const child = fork(program, [address], {
      cwd: '/',
      env,
      detached: true,
      execArgv: ['--max-semi-space-size=1'],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    const ended = endOf(child, pending, command.release);
    await Promise.race([readiness(child, pending), ended.then(() => Promise.reject(launcherLost()))]);
    // None of this keeps the process alive; a program that runs does.
    server.unref();
    child.unref();
    child.channel?.unref();
    void removeLeftFolders().catch(() => undefined); // Tidiness, which starts no command later.
    return {
      launch: (asked) => launch({ ...asked, id: launchId() }, child, pending),
      ended: ended.then(stop),
      close: () => child.connected && child.disconnect(),
    };
  } catch (error) {
    command.release();
    await stop();
    throw error;
  }
}

function launcherLost(): ApplicationFailure {
  return ApplicationFailure.create({
    type: 'worker-lost',
    message: 'The process that starts commands has ended.',
    nonRetryable: false,
  });
}

function launch(asked: Launch, child: ChildProcess, pending: Pending): Promise<StartedProcess> {
  // Its folder may be there for a moment yet.
  if (!child.connected) return Promise.reject(new CutOff('the launcher has ended'));
  const launched = pendingLaunch(() => {
    pending.delete(asked.id);
    if (pending.size === 0) child.channel?.unref();
  });
  pending.set(asked.id, launched);
  child.channel?.ref();
  child.send(asked, () => undefined); // Where it cannot be sent the launcher has ended, which is heard of.
  return launched.started;
}

/** Hears what the launcher tells; resolves when it is ready. */
function readiness(child: ChildProcess, pending: Pending): Promise<void> {
  return new Promise((resolve) => {
    child.on('message', (message: LauncherMessage) => {
      // of our own program's
      if (message.kind === 'ready') resolve();
      else pending.get(message.id)?.onMessage(message);
    });
  });
}

/** Resolves when the launcher has ended; whoever waits for one of its programs hears of it. */
function endOf(child: ChildProcess, pending: Pending, release: () => void): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      release();
      for (const { lose } of pending.values()) lose(launcherLost());
      pending.clear();
      resolve();
    };
    child.once('error', end);
    // Everything it has told was heard before.
    child.once('disconnect', end);
  });
}

/** Reads whose stream a connection is, and hands it over: what follows is the program's. */
function welcome(socket: Socket, pending: Pending): void {
  const read = (): void => {
    const head: unknown = socket.read(HEADER_BYTES);
    if (!Buffer.isBuffer(head)) return;
    socket.off('readable', read);
    const found = parseHeader(head.toString('latin1'));
    const launched = found === null ? undefined : pending.get(found.id);
    if (found === null || launched === undefined) socket.destroy();
    else launched.onStream(found.stream, socket);
  };
  socket.on('error', () => undefined); // Its end follows, and is what counts.
  socket.on('readable', read);
}
