import { execFileSync } from 'node:child_process';

const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;

/**
 * Does something as somebody whom rights hold back, as most hosts are held: root may do everything. Who is not root
 * does it as themselves.
 */
export async function asSomebody<T>(act: () => Promise<T>): Promise<T> {
  if (!isRoot) return act();
  process.seteuid?.(NOBODY);
  try {
    return await act();
  } finally {
    process.seteuid?.(0);
  }
}

/** Makes that somebody the owner of what is at these paths, and below them. */
export function giveAway(...paths: string[]): void {
  if (isRoot) execFileSync('chown', ['-R', `${NOBODY}:${NOBODY}`, ...paths]);
}
