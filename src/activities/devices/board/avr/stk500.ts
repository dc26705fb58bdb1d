/**
 * The STK500 protocol, version 1, as optiboot speaks it (Atmel application note AVR061; optiboot's `stk500.h`): a
 * command, its arguments, and 0x20; the answer stands between 0x14 and 0x10.
 */
const END_OF_PACKET = 0x20;
const IN_SYNC = 0x14;
const OK = 0x10;

const GET_PARAMETER = 0x41;
const SET_DEVICE = 0x42;
const SET_DEVICE_EXT = 0x45;
const LEAVE = 0x51;
const LOAD_ADDRESS = 0x55;
const UNIVERSAL = 0x56;
const PROGRAM_PAGE = 0x64;
const READ_PAGE = 0x74;
const READ_SIGNATURE = 0x75;
/** Memory type of a page in flash memory. */
const FLASH = 0x46;

/** The memory behind a bootloader. */
export interface Programmable {
  /** Three bytes by which tools tell chips apart. */
  signature: readonly number[];
  read(address: number, length: number): Uint8Array;
  /** False when the board went dead while it wrote: then nothing is answered any more. */
  write(address: number, data: Uint8Array): boolean;
  /** The tool is done: the program starts. */
  leave(): void;
}

/** A bootloader on one serial connection: bytes in, answers out. */
export interface Bootloader {
  /** Takes bytes as they come. True once a tool was understood. */
  receive(bytes: Uint8Array): boolean;
}

/** Length of a packet without its end mark, by what is there of it; null when more must come to know. */
function lengthOf(packet: Buffer): number | null {
  const [command = 0, first, second] = packet;
  switch (command) {
    case GET_PARAMETER:
      return 2;
    case SET_DEVICE:
      return 21;
    case SET_DEVICE_EXT:
      return first === undefined ? null : first + 1;
    case LOAD_ADDRESS:
      return 3;
    case UNIVERSAL:
      return 5;
    case PROGRAM_PAGE:
      return second === undefined ? null : 4 + (first ?? 0) * 256 + second;
    case READ_PAGE:
      return 4;
    default:
      return 1;
  }
}

/** A bootloader that programs `memory` and sends its answers by `send`. */
export function createBootloader(memory: Programmable, send: (bytes: Uint8Array) => void): Bootloader {
  let pending = Buffer.alloc(0);
  let address = 0;
  let isKnown = false;

  const answer = (...bytes: number[]): void => send(Uint8Array.from([IN_SYNC, ...bytes, OK]));

  const obey = (packet: Buffer): void => {
    const [command = 0, first = 0, second = 0, type] = packet;
    const size = first * 256 + second;
    switch (command) {
      case LOAD_ADDRESS:
        address = (first + second * 256) * 2;
        return answer();
      case PROGRAM_PAGE:
        return type !== FLASH || memory.write(address, packet.subarray(4)) ? answer() : undefined;
      case READ_PAGE:
        return answer(...memory.read(address, size));
      case READ_SIGNATURE:
        return answer(...memory.signature);
      case GET_PARAMETER:
        return answer(3);
      case UNIVERSAL:
        return answer(0);
      case LEAVE:
        answer();
        return memory.leave();
      default:
        return answer();
    }
  };

  const receive = (bytes: Uint8Array): boolean => {
    pending = Buffer.concat([pending, bytes]);
    for (;;) {
      const length = pending.length === 0 ? null : lengthOf(pending);
      if (length === null || pending.length <= length) return isKnown;
      const isPacket = pending[length] === END_OF_PACKET;
      const packet = pending.subarray(0, length);
      // Out of step: one byte is dropped, and the tool tries again.
      pending = pending.subarray(isPacket ? length + 1 : 1);
      if (!isPacket) continue;
      isKnown = true;
      obey(packet);
    }
  };

  return { receive };
}
