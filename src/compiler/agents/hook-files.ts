import { createHash } from 'node:crypto';
import { join, posix } from 'node:path';
import type { Hash } from '../../plan/values/value.js';
import { kindOf, readText } from '../text/disk.js';

/** What a file of the project holds, or why it cannot be read. */
type Named = { text: string } | { failure: string };

/** Finds files of a project by their paths from its root. */
export interface FindFile {
  root: string;
  /** Null when no file is there. */
  read(path: string): Named | null;
  isFolder(path: string): boolean;
}

/** Finds the files of a project. */
export function filesOf(root: string): FindFile {
  return {
    root,
    read(path) {
      const kind = kindOf(join(root, path));
      return kind === 'missing' || kind === 'folder' ? null : readText(join(root, path));
    },
    isFolder: (path) => kindOf(join(root, path)) === 'folder',
  };
}

/** SHA-256 of a text's bytes, as people and `files:` write it. */
export function fileHash(text: string): Hash {
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
}

/**
 * The files of the project that a hook's line names, with what they hold: from the root, or from a folder that the line
 * names too, for it may go there first. What only a shell finds out cannot be bound, and is a failure. Throws for
 * nothing.
 */
export function filesNamed(command: string, findFile: FindFile): Map<string, Named> {
  const quoted = [...command.matchAll(/"([^"]*)"|'([^']*)'/g)].map(([, one, other]) => one ?? other ?? '');
  const words = command.replace(/["'\\]/g, '').split(SEPARATOR);
  const names = [...words, ...quoted, ...quoted.flatMap((text) => text.split(SEPARATOR))].map((word) =>
    word.replace(`${findFile.root}/`, '').replace(START, ''),
  );
  const folders = ['.', ...names.filter((name) => isInside(name) && findFile.isFolder(posix.normalize(name)))];
  const found = new Map<string, Named>();
  for (const word of unquotedWords(command))
    if (folders.some((folder) => isPatternIn(folder, word, findFile)))
      found.set(word, { failure: 'only a shell knows which files it means. Write out the path of each.' });
  for (const name of names)
    for (const folder of folders) {
      const path = posix.join(folder, name);
      const file = isInside(path) ? findFile.read(path) : null;
      if (file !== null) found.set(path, file);
    }
  return found;
}

const SEPARATOR = /[\s;|&<>()=`]+/;
/** How a path begins that is meant from the project's root, or from where a variable says. */
const START = /^(?:\$\{?\w+\}?)?\/+/;

/** The words of a line in which a shell looks for patterns. */
function unquotedWords(command: string): string[] {
  return command.replace(/"[^"]*"|'[^']*'/g, ' ').split(/[\s;|&<>`]+/);
}

/** Tells whether a shell makes paths below a folder of the project of this word: `tools/*.sh`, `tools/$NAME`. */
function isPatternIn(folder: string, word: string, findFile: FindFile): boolean {
  const start = /^([^*?[{$]*)[*?[{$]/.exec(word.replace(START, ''))?.[1] ?? '';
  return start.includes('/') && findFile.isFolder(posix.join(folder, posix.dirname(`${start}x`)));
}

function isInside(name: string): boolean {
  const path = posix.normalize(name);
  return path !== '.' && !path.startsWith('/') && path !== '..' && !path.startsWith('../');
}
