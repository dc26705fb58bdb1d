import { dirname, join } from 'node:path';
import type { Permissions } from '../../../plan/tools/permission.js';
import { writePatterns } from '../../../plan/tools/write-patterns.js';
import { matchesPattern } from '../../../plan/values/wildcard.js';
import { entryAt } from '../../../store/folders/entry-at.js';
import { FileRefusal } from '../../refusal.js';
import { walk } from '../files/walk.js';

const WRITE = 'write:';
/** Each is a mount, and `bwrap` reads all of them for each. */
const MOST = 200;

/** What of a workspace is kept from commands because a person is asked about writing it, or that is denied. */
export interface Kept {
  /** Nothing is written at all. */
  all: boolean;
  /** Paths from the root, with all below them, whether they are there or not. */
  fixed: string[];
  /** Patterns that fit more than one path, or folder with all below it: what they fit was looked for. */
  open: string[];
  /** Looks for files that were made since and that would have been kept. */
  madeSince: () => Promise<string[]>;
}

/** Of an agent without such patterns, and of a program that a person wrote down. */
export const NOTHING_KEPT: Kept = { all: false, fixed: [], open: [], madeSince: () => Promise.resolve([]) };

interface Place {
  workspace: string;
  permissions: Permissions;
  /** A person has allowed this very command: what is asked about is asked no more. */
  allowed: boolean;
  signal: AbortSignal;
}

/**
 * What `write:` patterns of the permissions keep from a command: the tools for files ask about each of them, and a
 * command cannot. Throws a refusal where more fits than can be kept.
 */
export async function keptByPatterns({ workspace, permissions, allowed, signal }: Place): Promise<Kept> {
  const patterns = writePatterns(permissions, { asked: allowed });
  if (patterns.length === 0) return NOTHING_KEPT;
  if (patterns.some((pattern) => takesAll(pattern, ''))) return { ...NOTHING_KEPT, all: true };
  const named = patterns.flatMap((pattern) => pathOf(workspace, pattern) ?? []);
  const open = patterns.filter((pattern) => !isPlain(pattern));
  if (open.length === 0) return { ...NOTHING_KEPT, fixed: named };
  const found = await fitting({ workspace, permissions, signal }, open);
  return {
    all: false,
    fixed: [...named, ...found],
    open,
    madeSince: async () => {
      const known = new Set(found);
      // Whoever was cancelled leaves nothing behind either.
      const now = await fitting({ workspace, permissions, signal: new AbortController().signal }, open, true);
      return now.filter((path) => !known.has(path));
    },
  };
}

/** Tells whether a pattern takes everything below a folder, which ends with a slash or is empty for the root. */
function takesAll(pattern: string, folder: string): boolean {
  return matchesPattern(pattern, 'write') || (pattern.endsWith('*') && matchesPattern(pattern, `${WRITE}${folder}`));
}

/** Tells whether a pattern names one path, or one folder with all in it. */
function isPlain(pattern: string): boolean {
  return pattern.startsWith(WRITE) && !pattern.replace(/\/\*$/, '').includes('*');
}

/** The path that a plain pattern names; null where that fits nothing now, or is written otherwise than paths are. */
function pathOf(workspace: string, pattern: string): string | null {
  if (!isPlain(pattern)) return null;
  const path = pattern.slice(WRITE.length).replace(/\/\*$/, '');
  if (path.split('/').some((part) => ['', '.', '..'].includes(part))) return null;
  const found = entryAt(join(workspace, path));
  // A folder is not written itself, and a file has nothing below it; a link is kept whatever it leads to.
  const isOther = pattern.endsWith('/*') ? found?.isFile() : found?.isDirectory();
  return isOther === true ? null : path;
}

/**
 * Files that these patterns fit, and folders of which they fit all; links and packages are not looked into. Once a
 * command has run, all of them, however many.
 */
async function fitting(place: Omit<Place, 'allowed'>, patterns: string[], hasRun = false): Promise<string[]> {
  const found = new Set<string>();
  const most = hasRun ? Infinity : MOST;
  // What it may not read it may not write either: nothing is passed over.
  const open = { ...place, permissions: { ...place.permissions, deny: [], ask: [], within: [] } };
  const isWhole = await walk(open, '', { below: true }, async ({ path, kind }) => {
    const fits = patterns.some((one) =>
      kind === 'folder' ? takesAll(one, `${path}/`) : matchesPattern(one, `${WRITE}${path}`),
    );
    if (fits && !isBelowOne(path, found)) found.add(path);
    return found.size > most ? 'stop' : 'go on';
  });
  const named = patterns.map((pattern) => `\`${pattern}\``).join(', ');
  if (found.size > most) throw tooMany(`More than ${most} files and folders fit ${named}`, hasRun);
  if (!isWhole) throw tooMany(`The workspace is too large to look for all that fits ${named}`, hasRun);
  return [...found];
}

function isBelowOne(path: string, folders: ReadonlySet<string>): boolean {
  for (let at = dirname(path); at !== '.'; at = dirname(at)) if (folders.has(at)) return true;
  return false;
}

function tooMany(what: string, hasRun: boolean): FileRefusal {
  const then = hasRun ? 'one has run, and nobody knows what it wrote of them' : 'none is run';
  return new FileRefusal(
    `${what}, and a command could write them unasked: ${then}. Such a pattern of \`deny\` or \`ask\` of the ` +
      'permissions has to name a folder (`write:docs/*`), or fewer files.',
  );
}
