import type { Git } from '../../store/git/git.js';
import { refusal } from '../exit-codes.js';

/** One entry of a tree. */
export interface Entry {
  mode: string;
  hash: string;
  bytes: number;
  path: string;
}

export const FOLDER_OF_ITS_OWN = '160000';
export const LINK = '120000';
export const EXECUTABLE = '100755';
/** What is asked of git at once. */
const BATCH_BYTES = 32 * 1024 * 1024;

/** The files of a tree. */
export async function entriesOf(git: Git, tree: string): Promise<Entry[]> {
  const lines = (await git(['ls-tree', '-r', '-z', '--long', '--full-tree', tree])).toString().split('\0').slice(0, -1);
  return lines.map((line) => {
    const tab = line.indexOf('\t');
    const [mode = '', , hash = '', bytes = ''] = line.slice(0, tab).split(/ +/);
    return { mode, hash, bytes: Number(bytes) || 0, path: line.slice(tab + 1) };
  });
}

/** Hands each entry on with its content, in order; a repository inside has none. */
export async function withContents(
  git: Git,
  entries: Entry[],
  use: (entry: Entry, content: Buffer) => Promise<void>,
): Promise<void> {
  for (let from = 0; from < entries.length;) {
    let [to, bytes] = [from, 0];
    while (to < entries.length && (to === from || bytes + (entries[to]?.bytes ?? 0) <= BATCH_BYTES))
      bytes += entries[to++]?.bytes ?? 0;
    const batch = entries.slice(from, to);
    const files = batch.filter(({ mode }) => mode !== FOLDER_OF_ITS_OWN);
    const answer = await git(['cat-file', '--batch'], {
      input: files.map(({ hash }) => `${hash}\n`).join(''),
      most: bytes + files.length * 128 + 1024,
    });
    let at = 0;
    const next = ({ mode, hash, bytes: size, path }: Entry): Buffer => {
      if (mode === FOLDER_OF_ITS_OWN) return Buffer.alloc(0);
      const head = answer.indexOf('\n', at) + 1;
      if (answer.toString('latin1', at, head) !== `${hash} blob ${size}\n`)
        throw refusal(`The content of \`${path}\` is missing from the snapshots.`);
      at = head + size + 1;
      return answer.subarray(head, head + size);
    };
    for (const entry of batch) await use(entry, next(entry));
    from = to;
  }
}
