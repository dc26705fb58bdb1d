/** A file that differs between two trees, as `diff-tree -z --raw --no-abbrev` tells it. */
export interface RawChange {
  path: string;
  before: RawEntry | null;
  after: RawEntry | null;
}

/** A file's mode and git's name of its content. */
export interface RawEntry {
  mode: string;
  hash: string;
}

/** Reads entries `:mode mode hash hash letter NUL path NUL`; a file that is not there has the mode 000000. */
export function rawChanges(told: string): RawChange[] {
  const words = told.split('\0');
  const changes: RawChange[] = [];
  for (let at = 0; at + 1 < words.length; at += 2) {
    const [oldMode = '', newMode = '', oldHash = '', newHash = ''] = (words[at] ?? '').slice(1).split(' ');
    const entry = (mode: string, hash: string): RawEntry | null => (mode === '000000' ? null : { mode, hash });
    changes.push({ path: words[at + 1] ?? '', before: entry(oldMode, oldHash), after: entry(newMode, newHash) });
  }
  return changes;
}
