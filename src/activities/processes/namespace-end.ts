import { readFileSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';

/** Between two looks: at first as short as a timer can be. */
const LOOK_MS = [1, 1, 2, 5, 10, 20];
/** Who waits longer waits for a device or a file system that does not answer: what ends it has been sent. */
const MOST_MS = 10_000;

/**
 * Listens to what `bwrap --info-fd` writes. Returns how to wait for the end of the first process of its namespace.
 * `bwrap` ends before that does, and its streams before those whom the kernel ends with it: whoever was left behind is
 * gone once the first process is (pid_namespaces(7)).
 */
export function namespaceEnd(info: Readable): () => Promise<void> {
  let text = '';
  const told = new Promise<void>((resolve) => {
    info.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
    // A program that never came so far has begun no namespace.
    info.on('error', () => resolve());
    info.once('close', () => resolve());
  });
  return async () => {
    await told;
    const [, pid] = /"child-pid":\s*(\d+)/.exec(text) ?? [];
    if (pid !== undefined) await untilDead(Number(pid));
  };
}

async function untilDead(pid: number): Promise<void> {
  const since = performance.now();
  for (let look = 0; isAlive(pid) && performance.now() - since < MOST_MS; look += 1)
    await pause(LOOK_MS[Math.min(look, LOOK_MS.length - 1)]);
}

/** A zombie is dead: who is to hear of it may never ask. What cannot be looked at is not waited for. */
function isAlive(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return !['Z', 'X'].includes(stat[stat.lastIndexOf(')') + 2] ?? '');
  } catch {
    return false;
  }
}
