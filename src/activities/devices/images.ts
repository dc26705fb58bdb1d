import { lstat, realpath } from 'node:fs/promises';
import { basename, extname, relative, resolve } from 'node:path';
import type { Device, Image, ImageFile, ImageFormat } from '../../plan/devices/device.js';
import type { Json } from '../../plan/values/json.js';
import { canonicalJson, isObject } from '../../plan/values/json.js';
import { sha256 } from '../../store/hash.js';
import { readPlain } from '../../store/read-plain.js';
import { stepFailure } from '../failures.js';
import { inFolderOf } from '../workspace/open.js';
import { readHex } from './intel-hex.js';

/** Far above the flash memory of any board here; a bigger file is no image. */
const FILE_BYTES = 32 * 1024 * 1024;

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

/** An image of these files. */
export function imageOf(format: ImageFormat, target: string | null, files: ImageFile[]): Image {
  return { format, target, bytes: programBytes(format, files), sha256: sha256(canonicalJson(files)), files };
}

/** The bytes of one file of an image. */
export function bytesOf({ encoding, data }: ImageFile): Buffer {
  return Buffer.from(data, encoding);
}

function programBytes(format: ImageFormat, files: ImageFile[]): number {
  if (format !== 'ihex') return files.reduce((sum, file) => sum + bytesOf(file).length, 0);
  const read = readHex(files[0]?.data ?? '');
  return 'wrong' in read ? 0 : read.bytes;
}

/** A value that a step was given as its image: what `compile` made, the text of a HEX file, or the path of a file. */
export async function toImage(value: Json, device: Device, workspace: string): Promise<Image> {
  if (isImage(value)) return imageOf(value.format, value.target, value.files);
  if (typeof value !== 'string' || value.trim() === '')
    throw invalid(
      device,
      `Expected what \`compile\` made or the path of a file, got ${value === null ? 'nothing' : 'another value'}.`,
    );
  if (value.trimStart().startsWith(':'))
    return imageOf('ihex', null, [{ name: 'image.hex', encoding: 'utf8', data: value }]);
  return imageOf(device.kind.image, null, [await readImageFile(value, device, workspace)]);
}

/** Tells whether a value came from `compile`. Its hash is made anew: what a value says of itself proves nothing. */
function isImage(value: Json): value is Json & Pick<Image, 'format' | 'target' | 'files'> {
  if (!isObject(value) || !Array.isArray(value['files']) || value['files'].length === 0) return false;
  const { target = null, format } = value;
  const files = value['files'].every(
    (file) =>
      isObject(file) &&
      isFileName(file['name']) &&
      typeof file['data'] === 'string' &&
      (file['encoding'] === 'utf8' || file['encoding'] === 'base64'),
  );
  return (
    files &&
    (format === 'ihex' || format === 'bin' || format === 'files') &&
    (target === null || typeof target === 'string')
  );
}

/** Names become paths on the board and in a temporary folder. */
function isFileName(name: Json | undefined): boolean {
  return typeof name === 'string' && /^[A-Za-z0-9_][A-Za-z0-9._-]{0,99}$/.test(name);
}

async function readImageFile(path: string, device: Device, workspace: string): Promise<ImageFile> {
  const data = await readInside(path, workspace).catch((error: unknown) => {
    throw invalid(
      device,
      `The image \`${path}\` cannot be used: ${error instanceof Error ? error.message : String(error)}`,
    );
  });
  const isText = device.kind.image !== 'bin';
  const name = device.kind.image === 'files' ? basename(path) : `image${extname(path) || '.bin'}`;
  return { name, encoding: isText ? 'utf8' : 'base64', data: data.toString(isText ? 'utf8' : 'base64') };
}

/** Reads a regular file inside the workspace, wherever links lead. */
export async function readInside(path: string, workspace: string): Promise<Buffer> {
  const real = await realpath(resolve(workspace, path)).catch(() => null);
  if (real === null) throw new Error('there is no such file.');
  const inside = relative(await realpath(workspace), real);
  if (inside.startsWith('..') || inside.startsWith('/')) throw new Error("it lies outside of the project's folder.");
  // Where links have led it is opened from the root again: what has become a link meanwhile is not followed.
  return inFolderOf(workspace, inside, {}, async (folder, name) => {
    const found = await lstat(folder.at(name));
    if (!found.isFile()) throw new Error('it is no regular file.');
    if (found.size > FILE_BYTES) throw new Error(`it has ${found.size} bytes, more than any image.`);
    const bytes = await readPlain(folder.at(name), FILE_BYTES);
    if (bytes === null) throw new Error('it cannot be read.');
    return bytes;
  });
}

/** Checks an image before the device is touched: its format, its size, and that it is for this chip. */
export function checkImage(image: Image, device: Device): void {
  const { kind, target, max_bytes } = device;
  if (image.format !== kind.image)
    throw invalid(device, `Expected an image of the format \`${kind.image}\`, got \`${image.format}\`.`);
  if (image.target !== null && image.target !== target)
    throw invalid(device, `The image is for \`${image.target}\`; \`${device.name}\` is a \`${target}\`.`);
  const end = image.format === 'ihex' ? endOfHex(image, device) : image.bytes;
  if (image.format === 'bin' && target.startsWith('esp')) checkEsp(image, device);
  if (end === 0) throw invalid(device, 'The image is empty.');
  if (end > max_bytes)
    throw invalid(device, `The image needs ${end} bytes; \`${device.board}\` has room for ${max_bytes}.`);
}

function endOfHex(image: Image, device: Device): number {
  const read = readHex(image.files[0]?.data ?? '');
  if ('wrong' in read) throw invalid(device, `The image is no sound Intel HEX file: ${read.wrong}.`);
  return read.end;
}

function checkEsp({ files }: Image, device: Device): void {
  const head = files[0] === undefined ? Buffer.alloc(0) : bytesOf(files[0]);
  if (head[0] !== ESP_MAGIC)
    throw invalid(
      device,
      `Expected an ESP image, which starts with 0xE9, got ` +
        `${head[0] === undefined ? 'nothing' : `0x${head[0].toString(16).padStart(2, '0')}`}.`,
    );
  const chip = head.length < 14 ? undefined : ESP_CHIPS.get(head.readUInt16LE(12));
  if (chip !== undefined && chip !== device.target)
    throw invalid(device, `The image is for \`${chip}\`; \`${device.name}\` is a \`${device.target}\`.`);
}

function invalid(device: Device, why: string): Error {
  return stepFailure('image-invalid', `${why} \`${device.name}\` was not touched.`);
}
