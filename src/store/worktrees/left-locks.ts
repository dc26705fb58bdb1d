import { constants, lstatSync, readdirSync, readlinkSync, unlinkSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { isBelow, realOf } from '../folders/places.js';

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants;

/**
 * Opens again what a git that was killed with its command, or with its worker, has left locked for the work tree at a
 * path: who works there next would have to remove the file. Nothing is done at other paths, nor while a process works
 * in that tree, which may hold the lock, nor where the system does not tell.
 */
export async function removeLeftLocks(stateDir: string, workspace: string): Promise<void> {
  const worktrees = join(realOf(stateDir), 'worktrees');
  const [run, kind, name] = isBelow(workspace, worktrees) ? relative(worktrees, workspace).split(sep) : [];
  if (process.platform !== 'linux' || run === undefined || kind !== 'trees' || name === undefined) return;
  const [repository, trees] = [join(worktrees, run, 'repository'), join(worktrees, run, kind)];
  await removeIn(join(repository, 'worktrees', name), /\.lock$/, join(trees, name));
  // What all trees of the run share. `HEAD.lock` there is ours, when we commit.
  await removeIn(repository, /^(?:config|packed-refs)\.lock$/, trees);
}

/** Removes such files of a folder, where no process works in another one. */
async function removeIn(folder: string, which: RegExp, workedIn: string): Promise<void> {
  const handle = await open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW).catch(() => null);
  if (handle === null) return; // the tree is not there
  try {
    const at = `/proc/self/fd/${handle.fd}`;
    const locks = readdirSync(at).filter((name) => which.test(name));
    // Through a link on the way, which somebody has made, it would be a repository that is none of ours.
    if (locks.length === 0 || readlinkSync(at) !== folder) return;
    const left = locks.map((name) => ({ file: join(at, name), is: identityOf(join(at, name)) }));
    if (isWorkedIn(workedIn)) return;
    // Another step may have begun meanwhile, and its git have a lock of its own.
    for (const { file, is } of left) if (is !== '' && identityOf(file) === is) unlinkSync(file);
  } finally {
    await handle.close();
  }
}

function identityOf(file: string): string {
  const found = lstatSync(file, { bigint: true, throwIfNoEntry: false });
  return found?.isFile() === true ? `${found.ino} ${found.ctimeNs}` : '';
}

/** Git goes to the tree that it works in, also where a sandbox shows it nothing else. */
function isWorkedIn(folder: string): boolean {
  return readdirSync('/proc').some((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      return isBelow(readlinkSync(`/proc/${name}/cwd`), folder);
    } catch {
      return false; // it is gone, or another user's
    }
  });
}
