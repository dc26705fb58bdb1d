/** One piece of what an agent or a command wrote. */
export interface LogLine {
  /** ISO 8601, UTC. */
  at: string;
  stream: 'stdout' | 'stderr' | 'text' | 'note';
  text: string;
}

/** An open log of one try of one step. Writes are ordered. */
export interface LogWriter {
  /** `at` is now when left out. */
  write(stream: LogLine['stream'], text: string, at?: string): void;
  /**
   * The same for words that are kept elsewhere too, as a model's are in the journal: unless something is written after
   * them, they get into the file when what the step came to is on its way. Nobody waits for them, and none is told if
   * they do not.
   */
  writeLast(stream: LogLine['stream'], text: string, at?: string): void;
  close(): Promise<void>;
}
