import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll } from 'vitest';
import type { Board, BoardOptions } from '../../src/activities/devices/board/board.js';
import { startBoard } from '../../src/activities/devices/board/board.js';
import { parseFault } from '../../src/activities/devices/board/chip/faults.js';
import { createDevices } from '../../src/compiler/project/devices.js';
import type { AuthoredDevice } from '../../src/compiler/formats/device-config.js';
import { packageRoot } from '../../src/compiler/text/disk.js';
import type { Device, Image } from '../../src/plan/devices/device.js';
import { imageOf } from '../../src/activities/devices/images.js';

/** A state of TCP, as Linux shows it. */
const ESTABLISHED = '01';

/** The simulated board as the host starts it. */
export const BOARD_PROGRAM = fileURLToPath(new URL('../../dist/activities/devices/board/main.js', import.meta.url));

/** A sketch that says what it is, and counts. */
export const BLINK = `#include <avr/wdt.h>
void setup() {
  wdt_disable();
  Serial.begin(115200);
  pinMode(LED_BUILTIN, OUTPUT);
  Serial.println(F("arduino sketch ready"));
}
void loop() {
  static int n;
  digitalWrite(LED_BUILTIN, n & 1);
  Serial.print(F("tick "));
  Serial.println(n++);
  delay(100);
}
`;

/** A device as `perdure.yml` would name it. */
export function deviceOf(authored: Partial<AuthoredDevice>, name = 'uno'): Device {
  const found = createDevices(
    { root: packageRoot() },
    { devices: { [name]: { kind: 'avr-arduino', ...authored } } },
  )(name);
  if (!('device' in found)) throw new Error(found.message);
  return found.device;
}

/** A board that is there until the test file ends; it runs no program unless it is told to. */
export async function boardFor(
  fault = '',
  { idle = true, ...told }: Pick<BoardOptions, 'idle' | 'onEvent'> = {},
): Promise<Board> {
  const board = await startBoard({ port: 0, memoryFile: null, fault: parseFault(fault), idle, ...told });
  boards.push(board);
  return board;
}

/**
 * Connections to a board that have both ends: the kernel knows at once that a program is dead, and the board hears of a
 * new connection before it hears that an old one has ended.
 */
export function connectionsTo(board: Board): number {
  if (board.open() < 2) return board.open();
  const local = `0100007F:${board.port.toString(16).toUpperCase().padStart(4, '0')}`;
  const [, ...sockets] = readFileSync('/proc/net/tcp', 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/));
  return sockets.filter(([, from, , state]) => from === local && state === ESTABLISHED).length;
}

const boards: Board[] = [];

/** Closes the boards after the tests of a file. Called once at the head of each file. */
export function closeBoards(): void {
  afterAll(() => Promise.all(boards.splice(0).map((board) => board.close())));
}

/** An Intel HEX text of these bytes from address 0. */
export function hexOf(bytes: Uint8Array): string {
  const record = (address: number, type: number, data: Uint8Array): string => {
    const body = [data.length, address >> 8, address & 255, type, ...data];
    return `:${Buffer.from([...body, -body.reduce((sum, byte) => sum + byte, 0) & 255])
      .toString('hex')
      .toUpperCase()}`;
  };
  const lines = Array.from({ length: Math.ceil(bytes.length / 16) }, (_, index) =>
    record(index * 16, 0, bytes.slice(index * 16, index * 16 + 16)),
  );
  return `${[...lines, record(0, 1, new Uint8Array())].join('\n')}\n`;
}

/** An image of so many pages of 128 bytes, told apart by `seed`. */
export function imageOfPages(pages: number, seed: number): Image {
  return imageOf('ihex', 'atmega328p', [
    { name: 'image.hex', encoding: 'utf8', data: hexOf(bytesOfPages(pages, seed)) },
  ]);
}

/** The bytes of such an image. */
export function bytesOfPages(pages: number, seed: number): Uint8Array {
  return Uint8Array.from({ length: pages * 128 }, (_, index) => (index * 7 + seed * 31) & 255);
}
