import type { Device, Image, ImageFile } from '../../plan/devices/device.js';
import type { Json } from '../../plan/values/json.js';
import { isObject } from '../../plan/values/json.js';
import { imageOf, invalid, oneImage, readImageFile } from './images.js';

/** Far above what any board has room for; a list that is longer is a mistake. */
const MOST_FILES = 500;

/**
 * What a flash step writes: a value that is an image (`oneImage`), or a list of `{offset, image}`; and files of the
 * workspace for the board's own file system. Throws `image-invalid`.
 */
export async function toImage(value: Json, device: Device, workspace: string, files: Json = null): Promise<Image> {
  const boardFiles = await boardFilesOf(files, device, workspace);
  if (value === null && boardFiles.length > 0)
    return device.kind.image === 'files' ? imageOf('files', null, boardFiles) : imageOf('bin', null, [], boardFiles);
  const image = Array.isArray(value)
    ? await placedImages(value, device, workspace)
    : await oneImage(value, device, workspace);
  if (boardFiles.length === 0) return image;
  return device.kind.image === 'files'
    ? imageOf('files', image.target, [...image.files, ...boardFiles])
    : imageOf(image.format, image.target, image.files, boardFiles);
}

async function placedImages(parts: Json[], device: Device, workspace: string): Promise<Image> {
  if (device.kind.image !== 'bin')
    throw invalid(
      device,
      `Images with offsets are for kinds that take binaries; \`${device.kind.name}\` takes others.`,
    );
  const images = await Promise.all(
    parts.map(async (part) => {
      if (!isObject(part) || part['offset'] === undefined) throw invalid(device, 'Expected a list of {offset, image}.');
      const offset = offsetOf(part['offset'], device);
      const { target, files } = await oneImage(part['image'] ?? null, device, workspace);
      return { target, files: files.map((file, index) => (index === 0 ? { ...file, offset } : file)) };
    }),
  );
  const target = images.find((image) => image.target !== null)?.target ?? null;
  return imageOf(
    'bin',
    target,
    images.flatMap(({ files }) => files),
  );
}

/** A number, a text of one, or the name of a place that the board has. */
function offsetOf(offset: Json, device: Device): number {
  const { values } = device;
  const named = typeof offset === 'string' && Object.hasOwn(values, offset) ? values[offset] : offset;
  const number =
    typeof named === 'number'
      ? named
      : typeof named === 'string' && /^(?:0x[0-9a-fA-F]+|\d+)$/.test(named)
        ? Number(named)
        : NaN;
  if (Number.isSafeInteger(number)) return number;
  const places = Object.entries(values).flatMap(([name, value]) =>
    typeof value === 'string' && /^0x[0-9a-fA-F]+$/.test(value) ? [`\`${name}\``] : [],
  );
  throw invalid(
    device,
    `Expected an offset such as \`0x1000\`${places.length === 0 ? '' : `, or ${places.join(', ')}`}; got ` +
      `\`${JSON.stringify(offset)}\`.`,
  );
}

async function boardFilesOf(files: Json, device: Device, workspace: string): Promise<ImageFile[]> {
  if (files === null) return [];
  const paths = [files].flat();
  if (paths.length > MOST_FILES) throw invalid(device, `Expected at most ${MOST_FILES} files, got ${paths.length}.`);
  return Promise.all(
    paths.map(async (path) => {
      if (typeof path !== 'string') throw invalid(device, 'Expected paths of files of the project.');
      const { name, data, encoding } = await readImageFile(path, device, workspace, 'files');
      return { name, data, encoding };
    }),
  );
}
