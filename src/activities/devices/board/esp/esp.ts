import type { Chip, Running } from '../chip/chip.js';
import type { EspName } from './esp-chips.js';
import { ESP_MODELS } from './esp-chips.js';
import { createLoader } from './esp-loader.js';
import { COMMAND } from './protocol.js';
import { runFlashed } from './flashed-program.js';
import { createSlipReader } from './slip.js';

/** How long a tool has to speak first. Terminals have no lines for reset, so it may also do so later. */
const WINDOW_MS = 100;
const FRAME = 0xc0;

/** An ESP32 or one of its kin: the loader of its ROM, and the stub that tools put in its place. */
export function espChip(name: EspName): Chip {
  const { flashBytes } = ESP_MODELS[name];
  return {
    flashBytes,
    reset(power) {
      const { fault, blocks, idle, onEvent, send } = power;
      const model = ESP_MODELS[fault?.kind === 'wrong-part' ? ESP_MODELS[name].other : name];
      const frames = createSlipReader();
      let program: Running | null = null;
      let loader: ((frame: Buffer) => void) | null = null;

      const write = (address: number, data: Uint8Array): boolean =>
        power.write(address, fault?.kind === 'corrupt' && blocks() === fault.block ? flipped(data) : data);
      const start = (): void => {
        if (idle || program !== null) return;
        onEvent('program');
        loader = null;
        program = runFlashed(name, { flash: power.flash, boot: ESP_MODELS[name].boot, write, send });
      };
      const toLoader = (): void => {
        clearTimeout(window);
        program?.stop();
        program = null;
        loader = createLoader({ model, flash: power.flash, write, erase: power.erase, send, leave: start });
      };
      const window = setTimeout(start, WINDOW_MS);

      return {
        receive: (bytes) => {
          // No text in UTF-8 has such a byte: a tool is there, which real boards learn from two lines of the port.
          if (loader === null && !bytes.includes(FRAME)) {
            clearTimeout(window);
            start();
            return program?.receive(bytes);
          }
          for (const frame of frames(bytes)) {
            if (loader === null && frame[1] === COMMAND.SYNC) toLoader();
            loader?.(frame);
          }
        },
        stop: () => {
          clearTimeout(window);
          program?.stop();
        },
      };
    },
  };
}

function flipped(data: Uint8Array): Uint8Array {
  const bytes = data.slice();
  if (bytes[0] !== undefined) bytes[0] ^= 1;
  return bytes;
}
