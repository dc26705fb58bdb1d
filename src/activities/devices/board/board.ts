import { readFileSync, writeFileSync } from 'node:fs';
import type { Server, Socket } from 'node:net';
import { createServer } from 'node:net';
import { avrChip } from './avr/avr.js';
import type { BoardEvent, Chip } from './chip/chip.js';
import type { BoardFault } from './chip/faults.js';
import { faultText } from './chip/faults.js';
import type { FlashMemory } from './memory.js';
import { openMemory } from './memory.js';

export type { BoardEvent } from './chip/chip.js';

export interface BoardOptions {
  /** 0 for any that is free. */
  port: number;
  /** Where flash memory is kept, or null for a board that forgets. */
  memoryFile: string | null;
  fault: BoardFault | null;
  /** Which chip it has; that of an Arduino Uno when left out. */
  chip?: Chip;
  /** Stays in its bootloader: running a program in real time fills a core. */
  idle?: boolean;
  /** Told what happens to the board. */
  onEvent?: (event: BoardEvent) => void;
}

/** A simulated board whose serial line is a TCP port of this machine: opening it resets the board, as DTR does. */
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

/** Starts a board. */
export async function startBoard({
  port,
  memoryFile,
  fault: first,
  chip = avrChip,
  idle = false,
  onEvent = () => undefined,
}: BoardOptions): Promise<Board> {
  const memory = openMemory(memoryFile, chip.flashBytes);
  const sockets = new Set<Socket>();
  let spell = createSpell(first, memoryFile);

  const attach = (socket: Socket): void => {
    const fault = spell.next();
    sockets.add(socket);
    onEvent('open');
    const stop = connect(socket, { memory, chip, fault, idle, onEvent });
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
    flash: memory.bytes,
    open: () => sockets.size,
    setFault: (next) => {
      spell = createSpell(next, null);
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

/**
 * The fault that the next connection has, for as many as it lasts. Those are counted beside the board's memory: the
 * board of the next step or try is another process.
 */
function createSpell(fault: BoardFault | null, memoryFile: string | null): { next: () => BoardFault | null } {
  const file = memoryFile === null || fault?.times === Infinity ? null : `${memoryFile}.fault`;
  let had = 0;
  if (file !== null) {
    const [kept, times] = readText(file).split(' ');
    had = fault !== null && kept === faultText(fault) ? Number(times) : 0;
  }
  return {
    next: () => {
      if (fault === null || had >= fault.times) return null;
      had += 1;
      if (file !== null) writeFileSync(file, `${faultText(fault)} ${had}`);
      return fault;
    },
  };
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

interface Wiring {
  memory: FlashMemory;
  chip: Chip;
  fault: BoardFault | null;
  idle: boolean;
  onEvent: (event: BoardEvent) => void;
}

/** The board from a reset on, for as long as the connection lasts. */
function connect(socket: Socket, { memory, chip, fault, idle, onEvent }: Wiring): () => void {
  const { bytes: flash } = memory;
  let blocks = 0;
  let isDead = false;
  const strikes = (): boolean => blocks === fault?.block && (fault.kind === 'hang' || fault.kind === 'power-cut');
  const powered = chip.reset({
    flash,
    fault,
    idle,
    onEvent,
    blocks: () => blocks,
    send: (bytes) => {
      if (isDead || fault?.kind === 'mute' || socket.destroyed) return;
      socket.write(fault?.kind === 'garbage' ? bytes.map((byte) => byte ^ 0x5a) : bytes);
    },
    erase: (address, length) => {
      flash.fill(0xff, address, address + length);
      memory.save(address, length);
    },
    write: (address, data) => {
      // A page that loses its power is half erased, half written.
      isDead = strikes();
      flash.fill(0xff, address, address + data.length);
      flash.set(isDead ? data.subarray(0, data.length / 2) : data, address);
      blocks += 1;
      memory.save(address, data.length);
      onEvent('write');
      if (isDead && fault?.kind === 'power-cut') {
        onEvent('power-cut');
        socket.destroy();
      }
      return !isDead;
    },
  });
  socket.on('data', (bytes) => {
    if (!isDead && fault?.kind !== 'mute') powered.receive(bytes);
  });
  return () => powered.stop();
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
