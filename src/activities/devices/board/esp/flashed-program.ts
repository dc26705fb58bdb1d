import type { Running } from '../chip/chip.js';
import type { EspName } from './esp-chips.js';
import type { FlashedBoard } from './flashed-board.js';
import { imageTexts } from './image-texts.js';
import { runMicroPython } from './micropython.js';
import { sayTexts } from './say-texts.js';

/** Where partition tables of the usual boards put the program. */
const APP = 0x10000;
const IMAGE_MAGIC = 0xe9;

/**
 * What stands for the program of a chip whose processor nothing here simulates: it says the texts that are in the
 * flashed image, each labelled as simulated. MicroPython also takes files.
 */
export function runFlashed(name: EspName, board: FlashedBoard): Running {
  const { flash, boot } = board;
  const start = [APP, boot].find((address) => flash[address] === IMAGE_MAGIC);
  if (start === undefined) {
    const found = Buffer.from(flash.subarray(boot, boot + 4)).toString('hex');
    return sayTexts({ once: [`${name}: invalid header: 0x${found}`], counted: [] }, board.send);
  }
  const image = imageTexts(flash, start);
  if (image.texts.some((text) => text.includes('MicroPython'))) return runMicroPython(name, board);
  return sayTexts(image, board.send);
}
