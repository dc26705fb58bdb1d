/** Which worker has the workspace of a run, and what was kept of it. */
export interface Home {
  /** The worker that has it; null where it was given back. */
  holder: string | null;
  /** Whether that worker is there: it was seen a short while ago. */
  isThere: boolean;
  /** Grows each time it is taken: who has a smaller one is out. */
  fence: number;
  /** What was kept last; null before. */
  state: string | null;
}

/** Workspaces that go from worker to worker, by root run. */
export interface HomeBook {
  readHome(run: string): Promise<Home | null>;
  /** Keeps the files that a run begins with, for the worker that takes it first; nothing where it is known. */
  offerHome(run: string, state: string): Promise<void>;
  /**
   * Takes a workspace whose holder has given it back or is lost, or that nobody has had, as it was read; null for none.
   * Gives its fence from then on; null where another was faster, or the holder is there after all.
   */
  takeHome(run: string, worker: string, home: Home | null): Promise<number | null>;
  /** Keeps what stands there now; false where another has taken it. */
  keepHome(run: string, held: { worker: string; fence: number }, state: string): Promise<boolean>;
  /** Gives back all that a worker has. */
  releaseHomes(worker: string): Promise<void>;
}
