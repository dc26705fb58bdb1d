import { createHash } from 'node:crypto';
import type { EspModel } from './esp-chips.js';
import { createFlashWriter } from './flash-writer.js';
import type { LoaderBoard } from './loader-board.js';
import { COMMAND, INVALID_MESSAGE, wordsOf } from './protocol.js';
import { slipFrame } from './slip.js';

const MAGIC_REGISTER = 0x40001000;
/** What the ROM answers to SYNC, eight times; the stub answers 0. */
const ROM_SYNC = 0x20120707;

/** Does what one command says, with its data and checksum. */
type Handler = (data: Buffer, checksum: number) => void;

/** Creates a loader as it stands after a reset, in ROM. It takes frames without their SLIP, and answers by `send`. */
export function createLoader(board: LoaderBoard): (frame: Buffer) => void {
  const { model, send } = board;
  let isStub = false;
  const reader = createFlashReader(board);
  const answer: Answer = (command, { value = 0, data = Buffer.alloc(0), error = 0 } = {}) => {
    const status = [error === 0 ? 0 : 1, error, ...(isStub ? [] : [0, 0])];
    const head = Buffer.alloc(8);
    head.writeUInt8(1, 0);
    head.writeUInt8(command, 1);
    head.writeUInt16LE(data.length + status.length, 2);
    head.writeUInt32LE(value >>> 0, 4);
    send(slipFrame(Buffer.concat([head, data, Buffer.from(status)])));
  };
  const handlers = new Map<number, Handler>([
    ...registerHandlers(model, answer),
    ...flashHandlers(board, answer),
    [
      COMMAND.SYNC,
      () => {
        for (let times = 0; times < 8; times += 1) answer(COMMAND.SYNC, { value: isStub ? 0 : ROM_SYNC });
      },
    ],
    [
      COMMAND.SECURITY_INFO,
      () => {
        const data = isStub || model.security === null ? null : securityInfo(model.security);
        answer(COMMAND.SECURITY_INFO, data === null ? { error: INVALID_MESSAGE } : { data });
      },
    ],
    [
      COMMAND.MEM_END,
      (data) => {
        answer(COMMAND.MEM_END);
        // What was uploaded runs now, unless the tool says that it shall not, and greets.
        if (wordsOf(data)[0] !== 0) return;
        isStub = true;
        send(slipFrame(Buffer.from('OHAI')));
      },
    ],
    [
      COMMAND.FLASH_MD5,
      (data) => {
        const [from = 0, length = 0] = wordsOf(data);
        const digest = md5(board.flash.subarray(from, from + length));
        answer(COMMAND.FLASH_MD5, { data: isStub ? digest : Buffer.from(digest.toString('hex')) });
      },
    ],
    [
      COMMAND.READ_FLASH,
      (data) => {
        answer(COMMAND.READ_FLASH);
        reader.begin(data);
      },
    ],
    [COMMAND.RUN_USER_CODE, board.leave],
  ]);

  return (frame) => {
    // While flash memory is read, each piece is acknowledged by a frame of its own.
    if (reader.isBusy()) return reader.goOn();
    if (frame.length < 8 || frame[0] !== 0) return;
    const command = frame[1] ?? 0;
    const handler = handlers.get(command);
    if (handler === undefined) answer(command, { error: INVALID_MESSAGE });
    else handler(frame.subarray(8), frame.readUInt32LE(4));
  };
}

type Answer = (command: number, more?: { value?: number; data?: Buffer; error?: number }) => void;

/** Registers, and commands that change nothing here. */
function registerHandlers({ magic, spi, w0, flashBytes }: EspModel, answer: Answer): [number, Handler][] {
  const registers = new Map<number, number>();
  const { MEM_BEGIN, MEM_DATA, SPI_SET_PARAMS, SPI_ATTACH, CHANGE_BAUDRATE, READ_REG, WRITE_REG } = COMMAND;
  const idle = [MEM_BEGIN, MEM_DATA, SPI_SET_PARAMS, SPI_ATTACH, CHANGE_BAUDRATE];
  return [
    ...idle.map((command): [number, Handler] => [command, () => answer(command)]),
    [
      READ_REG,
      (data) => {
        const [address = 0] = wordsOf(data);
        answer(READ_REG, { value: address === MAGIC_REGISTER ? magic : (registers.get(address) ?? 0) });
      },
    ],
    [
      WRITE_REG,
      (data) => {
        for (let at = 0; at + 16 <= data.length; at += 16)
          registers.set(data.readUInt32LE(at), data.readUInt32LE(at + 4));
        // A command to the flash memory is done at once, and its answer is always the memory's id.
        registers.set(spi, 0);
        registers.set(spi + w0, (Math.log2(flashBytes) << 16) | 0x40ef);
        answer(WRITE_REG);
      },
    ],
  ];
}

/** Commands that write and erase. */
function flashHandlers(board: LoaderBoard, answer: Answer): [number, Handler][] {
  const writer = createFlashWriter(board);
  const { FLASH_BEGIN, FLASH_DATA, FLASH_END, DEFLATED_BEGIN, DEFLATED_DATA, DEFLATED_END } = COMMAND;
  const begin = (command: number): [number, Handler] => [
    command,
    (data) => {
      writer.begin(data, command === DEFLATED_BEGIN);
      answer(command);
    },
  ];
  const take = (command: number): [number, Handler] => [
    command,
    (data, checksum) => {
      const error = writer.take(data, checksum);
      if (error !== null) answer(command, { error });
    },
  ];
  const end = (command: number): [number, Handler] => [
    command,
    (data) => {
      answer(command);
      if (wordsOf(data)[0] === 0) board.leave();
    },
  ];
  return [
    ...[FLASH_BEGIN, DEFLATED_BEGIN].map(begin),
    ...[FLASH_DATA, DEFLATED_DATA].map(take),
    ...[FLASH_END, DEFLATED_END].map(end),
    [
      COMMAND.ERASE_FLASH,
      () => {
        board.erase(0, board.flash.length);
        answer(COMMAND.ERASE_FLASH);
      },
    ],
    [
      COMMAND.ERASE_REGION,
      (data) => {
        const [from = 0, length = 0] = wordsOf(data);
        board.erase(from, length);
        answer(COMMAND.ERASE_REGION);
      },
    ],
  ];
}

/** Sends a part of flash memory piece by piece, and its digest after the last. */
function createFlashReader({ flash, send }: Pick<LoaderBoard, 'flash' | 'send'>): {
  begin: (data: Buffer) => void;
  isBusy: () => boolean;
  goOn: () => void;
} {
  let part: { from: number; next: number; end: number; piece: number } | null = null;
  const goOn = (): void => {
    if (part === null) return;
    const { from, next, end, piece } = part;
    if (next < end) {
      part.next = Math.min(next + piece, end);
      return send(slipFrame(flash.subarray(next, part.next)));
    }
    part = null;
    send(slipFrame(md5(flash.subarray(from, end))));
  };
  return {
    begin: (data) => {
      const [from = 0, length = 0, piece = 0] = wordsOf(data);
      part = { from, next: from, end: from + length, piece: Math.max(1, piece) };
      goOn();
    },
    isBusy: () => part !== null,
    goOn,
  };
}

function md5(bytes: Uint8Array): Buffer {
  return createHash('md5').update(bytes).digest();
}

function securityInfo({ bytes, chip }: NonNullable<EspModel['security']>): Buffer {
  const info = Buffer.alloc(bytes);
  if (bytes === 20) info.writeUInt32LE(chip, 12);
  return info;
}
