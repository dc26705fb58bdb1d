import { rm, writeFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { Argv, Device, Image, ImageFile } from '../../plan/devices/device.js';
import type { JsonObject } from '../../plan/values/json.js';
import type { Values } from './arguments.js';
import { expand, pythonBytes, pythonText } from './arguments.js';
import { bytesOf } from './images.js';
import { placeOf } from './place-of.js';
import { createProgress, meaningOf, toolFailure } from './judge-tool.js';
import type { HeldPort } from './port/open-port.js';
import type { Workbench } from './tool.js';
import { runTool } from './tool.js';
import { makeTemporary } from '../../store/folders/temporary.js';

/** What writing works with: the port it has, and where to tell how far it is. */
export interface WriteContext {
  port: HeldPort;
  bench: Workbench;
  progress: JsonObject;
}

/** Writes an image and compares what the board then holds. Throws what the tool's words mean. */
export async function writeImage(device: Device, image: Image, context: WriteContext): Promise<void> {
  const { kind } = device;
  await withFiles(image, async ({ files, boardFiles, folder }) => {
    const verified = kind.flash_verifies ? [] : imageCalls(kind.verify, device, files, context.port);
    const { write, verify, end } = kind.files ?? NO_FILES;
    const onto = boardFiles.length === 0 ? [] : end.map((line) => expand(line, valuesOf(device, context.port)));
    for (const call of [
      ...imageCalls(kind.flash, device, files, context.port),
      ...verified,
      ...fileCalls(write, device, boardFiles, context.port),
      ...fileCalls(verify, device, boardFiles, context.port),
      ...onto,
    ])
      await act(device, call, folder, context);
  });
}

const NO_FILES: NonNullable<Device['kind']['files']> = { write: [], verify: [], end: [] };

/** Tells whether the board holds exactly this image. Throws when it cannot be asked. */
export async function holdsImage(device: Device, image: Image, context: WriteContext): Promise<boolean> {
  return withFiles(image, async ({ files, boardFiles, folder }) => {
    for (const call of [
      ...imageCalls(device.kind.verify, device, files, context.port),
      ...fileCalls(device.kind.files?.verify ?? [], device, boardFiles, context.port),
    ]) {
      const end = await runTool(call, context.bench, { inherit: context.port.lock.inherit, from: folder });
      if (end.code === 0) continue;
      if (meaningOf(device.kind, end.said)?.means === 'mismatch') return false;
      throw toolFailure(device, call[0] ?? '', end, false);
    }
    return true;
  });
}

async function act(
  device: Device,
  call: string[],
  folder: string,
  { port, bench, progress }: WriteContext,
): Promise<void> {
  const follow = createProgress(device.kind);
  let hasWritten = false;
  const end = await runTool(call, bench, {
    inherit: port.lock.inherit,
    from: folder,
    onText: (text) => {
      follow.add(text);
      const now = follow.now();
      if (now === null) return;
      hasWritten ||= now.phase === 'writing';
      progress['phase'] = now.phase;
      progress['percent'] = now.percent;
    },
  });
  if (end.code !== 0) throw toolFailure(device, call[0] ?? '', end, hasWritten);
}

interface LaidOut extends ImageFile {
  path: string;
}

/** The calls that write or compare an image: one for all binaries, or one each for every file. */
function imageCalls(lines: Argv[], device: Device, files: LaidOut[], port: HeldPort): string[][] {
  if (device.kind.image !== 'bin') return fileCalls(lines, device, files, port);
  const [first] = files;
  if (first === undefined) return [];
  const images = files.flatMap((file) => [placeOf(device, file), file.path]);
  return lines.map((line) => expand(line, { ...valuesOf(device, port), image: first.path, images }));
}

function fileCalls(lines: Argv[], device: Device, files: LaidOut[], port: HeldPort): string[][] {
  return files.flatMap((file) => {
    const values: Values = {
      ...valuesOf(device, port),
      image: file.path,
      name_literal: pythonText(file.name),
      data_literal: pythonBytes(bytesOf(file)),
    };
    return lines.map((line) => expand(line, values));
  });
}

function valuesOf(device: Device, port: HeldPort): Values {
  return { ...device.values, port: port.path };
}

interface Files {
  /**
   * Holds them and nothing else. Tools run there: of the workspace they would take settings that an agent may have
   * written, as `esptool` does, some releases of which run what stands in them.
   */
  folder: string;
  files: LaidOut[];
  boardFiles: LaidOut[];
}

async function withFiles<T>(image: Image, use: (files: Files) => Promise<T>): Promise<T> {
  const folder = await makeTemporary('image');
  const layOut = (files: ImageFile[], prefix: string): Promise<LaidOut[]> =>
    Promise.all(
      files.map(async (file, index) => {
        const path = join(folder, `${prefix}${index}${extname(file.name)}`);
        await writeFile(path, bytesOf(file));
        return { ...file, path };
      }),
    );
  try {
    return await use({
      folder,
      files: await layOut(image.files, ''),
      boardFiles: await layOut(image.board_files ?? [], 'f'),
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
