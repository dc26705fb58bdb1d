import type { Report } from '../../problems/problem.js';

/** Where files are imported: problems, and the texts that they point into. */
export interface ImportContext {
  /** The folder that the command runs in. */
  cwd: string;
  /** The root of the project. */
  root: string;
  report: Report;
  sources: Map<string, string>;
}
