import type { Device, Image, ImageFile } from '../../plan/devices/device.js';
import { bytesOf, invalid } from './images.js';
import { readHex } from './intel-hex.js';
import { placeOf } from './place-of.js';

/** Byte 0 of an ESP image, and the chip's number at byte 12 (esptool, `bin_image.py`). */
const ESP_MAGIC = 0xe9;
const ESP_CHIPS = new Map([
  [0, 'esp32'],
  [2, 'esp32s2'],
  [5, 'esp32c3'],
  [9, 'esp32s3'],
  [12, 'esp32c2'],
  [13, 'esp32c6'],
  [16, 'esp32h2'],
]);

/** Flash memory is erased in pieces of this size. */
const SECTOR = 4096;
/** Below it only a boot loader can start, which finds the table of partitions there. */
const PARTITIONS = 0x8000;

/** Checks an image before the device is touched: its format, its size and places, and that it is for this chip. */
export function checkImage(image: Image, device: Device): void {
  const { kind, target, max_bytes } = device;
  const { files, board_files: boardFiles = [] } = image;
  if (image.format !== kind.image)
    throw invalid(device, `Expected an image of the format \`${kind.image}\`, got \`${image.format}\`.`);
  if (image.target !== null && image.target !== target)
    throw invalid(device, `The image is for \`${image.target}\`; \`${device.name}\` is a \`${target}\`.`);
  if (boardFiles.length > 0) checkBoardFiles(boardFiles, device);
  const end = endOf(image, device);
  if (image.format === 'bin' && target.startsWith('esp')) checkEsp(files, device);
  if (end === 0 && boardFiles.length === 0) throw invalid(device, 'The image is empty.');
  if (end > max_bytes)
    throw invalid(device, `The image needs ${end} bytes; \`${device.board}\` has room for ${max_bytes}.`);
}

/** Bytes that the device needs, from the first. */
function endOf({ format, files, bytes }: Image, device: Device): number {
  if (format === 'ihex') {
    const read = readHex(files[0]?.data ?? '');
    if ('wrong' in read) throw invalid(device, `The image is no sound Intel HEX file: ${read.wrong}.`);
    return read.end;
  }
  if (format === 'files' || files.every(({ offset }) => offset === undefined)) return files.length === 0 ? 0 : bytes;
  return checkPlaces(files, device);
}

/** Binaries with places of their own begin at a sector, and none reaches into another. Gives where the last ends. */
function checkPlaces(files: ImageFile[], device: Device): number {
  const places = files
    .map((file) => ({ start: Number(placeOf(device, file)), size: bytesOf(file).length }))
    .sort((a, b) => a.start - b.start);
  for (const [index, { start, size }] of places.entries()) {
    if (start % SECTOR !== 0)
      throw invalid(device, `Expected an offset that is a multiple of ${hex(SECTOR)}, got ${hex(start)}.`);
    if (size === 0) throw invalid(device, `The image at ${hex(start)} is empty.`);
    const next = places[index + 1];
    if (next !== undefined && Math.ceil((start + size) / SECTOR) * SECTOR > next.start)
      throw invalid(
        device,
        `The image at ${hex(start)} has ${size} bytes and reaches into the one at ${hex(next.start)}.`,
      );
  }
  const last = places.at(-1);
  return last === undefined ? 0 : last.start + last.size;
}

function checkBoardFiles(files: ImageFile[], device: Device): void {
  const { kind } = device;
  if (kind.files === null) throw invalid(device, `Nothing puts files onto a board of the kind \`${kind.name}\`.`);
  const twice = files.find((file, index) => files.findIndex((other) => other.name === file.name) !== index);
  if (twice !== undefined) throw invalid(device, `Two files are called \`${twice.name}\`.`);
}

/** Of several binaries some are tables; what starts is an ESP image for this chip, and lies where it can start. */
function checkEsp(files: ImageFile[], device: Device): void {
  if (files.length === 0) return;
  const images = files.filter((file) => bytesOf(file)[0] === ESP_MAGIC);
  if (images.length === 0) {
    const [first] = files[0] === undefined ? [] : bytesOf(files[0]);
    throw invalid(
      device,
      `Expected an ESP image, which starts with 0xE9, got ` +
        `${first === undefined ? 'nothing' : `0x${first.toString(16).padStart(2, '0')}`}.`,
    );
  }
  for (const file of images) {
    const head = bytesOf(file);
    const chip = head.length < 14 ? undefined : ESP_CHIPS.get(head.readUInt16LE(12));
    if (chip !== undefined && chip !== device.target)
      throw invalid(device, `The image is for \`${chip}\`; \`${device.name}\` is a \`${device.target}\`.`);
    const place = Number(placeOf(device, file));
    const boot = Number(device.values['bootloader']);
    if (file.offset !== undefined && place < PARTITIONS && place !== boot)
      throw invalid(device, `A \`${device.target}\` starts what is at ${hex(boot)}; the image is for ${hex(place)}.`);
  }
}

function hex(address: number): string {
  return `0x${address.toString(16)}`;
}
