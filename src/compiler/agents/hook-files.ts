import { createHash } from 'node:crypto';
import { join, posix } from 'node:path';
import type { Hash } from '../../plan/values/value.js';
import { kindOf, readText } from '../text/disk.js';

/** A file of the project, by its path from the root; null when none is there. */
export type FindFile = (path: string) => { text: string } | { failure: string } | null;

/** Finds the files of a project. */
export function filesOf(root: string): FindFile {
  return (path) => {
    const kind = kindOf(join(root, path));
    return kind === 'missing' || kind === 'folder' ? null : readText(join(root, path));
  };
}

/** SHA-256 of a text's bytes, as people and `files:` write it. */
export function fileHash(text: string): Hash {
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
}

/** The files of the project that a hook's line names, with what they hold. Throws for nothing. */
export function filesNamed(command: string, findFile: FindFile): Map<string, { text: string } | { failure: string }> {
  const quoted = [...command.matchAll(/"([^"]*)"|'([^']*)'/g)].map(([, one, other]) => one ?? other ?? '');
  const words = command.replace(/["']/g, '').split(/[\s;|&<>()=`]+/);
  const found = new Map<string, { text: string } | { failure: string }>();
  for (const word of [...words, ...quoted]) {
    const path = posix.normalize(word.replace(/^\$\{?CLAUDE_PROJECT_DIR\}?\//, ''));
    if (path === '.' || path.startsWith('/') || path.startsWith('..')) continue;
    const file = findFile(path);
    if (file !== null) found.set(path, file);
  }
  return found;
}
