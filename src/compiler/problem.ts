/**
 * Every problem the compiler can find, and what it means. Closed; a test fails when a code lacks its row in
 * `docs/problems.md` or its file in `definitions/invalid/`.
 */
export const PROBLEM_CODES = {
  'unreadable-file': 'The file cannot be read, is no regular file, or is too big.',
} as const;

export type ProblemCode = keyof typeof PROBLEM_CODES;

/** One finding of the compiler. `line` and `column` count from 1. */
export interface Problem {
  code: ProblemCode;
  severity: 'error' | 'warning';
  message: string;
  /** Where in the document: `steps[2].agent`. */
  path: string;
  /** Relative to the folder the command ran in, with forward slashes. */
  file: string;
  line: number;
  column: number;
  /** Characters that the caret underlines, at least 1. */
  length: number;
  /** How to mend it, or null when the message says it all. */
  suggestion: string | null;
}
