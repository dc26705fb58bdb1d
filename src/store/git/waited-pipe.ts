import { readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';

/** What git opens in each folder that it looks into, whatever it is. */
const OPENED = ['.gitignore', '.gitattributes', '.gitmodules'];
/** A call that takes longer may be one that waits. */
const LOOK_MS = 3000;

/** Looks, while git runs over a folder, for a pipe on which it waits. */
export interface PipeWatch {
  /** The pipe's path from the folder, once one was found. */
  found: () => string | null;
  stop: () => void;
}

/**
 * Looks for a pipe where git reads a file of patterns or attributes: it would wait there for somebody who writes.
 * `onFound` is called once. Calls that end soon cost nothing.
 */
export function watchForPipe(folder: string, onFound: () => void): PipeWatch {
  const ended = new AbortController();
  let pipe: string | null = null;
  const look = async (): Promise<void> => {
    pipe = await pipeIn(folder, ended.signal);
    if (ended.signal.aborted) return;
    if (pipe === null) timer = setTimeout(() => void look(), LOOK_MS);
    else onFound();
  };
  let timer = setTimeout(() => void look(), LOOK_MS);
  const stop = (): void => {
    clearTimeout(timer);
    ended.abort();
  };
  return { found: () => pipe, stop };
}

/** Follows no link. What cannot be read is passed over, as git does. */
async function pipeIn(top: string, signal: AbortSignal): Promise<string | null> {
  const folders = [top];
  for (let folder = folders.pop(); folder !== undefined && !signal.aborted; folder = folders.pop()) {
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    const pipe = entries.find((entry) => OPENED.includes(entry.name) && entry.isFIFO());
    if (pipe !== undefined) return relative(top, join(folder, pipe.name));
    for (const entry of entries) if (entry.isDirectory()) folders.push(join(folder, entry.name));
  }
  return null;
}
