import type { FileHandle } from 'node:fs/promises';
import { judgeAction } from '../../plan/tools/permission.js';
import type { Permissions } from '../../plan/tools/permission.js';
import type { Folder } from './open.js';
import { inFolderOf, openFile, resolveLinks } from './open.js';
import { FileRefusal, LinkRefusal } from '../refusal.js';

/** A text of this many bytes is read whole; what is longer is no text that a model works with. */
export const TEXT_BYTES = 10 * 1024 * 1024;

/** What is read at first. */
const BEGIN_BYTES = 64 * 1024;

export interface TextFile {
  /** Where the bytes are no UTF-8 it does not hold them all: who writes it back changes what nobody touched. */
  text: string;
  bytes: Buffer;
}

/**
 * Reads a text of the workspace. A link is followed when it leads to a place that may be read as well: the place is
 * judged and opened like any other path.
 */
export function readTextFile(place: Readable, path: string): Promise<TextFile> {
  return readThrough(place, path, (folder, name) => readIn(folder, name, path));
}

/** Reads any file of the workspace likewise, of at most so many bytes. */
export function readBytesFile(place: Readable, path: string, most: number): Promise<Buffer> {
  return readThrough(place, path, async (folder, name) => {
    const { handle, size } = await openFile(folder, name);
    try {
      if (size > most) throw new FileRefusal(`\`${path}\` has ${size} bytes; at most ${most} are read.`);
      const bytes = await handle.readFile();
      if (bytes.length > most) throw new FileRefusal(`\`${path}\` has more than ${most} bytes.`);
      return bytes;
    } finally {
      await handle.close();
    }
  });
}

/** A workspace, what may be read in it, and the only folder of it that is. */
interface Readable {
  workspace: string;
  permissions: Permissions;
  root?: string | undefined;
}

async function readThrough<T>(
  { workspace, permissions, root = '' }: Readable,
  path: string,
  read: (folder: Folder, name: string) => Promise<T>,
): Promise<T> {
  const open = (at: string): Promise<T> => inFolderOf(workspace, at, {}, read);
  try {
    return await open(path);
  } catch (error) {
    if (!(error instanceof LinkRefusal)) throw error;
    const target = await resolveLinks(workspace, path);
    if (
      target === null ||
      !isBelow(target, root) ||
      judgeAction(permissions, { kind: 'read', path: target }).verdict !== 'allow'
    )
      throw error;
    return open(target);
  }
}

function isBelow(path: string, root: string): boolean {
  return root === '' || path === root || path.startsWith(`${root}/`);
}

/**
 * Reads a text of an open folder; `path` is what it is called in refusals. Follows no link. `onRead` is told of bytes
 * as they are read, of what turns out to be no text, too.
 */
export async function readIn(
  folder: Folder,
  name: string,
  path: string,
  onRead: (bytes: number) => void = () => undefined,
): Promise<TextFile> {
  const { handle, size } = await openFile(folder, name);
  try {
    const bytes = await textBytesOf(handle, { size, path, onRead });
    return { text: bytes.toString('utf8'), bytes };
  } finally {
    await handle.close();
  }
}

/** The bytes of an open text. What is none shows that by its beginning, as a rule: no more is read of it then. */
async function textBytesOf(
  handle: FileHandle,
  { size, path, onRead }: { size: number; path: string; onRead: (bytes: number) => void },
): Promise<Buffer> {
  if (size > TEXT_BYTES)
    throw new FileRefusal(
      `\`${path}\` has ${size} bytes; at most ${TEXT_BYTES} are read. Look into it with a command, such as ` +
        `\`head\` or \`grep\`.`,
    );
  const buffer = Buffer.alloc(TEXT_BYTES < size + 1 ? TEXT_BYTES : size + 1);
  let length = 0;
  for (;;) {
    const end = length === 0 ? Math.min(BEGIN_BYTES, buffer.length) : buffer.length;
    const { bytesRead } = await handle.read(buffer, length, end - length, null);
    onRead(bytesRead);
    if (buffer.subarray(length, length + bytesRead).includes(0))
      throw new FileRefusal(`\`${path}\` is no text: it has NUL bytes.`);
    length += bytesRead;
    if (bytesRead === 0 || length === buffer.length) break;
  }
  return buffer.subarray(0, length);
}
