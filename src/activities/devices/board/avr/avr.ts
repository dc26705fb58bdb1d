import type { Chip, Running } from '../chip/chip.js';
import { runProgram } from './program.js';
import { createBootloader } from './stk500.js';

const ATMEGA328P = [0x1e, 0x95, 0x0f];
const ATMEGA2560 = [0x1e, 0x98, 0x01];
/** How long optiboot waits for a tool before it starts the program. */
const WINDOW_MS = 1_000;

/** An ATmega328P at 16 MHz behind a bootloader that speaks STK500: the heart of an Arduino Uno. */
export const avrChip: Chip = {
  flashBytes: 32 * 1024,
  reset({ flash, write, send, fault, idle, onEvent }) {
    let program: Running | null = null;
    const start = (): void => {
      if (idle) return;
      onEvent('program');
      program ??= runProgram(flash, send);
    };
    const bootloader = createBootloader(
      {
        signature: fault?.kind === 'wrong-part' ? ATMEGA2560 : ATMEGA328P,
        read: (address, length) => {
          const bytes = flash.slice(address, address + length);
          if (fault?.kind === 'corrupt' && bytes[0] !== undefined) bytes[0] ^= 1;
          return bytes;
        },
        write,
        leave: start,
      },
      send,
    );
    const window = setTimeout(start, WINDOW_MS);
    return {
      receive: (bytes) => {
        if (program !== null) program.receive(bytes);
        else if (bootloader.receive(bytes)) clearTimeout(window);
      },
      stop: () => {
        clearTimeout(window);
        program?.stop();
      },
    };
  },
};
