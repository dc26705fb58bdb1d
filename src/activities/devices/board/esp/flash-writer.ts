import { constants, inflateSync } from 'node:zlib';
import type { LoaderBoard } from './loader-board.js';
import { BAD_CHECKSUM, FAILED_WRITE, wordsOf } from './protocol.js';

const SECTOR = 4096;
const CHECKSUM_SEED = 0xef;

/** Puts the blocks of one image after the other into flash memory, as they come or out of a compressed stream. */
export interface FlashWriter {
  /** Takes the parameters of a BEGIN command, and erases what will be written. */
  begin(data: Buffer, isPacked: boolean): void;
  /** Takes the data of a DATA command. Gives an error number, 0, or null when the board went dead over it. */
  take(data: Buffer, checksum: number): number | null;
}

/** Creates what writes for a loader. */
export function createFlashWriter({
  flash,
  write,
  erase,
}: Pick<LoaderBoard, 'flash' | 'write' | 'erase'>): FlashWriter {
  let address = 0;
  /** What came of a compressed stream, of which `done` bytes were written. */
  let packed: Buffer[] | null = null;
  let done = 0;

  /** The bytes that a block brings; null for a stream that is not sound. */
  const unpack = (block: Buffer): Buffer | null => {
    if (packed === null) return block;
    packed.push(block);
    try {
      const all = inflateSync(Buffer.concat(packed), { finishFlush: constants.Z_SYNC_FLUSH });
      const bytes = all.subarray(done);
      done = all.length;
      return bytes;
    } catch {
      return null;
    }
  };

  return {
    begin: (data, isPacked) => {
      const [size = 0, , , from = 0] = wordsOf(data);
      address = from;
      packed = isPacked ? [] : null;
      done = 0;
      if (size > 0) erase(from, Math.ceil(size / SECTOR) * SECTOR);
    },
    take: (data, checksum) => {
      const block = data.subarray(16, 16 + (wordsOf(data)[0] ?? 0));
      if (block.reduce((sum, byte) => sum ^ byte, CHECKSUM_SEED) !== (checksum & 0xff)) return BAD_CHECKSUM;
      const bytes = unpack(block);
      if (bytes === null || address + bytes.length > flash.length) return FAILED_WRITE;
      const at = address;
      address += bytes.length;
      return bytes.length === 0 || write(at, bytes) ? 0 : null;
    },
  };
}
