import { lstatSync, readdirSync, readlinkSync } from 'node:fs';
import { join, relative } from 'node:path';
import { isBelow, realOf } from '../../store/folders/places.js';
import { ledTo } from '../../store/git/repository.js';
import { readPlainNow } from '../../store/read-plain.js';
import { harmIn } from './git-settings.js';

/** A longer file is nobody's configuration, or hook. */
const FILE_BYTES = 1024 * 1024;
/**
 * Where a repository is, and where it has its parts: one line, as git writes it, of letters that we read as git does.
 */
const GIT_FILE = /^gitdir: ([^\r\n\uFFFD]*[^\s\uFFFD])\n?$/;
const COMMON_FILE = /^([^\s\uFFFD](?:[^\r\n\uFFFD]*[^\s\uFFFD])?)\n?$/;

/** What has git start programs in a repository, or look for parts of it where we do not. */
export interface Harm {
  /** A text to compare. */
  by: string;
  /** That of the file; empty where it has none, or is none. */
  text: string;
}

interface Found {
  kind: 'none' | 'folder' | 'file' | 'link' | 'other';
  /** Of a file what it holds, of a link where it leads. */
  text: string;
}

type Note = (path: string, found: Found, by?: string) => void;

/**
 * What has git start programs in the repository whose files are in this folder of a workspace, by paths from the
 * workspace's root: settings, hooks, and what leads git to others of them. With `isBare` the folder is itself where a
 * repository has its parts. Nothing of what lies outside of the workspace, where no agent writes.
 */
export function harmOf(workspace: string, top: string, { isBare = false } = {}): Map<string, Harm> {
  const root = realOf(workspace);
  const harm = new Map<string, Harm>();
  const note: Note = (path, { kind, text }, by = `${kind} ${text}`) => {
    if (isBelow(path, root)) harm.set(relative(root, path), { by, text: kind === 'file' ? text : '' });
  };
  const folder = isBare ? join(root, top) : folderOf(join(root, top), note);
  const common = commonOf(folder, note);
  const isTop = (path: string): boolean => ledTo(folder, path) === realOf(join(root, top));
  for (const path of [join(folder, 'config.worktree'), join(common, 'config')]) {
    const config = foundAt(path);
    const lines = config.kind === 'file' ? harmIn(config.text, isTop) : [];
    if (lines.length > 0) note(path, config, lines.join('\n'));
    else if (config.kind !== 'file' && config.kind !== 'none') note(path, config);
  }
  const hooks = join(common, 'hooks');
  const there = foundAt(hooks);
  const names = there.kind === 'folder' ? namesIn(hooks) : [];
  if (names === null || there.kind === 'link') note(hooks, there);
  // Git knows no hook of such a name: one that was set aside has the other.
  for (const name of names ?? [])
    if (!/\.(?:sample|removed-[0-9a-f]{8})$/.test(name)) note(join(hooks, name), foundAt(join(hooks, name)));
  return harm;
}

/** Where a repository has its parts. Notes what git reads otherwise than we, if it reads it at all. */
function folderOf(top: string, note: Note): string {
  const git = join(top, '.git');
  const inTop = foundAt(git);
  const led = inTop.kind === 'file' ? GIT_FILE.exec(inTop.text)?.[1] : undefined;
  if (led === undefined && !['folder', 'none'].includes(inTop.kind)) note(git, inTop);
  return ledTo(top, led ?? '.git');
}

/** Likewise where it has those that its work trees share. */
function commonOf(folder: string, note: Note): string {
  const apart = foundAt(join(folder, 'commondir'));
  const shared = apart.kind === 'file' ? COMMON_FILE.exec(apart.text)?.[1] : undefined;
  if (shared === undefined && apart.kind !== 'none') note(join(folder, 'commondir'), apart);
  return ledTo(folder, shared ?? '.');
}

function foundAt(path: string): Found {
  try {
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (stat === undefined) return { kind: 'none', text: '' };
    if (stat.isSymbolicLink()) return { kind: 'link', text: readlinkSync(path) };
    if (stat.isDirectory()) return { kind: 'folder', text: '' };
    const bytes = readPlainNow(path, FILE_BYTES);
    return bytes === null ? { kind: 'other', text: '' } : { kind: 'file', text: bytes.toString() };
  } catch {
    return { kind: 'none', text: '' }; // nobody may look there
  }
}

/** Null where nobody may list it; git finds a hook by its name there. */
function namesIn(folder: string): string[] | null {
  try {
    return readdirSync(folder);
  } catch {
    return null;
  }
}
