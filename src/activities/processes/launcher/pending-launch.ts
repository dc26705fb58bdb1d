import type { Socket } from 'node:net';
import { finished } from 'node:stream/promises';
import type { ProcessEnd, StartedProcess } from '../started-process.js';
import type { LauncherMessage, OutputStream } from './messages.js';

/** The launcher started nothing, and cannot: whoever asked has to. */
export class CutOff extends Error {}

/** A program that the launcher was asked for, until it tells how that has ended. */
export interface PendingLaunch {
  /** Rejects with the error of `spawn`, or with what `lose` was given. */
  started: Promise<StartedProcess>;
  onStream: (stream: OutputStream, socket: Socket) => void;
  onMessage: (message: Exclude<LauncherMessage, { kind: 'ready' }>) => void;
  /** The launcher will tell nothing any more. */
  lose: (error: Error) => void;
}

/**
 * Puts together what comes of a program over three ways, in any order: its two streams, and what the launcher tells.
 * `onOver` is called when nothing more will come.
 */
export function pendingLaunch(onOver: () => void): PendingLaunch {
  const pid = deferred<number>();
  const streams = { stdout: deferred<Socket>(), stderr: deferred<Socket>() };
  const exited = deferred<ProcessEnd>();
  const awaited = new Set<OutputStream | 'end'>(['stdout', 'stderr', 'end']);
  // Whoever waits for its end hears of it; there need not be anybody yet.
  exited.promise.catch(() => undefined);
  const came = (what: OutputStream | 'end'): void => {
    awaited.delete(what);
    if (awaited.size === 0) onOver();
  };
  const refuse = (error: Error): void => {
    // Nobody reads what came, or comes, of a program that never was.
    for (const { promise } of Object.values(streams))
      promise.then(
        (socket) => socket.destroy(),
        () => undefined,
      );
    pid.reject(error);
    onOver();
  };
  const started = Promise.all([pid.promise, streams.stdout.promise, streams.stderr.promise]).then(
    ([of, stdout, stderr]): StartedProcess => {
      const closed = Promise.all([read(stdout), read(stderr)]).then((): true => true);
      return { pid: of, stdout, stderr, pipes: [], exited: exited.promise, closed };
    },
  );
  return {
    started,
    onStream: (stream, socket) => {
      came(stream);
      streams[stream].resolve(socket);
    },
    onMessage: (message) => {
      switch (message.kind) {
        case 'started':
          return pid.resolve(message.pid);
        case 'refused':
          return refuse(Object.assign(new Error(message.message), message.code === null ? {} : { code: message.code }));
        case 'cut-off':
          return refuse(new CutOff('the launcher cannot reach its worker'));
        case 'ended':
          came('end');
          return exited.resolve({ code: message.code, signal: message.signal });
      }
    },
    lose: (error) => {
      for (const { reject } of [pid, exited, streams.stdout, streams.stderr]) reject(error);
    },
  };
}

/** Until a stream was read to its end, or broke. */
async function read(socket: Socket): Promise<void> {
  await finished(socket, { writable: false }).catch(() => undefined);
}

function deferred<T>(): { promise: Promise<T>; resolve: (value: T) => void; reject: (error: Error) => void } {
  let resolve: (value: T) => void = () => undefined;
  let reject: (error: Error) => void = () => undefined;
  const promise = new Promise<T>((onValue, onError) => {
    resolve = onValue;
    reject = onError;
  });
  return { promise, resolve, reject };
}
