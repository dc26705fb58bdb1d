import type { BoardFault } from './faults.js';

export type BoardEvent = 'open' | 'close' | 'program' | 'write' | 'power-cut';

/** What a simulated chip works with, from a reset until the line is closed. */
export interface Powered {
  flash: Uint8Array;
  /** Puts bytes into erased flash memory. False when the board went dead over it: then it answers no more. */
  write: (address: number, data: Uint8Array) => boolean;
  /** Erases a part of flash memory. */
  erase: (address: number, length: number) => void;
  /** Sends bytes on the serial line. */
  send: (bytes: Uint8Array) => void;
  /** Blocks that were written since the reset. */
  blocks: () => number;
  fault: BoardFault | null;
  /** Stays in its bootloader: running a program in real time fills a core. */
  idle: boolean;
  onEvent: (event: BoardEvent) => void;
}

/** A chip, or a program on it, that runs: bytes in, until it is stopped. */
export interface Running {
  receive(bytes: Uint8Array): void;
  stop(): void;
}

/** A chip that can be simulated. */
export interface Chip {
  flashBytes: number;
  /** Starts it anew, as a reset does. */
  reset(power: Powered): Running;
}
