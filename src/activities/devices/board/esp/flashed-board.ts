/** What a program on a simulated chip has of its board. */
export interface FlashedBoard {
  flash: Uint8Array;
  /** Where the ROM looks for the boot loader. */
  boot: number;
  write: (address: number, data: Uint8Array) => boolean;
  send: (bytes: Uint8Array) => void;
}
