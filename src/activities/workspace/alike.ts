/** A command that may begin: the mounts by which it sees its workspace, and what is to be called when it has ended. */
export interface Begun {
  mounts: string[];
  end: () => void;
}

interface Command {
  workspace: string;
  /** Its mounts and files of its own, as a text. */
  sight: string;
  /** Files that it alone sees otherwise. */
  shown: string[];
  isRunning: boolean;
  ended: Promise<void>;
}

/** Those that run, and those that wait, in the order in which they came. */
const commands = new Set<Command>();

/**
 * Waits until no other command of the workspace runs that sees it by other mounts, and none like that came earlier.
 * `bwrap` looks each mount up by its path: what is no mount in the sandbox of another command, that one could exchange
 * just then for a link to anywhere, and the folder there would be shown. `mountsNow` looks at the workspace; `shown`
 * are files that it alone sees otherwise. Null where `signal` ends the waiting.
 */
export async function beginAlike(
  workspace: string,
  mountsNow: () => string[],
  signal: AbortSignal,
  shown: string[] = [],
): Promise<Begun | null> {
  const { own, end } = add(workspace, shown);
  const aborted = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  try {
    while (!signal.aborted) {
      const mounts = mountsNow();
      own.sight = JSON.stringify([mounts, shown]);
      const others = othersOf(own);
      if (others.length === 0) {
        own.isRunning = true;
        return { mounts, end };
      }
      await Promise.race([...others.map(({ ended }) => ended), aborted]);
    }
    return null;
  } finally {
    if (!own.isRunning) end();
  }
}

/** Tells whether a command sees something else in the place of a file: were that replaced, it would see the new one. */
export function isSeenOtherwise(file: string): boolean {
  return [...commands].some(({ shown }) => shown.includes(file));
}

/** The commands that one waits for. */
function othersOf(own: Command): Command[] {
  const all = [...commands];
  const earlier = all.indexOf(own);
  return all.filter(
    (other, index) =>
      other.workspace === own.workspace && other.sight !== own.sight && (other.isRunning || index < earlier),
  );
}

function add(workspace: string, shown: string[]): { own: Command; end: () => void } {
  let tell = (): void => undefined;
  const ended = new Promise<void>((resolve) => (tell = resolve));
  const own: Command = { workspace, sight: '', shown, isRunning: false, ended };
  commands.add(own);
  const end = (): void => {
    commands.delete(own);
    tell();
  };
  return { own, end };
}
