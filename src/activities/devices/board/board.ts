import { readFileSync, writeFileSync } from 'node:fs';
import type { Server, Socket } from 'node:net';
import { createServer } from 'node:net';
import type { BoardFault } from './faults.js';
import type { RunningProgram } from './program.js';
import { runProgram } from './program.js';
import type { Bootloader, Programmable } from './stk500.js';
import { createBootloader } from './stk500.js';

const FLASH_BYTES = 32 * 1024;
const ATMEGA328P = [0x1e, 0x95, 0x0f];
const ATMEGA2560 = [0x1e, 0x98, 0x01];
/** How long optiboot waits for a tool before it starts the program. */
const WINDOW_MS = 1_000;

export interface BoardOptions {
  /** 0 for any that is free. */
  port: number;
  /** Where flash memory is kept, or null for a board that forgets. */
  memoryFile: string | null;
  fault: BoardFault | null;
  /** Stays in its bootloader: running a program in real time fills a core. */
  idle?: boolean;
  /** Told what happens to the board. */
  onEvent?: (event: BoardEvent) => void;
}

export type BoardEvent = 'open' | 'close' | 'program' | 'write' | 'power-cut';

/**
 * A simulated Arduino Uno whose serial line is a TCP port of this machine: opening it resets the board, as DTR does.
 */
export interface Board {
  port: number;
  flash: Uint8Array;
  /** Connections that are open now; two are a mistake of whoever opened the second. */
  open: () => number;
  setFault(fault: BoardFault | null): void;
  /** Sends a text on every open connection, as its program would. */
  say(text: string): void;
  close(): Promise<void>;
}

/** Starts a board: an ATmega328P at 16 MHz behind a bootloader that speaks STK500. */
export async function startBoard({
  port,
  memoryFile,
  fault: first,
  idle = false,
  onEvent = () => undefined,
}: BoardOptions): Promise<Board> {
  const flash = readMemory(memoryFile);
  const sockets = new Set<Socket>();
  let fault = first;
  let left = first?.times ?? 0;

  const save = (): void => {
    if (memoryFile !== null) writeFileSync(memoryFile, flash);
  };

  const attach = (socket: Socket): void => {
    const current = left > 0 ? fault : null;
    left -= 1;
    sockets.add(socket);
    onEvent('open');
    const stop = connect(socket, { flash, save, fault: current, idle, onEvent });
    socket.setNoDelay(true);
    socket.on('error', () => undefined);
    socket.once('close', () => {
      sockets.delete(socket);
      stop();
      onEvent('close');
    });
  };

  const server = createServer(attach);
  const bound = await listen(server, port);
  return {
    port: bound,
    flash,
    open: () => sockets.size,
    setFault: (next) => {
      fault = next;
      left = next?.times ?? 0;
    },
    say: (text) => {
      for (const socket of sockets) socket.write(text);
    },
    close: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

interface Powered {
  flash: Uint8Array;
  save: () => void;
  fault: BoardFault | null;
  idle: boolean;
  onEvent: (event: BoardEvent) => void;
}

/** The board from a reset on, for as long as the connection lasts. */
function connect(socket: Socket, { flash, save, fault, idle, onEvent }: Powered): () => void {
  let program: RunningProgram | null = null;
  let blocks = 0;
  let isDead = false;
  const send = (bytes: Uint8Array): void => {
    if (isDead || fault?.kind === 'mute' || socket.destroyed) return;
    socket.write(fault?.kind === 'garbage' ? bytes.map((byte) => byte ^ 0x5a) : bytes);
  };
  const start = (): void => {
    if (idle) return;
    onEvent('program');
    program ??= runProgram(flash, send);
  };
  const strikes = (): boolean => blocks === fault?.block && (fault.kind === 'hang' || fault.kind === 'power-cut');

  const memory: Programmable = {
    signature: fault?.kind === 'wrong-part' ? ATMEGA2560 : ATMEGA328P,
    read: (address, length) => {
      const bytes = flash.slice(address, address + length);
      if (fault?.kind === 'corrupt' && bytes[0] !== undefined) bytes[0] ^= 1;
      return bytes;
    },
    write: (address, data) => {
      // A page that loses its power is half erased, half written.
      isDead = strikes();
      flash.fill(0xff, address, address + data.length);
      flash.set(isDead ? data.subarray(0, data.length / 2) : data, address);
      blocks += 1;
      save();
      onEvent('write');
      if (isDead && fault?.kind === 'power-cut') {
        onEvent('power-cut');
        socket.destroy();
      }
      return !isDead;
    },
    leave: () => start(),
  };
  const bootloader: Bootloader = createBootloader(memory, send);
  const window = setTimeout(start, WINDOW_MS);
  socket.on('data', (bytes) => {
    if (isDead || fault?.kind === 'mute') return;
    if (program !== null) program.receive(bytes);
    else if (bootloader.receive(bytes)) clearTimeout(window);
  });
  return () => {
    clearTimeout(window);
    program?.stop();
  };
}

function readMemory(file: string | null): Uint8Array {
  const flash = new Uint8Array(FLASH_BYTES).fill(0xff);
  if (file === null) return flash;
  try {
    flash.set(readFileSync(file).subarray(0, FLASH_BYTES));
  } catch {
    // A new board is empty.
  }
  return flash;
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}
