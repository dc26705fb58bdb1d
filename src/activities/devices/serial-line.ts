import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { createConnection } from 'node:net';
import type { Duplex } from 'node:stream';
import { ReadStream } from 'node:tty';
import { runProgram } from '../../store/processes/run-program.js';
import { stepFailure } from '../failures.js';
import type { Port } from './port/ports.js';

const CONNECT_MS = 5_000;

/** An open serial line. */
export interface SerialLine {
  write(text: string): void;
  /** Resolves when the port has gone, with why. */
  gone: Promise<string>;
  close(): void;
}

/**
 * Opens a serial port as it is: raw, at `baud`. A board of the Arduino family starts anew when its port is opened.
 * `onData` gets bytes as they come. Throws `device-missing` when it cannot be opened.
 */
export async function openLine(port: Port, baud: number, onData: (chunk: Buffer) => void): Promise<SerialLine> {
  const stream = await openStream(port, baud).catch((error: unknown) => {
    throw stepFailure(
      'device-missing',
      `The port \`${port.path}\` cannot be opened: ${error instanceof Error ? error.message : String(error)}.`,
    );
  });
  stream.on('data', onData);
  const gone = new Promise<string>((resolve) => {
    stream.once('error', (error) => resolve(error.message));
    stream.once('close', () => resolve('it was closed'));
    stream.once('end', () => resolve('it was closed'));
  });
  return { gone, write: (text) => void stream.write(text), close: () => void stream.destroy() };
}

function openStream({ path }: Port, baud: number): Promise<Duplex> {
  return path.startsWith('net:') ? connect(path) : openTerminal(path, baud);
}

async function connect(path: string): Promise<Socket> {
  const [, host = '', port] = /^net:(.+):(\d+)$/.exec(path) ?? [];
  return new Promise((resolve, reject) => {
    const socket = createConnection({ host, port: Number(port) });
    const fail = (error: Error): void => {
      socket.destroy();
      reject(error);
    };
    socket.setTimeout(CONNECT_MS, () => fail(new Error('no answer')));
    socket.once('error', fail);
    socket.once('connect', () => {
      socket.setTimeout(0);
      socket.off('error', fail);
      resolve(socket);
    });
  });
}

/** A terminal device without a native module: `stty` sets the line, and Node reads it without blocking. */
async function openTerminal(path: string, baud: number): Promise<ReadStream> {
  const handle = await open(path, constants.O_RDWR | constants.O_NONBLOCK | constants.O_NOCTTY);
  try {
    const flag = process.platform === 'linux' ? '-F' : '-f';
    const { PATH } = process.env;
    const args = [flag, path, String(baud), 'raw', '-echo', 'clocal'];
    const { exitCode, stderr, shortMessage } = await runProgram('stty', args, { env: { PATH } });
    if (exitCode !== 0) throw new Error(stderr || shortMessage);
    // The stream owns a descriptor of its own, so that closing it once is enough.
    const stream = new ReadStream(handle.fd);
    stream.once('close', () => void handle.close().catch(() => undefined));
    return stream;
  } catch (error) {
    await handle.close();
    throw error;
  }
}
