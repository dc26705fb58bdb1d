import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** The folders and links in a folder, by their paths, and how many entries it has. */
interface Listed {
  inner: string[];
  links: string[];
  count: number;
}

/**
 * A folder that has changed so shortly before it was listed is listed again: file systems tell times in steps, the
 * coarsest of two seconds, so one that changes again may have the same time.
 */
const SURE_MS = 3_000;
/** What is known of so many folders is kept. */
const MOST_KNOWN = 50_000;

const known = new Map<string, { state: string; listed: Listed }>();

/**
 * What is in a folder; nothing in one that nobody may list. Of one that has not changed since the last look that is
 * known: to ask for its time costs a tenth of listing it. A name that becomes a folder or a link changes the folder.
 */
export function listedIn(folder: string): Listed {
  try {
    const { dev, ino, ctimeMs } = lstatSync(folder);
    const state = `${dev} ${ino} ${ctimeMs}`;
    const last = known.get(folder);
    if (last?.state === state) return last.listed;
    const isSure = Date.now() - ctimeMs > SURE_MS;
    const listed = list(folder);
    if (known.size >= MOST_KNOWN) known.clear();
    if (isSure) known.set(folder, { state, listed });
    return listed;
  } catch {
    return { inner: [], links: [], count: 0 };
  }
}

function list(folder: string): Listed {
  const entries = readdirSync(folder, { withFileTypes: true });
  const named = (isOne: (entry: (typeof entries)[number]) => boolean): string[] =>
    entries.filter(isOne).map(({ name }) => join(folder, name));
  return {
    inner: named((entry) => entry.isDirectory()),
    links: named((entry) => entry.isSymbolicLink()),
    count: entries.length,
  };
}
