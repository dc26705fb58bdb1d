import { readdir, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { errorCode } from '../../../store/store-failure.js';
import { makeTemporary, temporaryPlace } from '../../../store/folders/temporary.js';

const PURPOSE = 'launcher';
const SOCKET = 'output';

/**
 * Makes a folder that only this user may enter; gives the path that a socket in it is to have, short enough for one.
 */
export async function outputAddress(): Promise<string> {
  return join(await makeTemporary(PURPOSE), SOCKET);
}

/**
 * Removes the folders whose worker and launcher were killed at once, so that neither could. Asks each socket instead of
 * looking for a process: one in another container may share the temporary folder. What cannot be told or removed is
 * left: it is another user's.
 */
export async function removeLeftFolders(): Promise<void> {
  const place = temporaryPlace();
  const folders = (await readdir(place))
    .filter((name) => name.startsWith(`perdure-${PURPOSE}-`))
    .map((name) => join(place, name));
  for (const folder of folders) {
    if (await isRefused(join(folder, SOCKET)))
      await rm(folder, { recursive: true, force: true }).catch(() => undefined);
  }
}

/** Tells whether nobody listens any more at a socket that is there. */
function isRefused(address: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(address, () => {
      socket.destroy();
      resolve(false);
    });
    socket.once('error', (error) => resolve(errorCode(error) === 'ECONNREFUSED'));
  });
}
