import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';

/** Flash memory of a simulated board, kept in a file as far as it was ever written. */
export interface FlashMemory {
  bytes: Uint8Array;
  /** Keeps what was changed from `address` on. */
  save(address: number, length: number): void;
}

/** Opens the memory of a board; a new one is erased. Without a file it is forgotten. */
export function openMemory(file: string | null, size: number): FlashMemory {
  const bytes = new Uint8Array(size).fill(0xff);
  if (file === null) return { bytes, save: () => undefined };
  let kept = readKept(file, bytes);
  return {
    bytes,
    save: (address, length) => {
      const from = Math.min(address, kept);
      const end = Math.min(address + length, size);
      const handle = openSync(file, kept === 0 ? 'w' : 'r+');
      try {
        writeSync(handle, bytes, from, end - from, from);
      } finally {
        closeSync(handle);
      }
      kept = Math.max(kept, end);
    },
  };
}

/** How many bytes the file had for `bytes`. */
function readKept(file: string, bytes: Uint8Array): number {
  try {
    const kept = readFileSync(file).subarray(0, bytes.length);
    bytes.set(kept);
    return kept.length;
  } catch {
    return 0; // A new board is empty.
  }
}
