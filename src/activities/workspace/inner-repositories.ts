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
/** As git reads it: what a repository stands on, a branch or a commit. */
const HEAD = /^(?:ref:\s*refs\/|[0-9a-f]{40})/i;
const ANY_EXECUTE = 0o111;
/** Folders without which git takes no folder for a repository. */
const STORED = ['objects', 'refs'];

/** What has git start programs in a repository, or look for parts of it where we do not. */
export interface Harm {
  /** A text to compare. */
  by: string;
  /** That of the file; empty where it has none, or is none. */
  text: string;
  /** Its rights, where it is a file. */
  mode?: number;
}

interface Found {
  kind: 'none' | 'folder' | 'file' | 'link' | 'other';
  /** Of a file what it holds, of a link where it leads. */
  text: string;
  mode?: number;
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
  const note: Note = (path, { kind, text, mode = 0 }, by = `${kind} ${text}`) => {
    if (isBelow(path, root))
      harm.set(relative(root, path), kind === 'file' ? { by, text, mode: mode & 0o777 } : { by, text: '' });
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
  noteHooks(join(common, 'hooks'), note);
  return harm;
}

function noteHooks(hooks: string, note: Note): void {
  const there = foundAt(hooks);
  const names = there.kind === 'folder' ? namesIn(hooks) : [];
  if (names === null || there.kind === 'link') note(hooks, there);
  for (const name of names ?? []) {
    // Git knows no hook of such a name: one that was set aside has the other.
    if (/\.(?:sample|removed-[0-9a-f]{8})$/.test(name)) continue;
    const hook = foundAt(join(hooks, name));
    // Git starts one that may be executed.
    const isStarted = ((hook.mode ?? 0) & ANY_EXECUTE) !== 0;
    note(join(hooks, name), hook, `${hook.kind} ${isStarted ? 'started ' : ''}${hook.text}`);
  }
}

/** Tells whether a file at this path of a workspace may be such a part, by its name. */
export function namesRepositoryPart(path: string): boolean {
  return /(?:^|\/)(?:head|commondir|config|config\.worktree|hooks\/.*)$/i.test(path);
}

/**
 * Tells whether a text at this path of a workspace would have git take a folder without a `.git` for a repository, and
 * start something by what is beside it, or start or look for more in one that it takes for one; be its other parts
 * there or still to come. `folder` is the real path of the folder that the text is put into.
 */
export function isRepositoryPart(path: string, folder: string, text: string): boolean {
  const parts = path.split('/');
  const name = parts.pop()?.toLowerCase() ?? '';
  if (name === 'head' && HEAD.test(text)) return isHarmful(folder);
  if (name === 'commondir') return hasHead(folder);
  if (name === 'config' || name === 'config.worktree') return hasParts(folder) && harmIn(text).length > 0;
  if (name.endsWith('.sample')) return false;
  // What lies deeper in a folder of hooks is what they go by.
  return parts.some(
    (part, at) => part.toLowerCase() === 'hooks' && hasParts(join(folder, '../'.repeat(parts.length - at))),
  );
}

/**
 * Tells whether a folder that was made in another has git take that for a repository, and start something by what is
 * there, be its other parts there or still to come.
 */
export function isRepositoryFolder(name: string, folder: string): boolean {
  return STORED.includes(name.toLowerCase()) && hasParts(folder) && isHarmful(folder);
}

function isHarmful(folder: string): boolean {
  return foundAt(join(folder, 'commondir')).kind !== 'none' || harmOf(folder, '', { isBare: true }).size > 0;
}

/** Tells whether git takes a folder for a repository, or for what another one has its parts in by a `commondir`. */
function hasParts(folder: string): boolean {
  return hasHead(folder) || STORED.every((name) => ['folder', 'link'].includes(foundAt(join(folder, name)).kind));
}

/** Tells whether git takes what is named `HEAD` in a folder for that of a repository: a link, or what so begins. */
export function hasHead(folder: string): boolean {
  const { kind, text } = foundAt(join(folder, 'HEAD'));
  return kind === 'link' || kind === 'other' || (kind === 'file' && HEAD.test(text));
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
  const common = ledTo(folder, shared ?? '.');
  // Where git leads to there is a `HEAD`, and what is beside one is kept from who is not to write it.
  if (apart.kind !== 'none' && (shared === undefined || !hasHead(common))) note(join(folder, 'commondir'), apart);
  return common;
}

function foundAt(path: string): Found {
  try {
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (stat === undefined) return { kind: 'none', text: '' };
    if (stat.isSymbolicLink()) return { kind: 'link', text: readlinkSync(path) };
    if (stat.isDirectory()) return { kind: 'folder', text: '' };
    const bytes = readPlainNow(path, FILE_BYTES);
    return bytes === null ? { kind: 'other', text: '' } : { kind: 'file', text: bytes.toString(), mode: stat.mode };
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
