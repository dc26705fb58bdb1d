import { killTagged } from './tagged-processes.js';

/** A command of this process, from before it is started until nothing of it shall be alive. */
export interface RunningCommand {
  /** Part of its tag; no other command of this process has had it. */
  number: number;
  /** Kills at once what is alive of commands that have ended, this one included: also what left the process group. */
  killRest: () => Promise<void>;
  /**
   * To be called at the end: what is left then is killed a little later, since the search costs more than a small
   * command.
   */
  release: () => void;
}

/** At most one search in this time, however many commands end. */
const SEARCH_MS = 2_000;

const running = new Set<number>();
let last = 0;
let search: NodeJS.Timeout | null = null;

/** Announces a command, so that what is alive under its number is not taken for something left behind (I5). */
export function announceCommand(): RunningCommand {
  const number = (last += 1);
  running.add(number);
  return {
    number,
    killRest: async () => {
      running.delete(number);
      await killLeft();
    },
    release: () => {
      running.delete(number);
      search ??= setTimeout(searchLater, SEARCH_MS).unref();
    },
  };
}

function searchLater(): void {
  search = null;
  killLeft().catch(() => undefined); // Searched again after the next command, and when this worker ends.
}

async function killLeft(): Promise<void> {
  await killTagged(({ tag }) => tag.worker === process.pid && !running.has(tag.command));
}
