import type { StatsFs } from 'node:fs';
import { closeSync, fstatSync, openSync, readlinkSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { identityOf, isSameFolder } from '../../store/folders/root.js';

const LOOK_MS = 500;
/** With less room than this the next write may not fit. */
export const NO_ROOM_BYTES = 256 * 1024;

/** The state folder of a process that works in it. */
export interface HeldFolder {
  release: () => void;
}

/**
 * Looks after the folder that a host or a worker holds. Calls `onGone` once, with what happened, when the folder does
 * not stand where it did: it was moved, or removed, or another is there. `onRoom` hears when its disk gets full, and
 * when there is room again; `onStands` is called again and again while it stands there. The folder is kept open, so
 * that no other gets its number meanwhile.
 */
export function holdFolder(
  stateDir: string,
  {
    onGone,
    onRoom,
    onStands,
  }: { onGone: (what: string) => void; onRoom: (hasRoom: boolean) => void; onStands?: () => Promise<void> },
): HeldFolder {
  const handle = openSync(stateDir, 'r');
  const held = fstatSync(handle);
  let hadRoom = true;
  const look = async (): Promise<void> => {
    if (!isSameFolder(held, identityOf(stateDir))) {
      clearInterval(timer);
      return onGone(whereTo(stateDir, handle));
    }
    const hasRoom = await hasRoomAt(stateDir);
    if (hasRoom !== hadRoom) onRoom(hasRoom);
    hadRoom = hasRoom;
    await onStands?.();
  };
  // what cannot be looked at now is looked at again
  const timer = setInterval(() => void look().catch(() => undefined), LOOK_MS);
  timer.unref();
  let isOpen = true;
  return {
    release: () => {
      clearInterval(timer);
      if (isOpen) closeSync(handle);
      isOpen = false;
    },
  };
}

/** What people are told of a full disk. */
export function fullDisk(stateDir: string): string {
  return `the disk of ${stateDir} is full: what runs write waits for room`;
}

/** Tells whether the disk of a folder takes what runs write; true where nobody can say. */
export async function hasRoomAt(folder: string): Promise<boolean> {
  const space = await statfs(folder).catch(() => null);
  return space === null || (space.bavail * space.bsize >= NO_ROOM_BYTES && takesFiles(space));
}

/** Tells whether a disk takes one more file: some count them (`df -i`). */
export function takesFiles({ files, ffree }: Pick<StatsFs, 'files' | 'ffree'>): boolean {
  return files === 0 || ffree > 0;
}

function whereTo(stateDir: string, handle: number): string {
  if (fstatSync(handle).nlink === 0) return `its folder ${stateDir} was removed`;
  try {
    return `its folder ${stateDir} was moved to ${readlinkSync(`/proc/self/fd/${String(handle)}`)}`;
  } catch {
    return `its folder ${stateDir} was moved`;
  }
}
