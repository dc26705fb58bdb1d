import { lstat } from 'node:fs/promises';
import type { Permissions } from '../../../plan/tools/permission.js';
import { safeLine } from '../../../plan/text/safe-text.js';
import { openFile } from '../../workspace/open.js';
import type { Folder } from '../../workspace/open.js';
import { FileRefusal } from '../../refusal.js';
import { passedOver, walk } from '../files/walk.js';
import { hasSignatures, hintOf, signaturesOf } from './signatures.js';
import { insideBlock } from '../../../plan/text/data-block.js';

/** Files that a manifest names, that are looked into for signatures, and signatures of each. */
export const MOST_FILES = 200;
export const NEWEST_FILES = 20;
export const SIGNATURES = 20;
/** Files that are looked at at all. */
const MOST_SEEN = 5_000;
/** Of a file so much is read. */
const HEAD_BYTES = 64 * 1024;

/** What a digest of a workspace needs of the call that makes it. */
export interface Look {
  workspace: string;
  permissions: Permissions;
  signal: AbortSignal;
}

interface SeenFile {
  path: string;
  mtimeMs: number;
  hint: string;
  signatures: string[];
}

/**
 * What is in a workspace, as a text: up to 200 files with a hint of what each is, and of the 20 newest their
 * signatures. Files are reached through open folders, and no link is followed; nothing is read of files that begin
 * with a dot, which may hold secrets.
 */
export async function digestOf(look: Look): Promise<string> {
  const { files, more, states } = await filesOf(look);
  if (files.length === 0) return ['There are no files yet.', ...passedOver(states)].join('\n');
  const shown = files.slice(0, MOST_FILES);
  const rest = files.length - shown.length;
  const newest = [...files]
    .sort((one, other) => other.mtimeMs - one.mtimeMs || (one.path < other.path ? -1 : 1))
    .slice(0, NEWEST_FILES)
    .filter(({ signatures }) => signatures.length > 0);
  return insideBlock(
    [
      ...shown.map(({ path, hint }) => `- ${path}${hint === '' ? '' : `: ${hint}`}`),
      ...(rest === 0 ? [] : [`[${rest}${more ? ' or more' : ''} other files]`]),
      ...newest.flatMap(({ path, signatures }) => ['', `In ${path}:`, ...signatures.map((line) => `  ${line}`)]),
      ...passedOver(states),
    ].join('\n'),
  );
}

async function filesOf(look: Look): Promise<{ files: SeenFile[]; more: boolean; states: string[] }> {
  const files: SeenFile[] = [];
  const states: string[] = [];
  const onState = (path: string): void => void states.push(safeLine(path));
  let more = false;
  const whole = await walk(look, '.', { below: true, onState }, async ({ path, kind, folder, name }) => {
    if (kind !== 'file' || path.startsWith('.elisa/')) return 'go on';
    if (files.length === MOST_SEEN) {
      more = true;
      return 'stop';
    }
    const head = await headOf(folder, name);
    files.push({
      path: safeLine(path),
      mtimeMs: head?.mtimeMs ?? 0,
      hint: head === null ? '' : hintOf(head.text),
      signatures: head === null ? [] : signaturesOf(name, head.text, SIGNATURES),
    });
    return 'go on';
  });
  return { files, more: more || !whole, states };
}

/** When a file was changed, and its first characters where it is a text that is read; null for what is gone. */
async function headOf(folder: Folder, name: string): Promise<{ mtimeMs: number; text: string } | null> {
  const found = await lstat(folder.at(name)).catch(() => null);
  if (found === null) return null;
  const text = name.startsWith('.') || !hasSignatures(name) ? '' : await textAt(folder, name);
  return { mtimeMs: found.mtimeMs, text };
}

async function textAt(folder: Folder, name: string): Promise<string> {
  try {
    const { handle } = await openFile(folder, name);
    try {
      const buffer = Buffer.alloc(HEAD_BYTES);
      const { bytesRead } = await handle.read(buffer, 0, HEAD_BYTES, 0);
      const bytes = buffer.subarray(0, bytesRead);
      return bytes.includes(0) ? '' : bytes.toString('utf8');
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (error instanceof FileRefusal) return '';
    throw error;
  }
}
