import { connect } from 'node:net';
import { basename, join } from 'node:path';
import { STATE, lookNear } from '../../workspace/near-root.js';
import { isBelow } from '../../../store/folders/places.js';
import { isStateFolder } from '../../../store/folders/state-folders.js';
import { temporaryPlace } from '../../../store/folders/temporary.js';
import { errorCode } from '../../../store/store-failure.js';
import { boundSockets } from './bound-sockets.js';

/**
 * So many folders are looked at, and what was found holds so long. Where there are more nobody knows what is state
 * among them: an agent can make folders, too.
 */
const MOST_FOLDERS = 100_000;
const VALID_MS = 60_000;

interface Looked {
  at: number;
  found: Promise<Hidden>;
}

/** What no program in a workspace sees: absolute paths of state folders, and of sockets where somebody listens. */
export interface Hidden {
  states: string[];
  sockets: string[];
}

const known = new Map<string, Looked>();

/**
 * What no program in a workspace sees: its own state folder, ours wherever it lies, those of trusted projects in it (as
 * paths from its root), others near its root, the place of our temporary folders, should that lie there, and sockets
 * near its root or that the system tells of: whoever listens there is no part of a sandbox. Throws a refusal where
 * nobody knows all states.
 */
export async function hiddenFrom(workspace: string, ours: string | null, projects: string[]): Promise<Hidden> {
  const own = ['', ...projects].map((path) => join(workspace, path, STATE));
  const { states, sockets } = await hiddenBelow(workspace);
  // What a command had made, and was removed at its end, is none.
  const others = states.filter((path) => basename(path) === STATE || isStateFolder(path));
  const temporary = temporaryPlace();
  const alsoOurs = [...(ours === null ? [] : [ours]), ...(isBelow(temporary, workspace) ? [temporary] : [])];
  const all = [...new Set([...own, ...alsoOurs, ...others])];
  // What a state folder holds is hidden with it.
  const bound = boundSockets(workspace).filter((path) => !all.some((state) => isBelow(path, state)));
  return { states: all, sockets: [...new Set([...sockets, ...bound])].sort() };
}

/** Our own state is known by its path; file tools know each folder of state when they come to it. */
function hiddenBelow(workspace: string): Promise<Hidden> {
  const last = known.get(workspace);
  if (last !== undefined && Date.now() - last.at < VALID_MS) return last.found;
  const found = look(workspace);
  known.set(workspace, { at: Date.now(), found });
  return found;
}

async function look(workspace: string): Promise<Hidden> {
  const { states, sockets } = await lookNear(workspace, { most: MOST_FOLDERS });
  const answered: string[] = [];
  for (const path of sockets) if (await isAnswered(path)) answered.push(path);
  return { states, sockets: answered };
}

/** Does somebody listen? What a command has left behind is nobody's, and another one may remove it. */
function isAnswered(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path, () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', (error) => resolve(!['ECONNREFUSED', 'ENOENT'].includes(errorCode(error) ?? '')));
  });
}
