import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import type { Socket } from 'node:net';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { dirname } from 'node:path';
import { pipesOf, serve } from '../started-process.js';
import { errorCode } from '../../../store/store-failure.js';
import type { Launch, LauncherMessage, OutputStream } from './messages.js';
import { header } from './messages.js';

/*
 * The launcher, a process of its own beside a worker: `main.js <path of the worker's socket>`. Starts the programs it
 * is sent, has their output go straight to the worker, and tells how they end. It ends when its worker does, and so do
 * its programs (I5).
 */
const [, , address = ''] = process.argv;
const running = new Set<ChildProcess>();

function tell(message: LauncherMessage): void {
  // Nobody hears it once the worker is gone: then `disconnect` comes.
  if (process.connected) process.send?.(message, () => undefined);
}

async function launch(asked: Launch): Promise<void> {
  const outputs = await Promise.allSettled([open(asked.id, 'stdout'), open(asked.id, 'stderr')]);
  const sockets = outputs.flatMap((output) => (output.status === 'fulfilled' ? [output.value] : []));
  if (sockets.length === outputs.length) start(asked, sockets);
  else tell({ kind: 'cut-off', id: asked.id });
  // The program has its own by now. What it wrote last is not held up by ours.
  sockets.forEach((socket) => socket.destroy());
}

function start({ id, file, args, cwd, env, given, namespace }: Launch, outputs: Socket[]): void {
  try {
    const child = spawn(file, args, {
      cwd,
      env,
      detached: true,
      stdio: ['ignore', ...outputs, ...Array.from({ length: pipesOf({ given, namespace }) }, () => 'pipe' as const)],
    });
    child.once('error', (error) => refuse(id, error));
    if (child.pid === undefined) return;
    const whole = serve(child.stdio.slice(3) as Duplex[], { given, namespace }); // sockets, as they were asked for
    running.add(child);
    tell({ kind: 'started', id, pid: child.pid });
    child.once('exit', (code, signal) => {
      running.delete(child);
      void whole().then(() => tell({ kind: 'ended', id, code, signal }));
    });
  } catch (error) {
    refuse(id, error);
  }
}

function refuse(id: string, error: unknown): void {
  tell({
    kind: 'refused',
    id,
    code: errorCode(error),
    message: error instanceof Error ? error.message : String(error),
  });
}

/** A connection to the worker that has said whose it is. */
function open(id: string, stream: OutputStream): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(address, () => socket.write(header(id, stream), () => resolve(socket)));
    socket.once('error', reject);
  });
}

function end(): never {
  for (const { pid } of running) {
    try {
      if (pid !== undefined) process.kill(-pid, 'SIGKILL');
    } catch {
      // ESRCH: nothing of it is alive.
    }
  }
  rmSync(dirname(address), { recursive: true, force: true });
  process.exit();
}

process.title = 'perdure launcher';
// Whoever ends the worker decides what becomes of this one.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
process.on('message', (message: Launch) => void launch(message)); // of our own worker's
process.once('disconnect', end);
tell({ kind: 'ready' });
