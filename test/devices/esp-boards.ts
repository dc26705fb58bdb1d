import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import type { Board, BoardOptions } from '../../src/activities/devices/board/board.js';
import { startBoard } from '../../src/activities/devices/board/board.js';
import { parseFault } from '../../src/activities/devices/board/chip/faults.js';
import type { EspName } from '../../src/activities/devices/board/esp/esp-chips.js';
import { espChip } from '../../src/activities/devices/board/esp/esp.js';
import { openTerminalTo } from '../../src/activities/devices/board/terminal.js';

/** Numbers of Espressif's chips in their images. */
export const CHIP_IDS: Record<EspName, number> = { esp32: 0, esp32s2: 2, esp32c3: 5, esp32s3: 9 };

/** What one block of the stub takes. */
export const BLOCK_BYTES = 16 * 1024;

/** An image for a chip that holds these texts; what fills it tells two images apart and cannot be compressed. */
export function espImage(chip: EspName, texts: string[], { blocks = 1, seed = 1 } = {}): Buffer {
  const image = Buffer.alloc(blocks * BLOCK_BYTES - 64);
  // Bytes that are no text, as their first bit is set, and that are not compressed.
  for (let at = 0; at < image.length; at += 32) createHash('sha256').update(`${seed} ${at}`).digest().copy(image, at);
  for (let at = 0; at < image.length; at += 4) image[at] = (image[at] ?? 0) | 0x80;
  image.fill(0, 0, 24);
  image[0] = 0xe9;
  image.writeUInt16LE(CHIP_IDS[chip], 12);
  Buffer.from(texts.map((text) => `\0${text}\0`).join('')).copy(image, 64);
  return image;
}

/** A simulated board on a terminal, until the test file ends. */
export async function espBoard(
  chip: EspName = 'esp32',
  fault = '',
  told: Pick<BoardOptions, 'onEvent' | 'memoryFile'> = { memoryFile: null },
): Promise<Board & { path: string }> {
  const board = await startBoard({ port: 0, fault: parseFault(fault), chip: espChip(chip), ...told });
  const folder = await mkdtemp(join(tmpdir(), 'perdure-board-'));
  const terminal = await openTerminalTo(board.port, join(folder, 'tty'));
  afterwards.push(async () => {
    terminal.stop();
    await board.close();
    await rm(folder, { recursive: true, force: true });
  });
  return Object.assign(board, { path: terminal.path });
}

const afterwards: (() => Promise<void>)[] = [];

/** Closes the boards after the tests of a file. Called once at the head of each file. */
export function closeEspBoards(): void {
  afterAll(() => Promise.all(afterwards.splice(0).map((end) => end())));
}
