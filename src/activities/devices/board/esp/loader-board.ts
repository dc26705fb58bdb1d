import type { EspModel } from './esp-chips.js';

/** What a loader works on. */
export interface LoaderBoard {
  model: EspModel;
  flash: Uint8Array;
  /** False when the board went dead over it. */
  write: (address: number, data: Uint8Array) => boolean;
  erase: (address: number, length: number) => void;
  send: (bytes: Uint8Array) => void;
  /** The tool is done: the program starts. */
  leave: () => void;
}
