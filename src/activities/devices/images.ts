import { isUtf8 } from 'node:buffer';
import { lstat, realpath } from 'node:fs/promises';
import { basename, extname, relative, resolve } from 'node:path';
import type { Device, Image, ImageFile, ImageFormat } from '../../plan/devices/device.js';
import type { Json } from '../../plan/values/json.js';
import { canonicalJson, isObject } from '../../plan/values/json.js';
import { isBelow } from '../../store/folders/places.js';
import { sha256 } from '../../store/hash.js';
import { readPlain } from '../../store/read-plain.js';
import { stepFailure } from '../failures.js';
import { inFolderOf } from '../workspace/open.js';
import { readHex } from './intel-hex.js';

/** Far above the flash memory of any board here; a bigger file is no image. */
export const FILE_BYTES = 32 * 1024 * 1024;

/** An image of these files, and of those that are put into the file system that it brings. */
export function imageOf(
  format: ImageFormat,
  target: string | null,
  files: ImageFile[],
  boardFiles: ImageFile[] = [],
): Image {
  const bytes = programBytes(format, files) + programBytes('files', boardFiles);
  if (boardFiles.length === 0) return { format, target, bytes, sha256: sha256(canonicalJson(files)), files };
  const hash = sha256(canonicalJson({ files, board_files: boardFiles }));
  return { format, target, bytes, sha256: hash, files, board_files: boardFiles };
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
export async function oneImage(value: Json, device: Device, workspace: string): Promise<Image> {
  if (isImage(value)) return imageOf(value.format, value.target, value.files, value.board_files);
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
function isImage(value: Json): value is Json & Pick<Image, 'format' | 'target' | 'files' | 'board_files'> {
  if (!isObject(value) || !Array.isArray(value['files'])) return false;
  const { target = null, format, board_files: boardFiles = [] } = value;
  if (!Array.isArray(boardFiles) || value['files'].length + boardFiles.length === 0) return false;
  return (
    [...value['files'], ...boardFiles].every(isImageFile) &&
    (format === 'ihex' || format === 'bin' || format === 'files') &&
    (target === null || typeof target === 'string')
  );
}

function isImageFile(file: Json): boolean {
  if (!isObject(file)) return false;
  const { name, data, encoding, offset = 0 } = file;
  return (
    isFileName(name) &&
    typeof data === 'string' &&
    (encoding === 'utf8' || encoding === 'base64') &&
    Number.isSafeInteger(offset)
  );
}

/** Names become paths on the board and in a temporary folder. */
function isFileName(name: Json | undefined): boolean {
  return typeof name === 'string' && /^[A-Za-z0-9_][A-Za-z0-9._-]{0,99}$/.test(name);
}

/** Reads a file of the workspace as one of an image. Throws `image-invalid`. */
export async function readImageFile(
  path: string,
  device: Device,
  workspace: string,
  format: ImageFormat = device.kind.image,
): Promise<ImageFile> {
  const data = await readInside(path, workspace).catch((error: unknown) => {
    throw invalid(
      device,
      `The image \`${path}\` cannot be used: ${error instanceof Error ? error.message : String(error)}`,
    );
  });
  return toImageFile(format === 'files' ? basename(path) : `image${extname(path) || '.bin'}`, data, format !== 'bin');
}

/** A file of an image, as a text where it is to be one and its bytes are UTF-8. */
export function toImageFile(name: string, bytes: Buffer, isText: boolean): ImageFile {
  const encoding = isText && isUtf8(bytes) ? 'utf8' : 'base64';
  return { name, encoding, data: bytes.toString(encoding) };
}

/** Reads a regular file inside the workspace, wherever links lead. */
export async function readInside(path: string, workspace: string): Promise<Buffer> {
  const real = await realpath(resolve(workspace, path)).catch(() => null);
  if (real === null) throw new Error('there is no such file.');
  const root = await realpath(workspace);
  if (!isBelow(real, root)) throw new Error("it lies outside of the project's folder.");
  // Where links have led it is opened from the root again: what has become a link meanwhile is not followed.
  return inFolderOf(workspace, relative(root, real), {}, async (folder, name) => {
    const found = await lstat(folder.at(name));
    if (!found.isFile()) throw new Error('it is no regular file.');
    if (found.size > FILE_BYTES) throw new Error(`it has ${found.size} bytes, more than any image.`);
    const bytes = await readPlain(folder.at(name), FILE_BYTES);
    if (bytes === null) throw new Error('it cannot be read.');
    return bytes;
  });
}

/** What is wrong with an image; nothing was done to the device. */
export function invalid(device: Device, why: string): Error {
  return stepFailure('image-invalid', `${why} \`${device.name}\` was not touched.`);
}
