import type { Socket } from 'node:net';
import { send } from './control-protocol.js';
import { UnavailableError } from '../errors.js';
import { hostLog } from './host-files.js';
import type { HostFile } from './host-files.js';
import { isStopped } from '../processes/processes.js';

const ROUND_MS = 1_000;
/** Rounds in a row without a word after which a host is given up: one that stands still, and any other. */
const STOPPED_ROUNDS = 3;
const SILENT_ROUNDS = 30;

/** Who is listened for: the process that wrote the host file of a state folder; null where nobody can read that. */
export interface Listened {
  stateDir: string;
  host: HostFile['host'] | null;
}

/** Watches over a conversation with a host. */
export interface SilenceWatch {
  /** To be called with every message of the host's. */
  heard: () => void;
  end: () => void;
}

/**
 * Sees to it that nobody waits for a host that says nothing: asks it once a second how it stands, which it answers in
 * every phase, and calls `onSilence` when answers stay away. Counts rounds and not time, so a command that itself stood
 * still (Ctrl-Z, a closed laptop) gives up nobody. Ends by itself when the socket closes.
 */
export function watchSilence(
  socket: Socket,
  listened: Listened,
  onSilence: (error: UnavailableError) => void,
  roundMs = ROUND_MS,
): SilenceWatch {
  let silent = 0;
  let isOver = false;
  const end = (): void => {
    isOver = true;
    clearInterval(timer);
  };
  const look = async (): Promise<void> => {
    silent += 1;
    send(socket, { type: 'status' });
    const stopped = listened.host !== null && (await isStopped(listened.host.pid));
    // A round may begin before the one before has seen how the process is.
    if (isOver || silent < (stopped ? STOPPED_ROUNDS : SILENT_ROUNDS)) return;
    end();
    onSilence(silentError(listened, stopped));
  };
  const timer = setInterval(() => void look(), roundMs);
  socket.once('close', end);
  return { heard: () => (silent = 0), end };
}

/** What to say of a host that does not answer, or does not end. */
export function silentError({ stateDir, host }: Listened, stopped: boolean): UnavailableError {
  if (host === null)
    return new UnavailableError(
      `The host of \`${stateDir}\` does not answer.`,
      `Its log is ${hostLog(stateDir)}; end it and try again.`,
    );
  const pid = String(host.pid);
  const message =
    `The host of \`${stateDir}\` (process ${pid}) does not ` +
    `answer${stopped ? ': it was stopped and stands still' : ''}.`;
  const goOn = stopped ? `Let it go on: kill -CONT ${pid}. Or end it` : `Its log is ${hostLog(stateDir)}. End it`;
  return new UnavailableError(message, `${goOn}: kill -9 ${pid}; the next command starts another, and open runs go on`);
}
