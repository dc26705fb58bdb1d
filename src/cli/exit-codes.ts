/** The exit codes of every command: a contract (docs/cli.md). */
export const EXIT = {
  success: 0,
  /** The run ended otherwise; partial is here too. */
  ended: 1,
  /** The definition or the usage is wrong; nothing was started. */
  usage: 2,
  /** No server, worker or model provider. */
  unavailable: 3,
  /** The run waits for a person (`--no-wait`). */
  waiting: 4,
  /** A key of `encryption` is missing, wrong or cannot be read. */
  keys: 5,
  /** Interrupted; the run goes on. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** A failure that is told in one sentence. `hint` says how to go on; `exit` is what the process ends with. */
export class CliError extends Error {
  readonly exit: ExitCode;
  readonly hint: string | null;

  constructor(message: string, exit: ExitCode, hint: string | null = null) {
    super(message);
    this.name = 'CliError';
    this.exit = exit;
    this.hint = hint;
  }
}

/** The usage or the definition is wrong, and nothing was started. */
export function usageError(message: string, hint: string | null = null): CliError {
  return new CliError(message, EXIT.usage, hint);
}

/** What was asked cannot be done as things stand: an unknown run, a refused decision. */
export function refusal(message: string, hint: string | null = null): CliError {
  return new CliError(message, EXIT.ended, hint);
}
