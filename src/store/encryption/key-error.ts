/**
 * A key of `encryption` is missing, wrong or cannot be read. Exit code 5 of the command line. The hint says what to do.
 * Neither of them has any of a key in it (I13).
 */
export class KeyError extends Error {
  readonly hint: string | null;

  constructor(message: string, hint: string | null = null) {
    super(message);
    this.name = 'KeyError';
    this.hint = hint;
  }
}
