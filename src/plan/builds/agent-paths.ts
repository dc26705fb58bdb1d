/**
 * A path of a spec as permissions write it: from the project's folder, a folder with `/` at its end. `src/**` and
 * `src/*` are the folder `src/`, and so is a name without an ending.
 */
export function pathOf(written: string): string {
  const plain = written
    .trim()
    .replace(/^(?:\.\/+)+/, '')
    .replace(/\/+\*{1,2}$/, '/')
    .replace(/\/+/g, '/');
  const last = plain.split('/').at(-1) ?? '';
  return last === '' || last.includes('.') || isFileName(last) ? plain : `${plain}/`;
}

/** Files that have no ending. */
function isFileName(name: string): boolean {
  return /^(?:Makefile|Dockerfile|LICENSE|README|CHANGELOG|Procfile|Gemfile|Rakefile)$/i.test(name);
}

/** Tells whether a path of a spec means the whole project. */
export function isEverything(written: string): boolean {
  return /^(?:\.?\/?|\.?\/?\*{1,2}|\.\/\*\*\/\*|\*\*\/\*)$/.test(written.trim());
}

/** Why a path of a spec cannot be held to; null where it can. */
export function pathFault(written: string): string | null {
  if (isEverything(written)) return null;
  const path = pathOf(written);
  if (path.startsWith('/') || path.startsWith('~')) return 'it begins at the root of the machine';
  if (path.split('/').includes('..')) return 'it leads out of the project';
  return /[*?[\]{}\\\p{Cc}]/u.test(path) ? 'it is a pattern, and only files and folders can be held to' : null;
}
