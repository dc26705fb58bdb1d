/** How a command sees its workspace, and what of it is kept from it. */
export interface Sight {
  mounts: string[];
  /**
   * The same without what they have for sockets, which come and go, and which files and folders they are: what stands
   * anew at one of these paths, no other command holds fast.
   */
  basis: string[];
  /** Whether it can begin among others: it mounts no folder that may be gone at any time. */
  isSteady: boolean;
  /** Sockets that lead to nobody by these mounts. */
  sockets: string[];
  /** Places that it must not write, mounted or not there. */
  kept: string[];
  /** What more places, which come to be meanwhile, are known by. */
  patterns: string[];
}

/** A command that may begin, and what is to be called when it has ended. */
export type Begun = Sight & { end: () => void };

interface Command {
  workspace: string;
  /** Its mounts, what is kept from it and files of its own, as a text. */
  sight: string;
  sockets: string[];
  /** Files that it alone sees otherwise. */
  shown: string[];
  isRunning: boolean;
  ended: Promise<void>;
}

/** Those that run, and those that wait, in the order in which they came. */
const commands = new Set<Command>();
/** How many have ended, by their workspace. */
const ends = new Map<string, number>();

/**
 * Waits until no other command of the workspace runs that sees it by other mounts or from which other places are kept,
 * and none like that came earlier. `bwrap` looks each mount up by its path: what is no mount in the sandbox of another
 * command, that one could exchange just then for a link to anywhere, and the folder there would be shown. And what a
 * command may make is put back at the end of one that may not. What was removed and made anew since is no mount in
 * those that run, whatever their mounts were; nor is what may be removed just then. `look` looks at the workspace,
 * and may throw; `shown` are files that it alone sees otherwise. Null where `signal` ends the waiting.
 *
 * `look` is told the sockets that all have who run, null where none does: with mounts for other ones a command would
 * have to wait for these, and they reach who listens there anyway.
 */
export async function beginAlike(
  workspace: string,
  look: (shared: string[] | null) => Sight,
  signal: AbortSignal,
  shown: string[] = [],
): Promise<Begun | null> {
  const { own, end } = add(workspace, shown);
  const aborted = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  try {
    while (!signal.aborted) {
      const seen = look(sharedSockets(workspace));
      own.sight = JSON.stringify([seen.basis, [...seen.kept].sort(), seen.patterns, shown]);
      const others = othersOf(own, seen.isSteady);
      if (others.length === 0) {
        own.isRunning = true;
        own.sockets = seen.sockets;
        return { ...seen, end };
      }
      await Promise.race([...others.map(({ ended }) => ended), aborted]);
    }
    return null;
  } finally {
    if (!own.isRunning) end();
  }
}

/** Changes when a command of a workspace ends: what was looked for before may be another by then. */
export function endsIn(workspace: string): number {
  return ends.get(workspace) ?? 0;
}

/** Tells whether a command sees something else in the place of a file: were that replaced, it would see the new one. */
export function isSeenOtherwise(file: string): boolean {
  return [...commands].some(({ shown }) => shown.includes(file));
}

function sharedSockets(workspace: string): string[] | null {
  const [first, ...others] = [...commands].filter((other) => other.workspace === workspace && other.isRunning);
  return first?.sockets.filter((path) => others.every(({ sockets }) => sockets.includes(path))) ?? null;
}

/** The commands that one waits for. */
function othersOf(own: Command, isSteady: boolean): Command[] {
  const all = [...commands];
  const earlier = all.indexOf(own);
  return all.filter(
    (other, index) =>
      other.workspace === own.workspace &&
      (other.sight !== own.sight || !isSteady) &&
      (other.isRunning || index < earlier),
  );
}

function add(workspace: string, shown: string[]): { own: Command; end: () => void } {
  let tell = (): void => undefined;
  const ended = new Promise<void>((resolve) => (tell = resolve));
  const own: Command = { workspace, sight: '', sockets: [], shown, isRunning: false, ended };
  commands.add(own);
  const end = (): void => {
    commands.delete(own);
    ends.set(workspace, endsIn(workspace) + 1);
    tell();
  };
  return { own, end };
}
