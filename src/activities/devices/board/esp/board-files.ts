/** Where MicroPython's partition table puts the file system. */
const PLACE = 0x200000;
const MARK = Buffer.from('PFS1');
const HEAD_BYTES = 8;

/** The file system of a simulated board: small files, by name. */
export interface BoardFiles {
  read(name: string): Buffer | null;
  write(name: string, bytes: Buffer): void;
  remove(name: string): boolean;
  names(): string[];
}

/** Keeps files in flash memory. One that a fault has damaged is empty, as one that was never formatted. */
export function createBoardFiles(flash: Uint8Array, put: (address: number, data: Uint8Array) => boolean): BoardFiles {
  const load = (): Map<string, string> => {
    const memory = Buffer.from(flash.buffer, flash.byteOffset, flash.byteLength);
    if (!memory.subarray(PLACE, PLACE + MARK.length).equals(MARK)) return new Map();
    const end = PLACE + HEAD_BYTES + memory.readUInt32LE(PLACE + MARK.length);
    try {
      const entries: unknown = JSON.parse(memory.subarray(PLACE + HEAD_BYTES, end).toString('utf8'));
      return new Map(Object.entries(entries as Record<string, string>)); // `save` wrote it
    } catch {
      return new Map();
    }
  };
  const save = (files: Map<string, string>): void => {
    const body = Buffer.from(JSON.stringify(Object.fromEntries(files)));
    const head = Buffer.alloc(HEAD_BYTES);
    MARK.copy(head);
    head.writeUInt32LE(body.length, MARK.length);
    put(PLACE, Buffer.concat([head, body]));
  };
  return {
    read: (name) => {
      const found = load().get(name);
      return found === undefined ? null : Buffer.from(found, 'base64');
    },
    write: (name, bytes) => save(load().set(name, bytes.toString('base64'))),
    remove: (name) => {
      const files = load();
      const isThere = files.delete(name);
      if (isThere) save(files);
      return isThere;
    },
    names: () => [...load().keys()].sort(),
  };
}
