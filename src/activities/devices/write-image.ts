import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import type { Argv, Device, Image, ImageFile } from '../../plan/devices/device.js';
import type { JsonObject } from '../../plan/values/json.js';
import type { Values } from './arguments.js';
import { expand, pythonBytes, pythonText } from './arguments.js';
import { bytesOf } from './images.js';
import { createProgress, meaningOf, toolFailure } from './judge-tool.js';
import type { HeldPort } from './open-port.js';
import type { Workbench } from './tool.js';
import { runTool } from './tool.js';

/** What writing works with: the port it has, and where to tell how far it is. */
export interface WriteContext {
  port: HeldPort;
  bench: Workbench;
  progress: JsonObject;
}

/** Writes an image and compares what the board then holds. Throws what the tool's words mean. */
export async function writeImage(device: Device, image: Image, context: WriteContext): Promise<void> {
  const { kind } = device;
  await withFiles(image, async (files) => {
    for (const call of callsOf(kind.flash, device, files, context.port)) await act(device, call, context);
    if (kind.flash_verifies) return;
    for (const call of callsOf(kind.verify, device, files, context.port)) await act(device, call, context);
  });
}

/** Tells whether the board holds exactly this image. Throws when it cannot be asked. */
export async function holdsImage(device: Device, image: Image, context: WriteContext): Promise<boolean> {
  return withFiles(image, async (files) => {
    for (const call of callsOf(device.kind.verify, device, files, context.port)) {
      const end = await runTool(call, context.bench, { inherit: context.port.lock.inherit });
      if (end.code === 0) continue;
      if (meaningOf(device.kind, end.said)?.means === 'mismatch') return false;
      throw toolFailure(device, call[0] ?? '', end, false);
    }
    return true;
  });
}

async function act(device: Device, call: string[], { port, bench, progress }: WriteContext): Promise<void> {
  const follow = createProgress(device.kind);
  let hasWritten = false;
  const end = await runTool(call, bench, {
    inherit: port.lock.inherit,
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

/** The calls of a tool: one each, or one each for every file of an image of files. */
function callsOf(lines: Argv[], device: Device, files: LaidOut[], port: HeldPort): string[][] {
  return files.flatMap((file) => {
    const bytes = bytesOf(file);
    const values: Values = {
      ...device.values,
      port: port.path,
      image: file.path,
      images: [placeOf(device, file), file.path],
      name_literal: pythonText(file.name),
      data_literal: pythonBytes(bytes),
    };
    return lines.map((line) => expand(line, values));
  });
}

/** Where a binary goes: to where the board has its program, unless it says another place. */
function placeOf({ values }: Device, { offset }: ImageFile): string {
  if (offset !== undefined) return `0x${offset.toString(16)}`;
  const app = values['app'];
  return typeof app === 'string' ? app : '0x0';
}

async function withFiles<T>(image: Image, use: (files: LaidOut[]) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'perdure-image-'));
  try {
    const files = await Promise.all(
      image.files.map(async (file, index) => {
        const path = join(folder, `${index}${extname(file.name)}`);
        await writeFile(path, bytesOf(file));
        return { ...file, path };
      }),
    );
    return await use(files);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
