import { readFile } from 'node:fs/promises';
import { watch } from 'node:fs';
import { dirname, basename } from 'node:path';

/** Whether a process is alive; one that is only waiting to be reaped is not. */
export async function isAlive(pid: number): Promise<boolean> {
  try {
    const status = await readFile(`/proc/${pid}/stat`, 'utf8');
    return !/\) [ZX] /.test(status);
  } catch {
    return false;
  }
}

/** Resolves with a file's text when it has `lines` whole lines. */
export function fileWithLines(path: string, lines: number): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const watcher = watch(dirname(path), (_event, name) => {
      if (name === basename(path)) void look();
    });
    const look = async (): Promise<void> => {
      const found = (await readFile(path, 'utf8').catch(() => '')).split('\n').slice(0, -1);
      if (found.length < lines) return;
      watcher.close();
      resolve(found);
    };
    watcher.once('error', reject);
    void look();
  });
}
