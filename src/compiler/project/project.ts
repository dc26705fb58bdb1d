import { dirname, join, resolve } from 'node:path';
import { kindOf } from '../text/disk.js';

/** The folder that a person's definitions, configuration and state belong to (decision 15). */
export interface Project {
  /** Absolute. */
  root: string;
  /** Server database, store, runs and logs: `.perdure/` below the root, or `PERDURE_STATE_DIR`. */
  stateDir: string;
  /** Absolute path of `perdure.yml`, or null when there is none. */
  configFile: string | null;
}

/** The nearest folder upwards with `perdure.yml`, else with `.git`, else the folder itself. */
export function findProject(cwd: string): Project {
  const start = resolve(cwd);
  const root = nearest(start, 'perdure.yml') ?? nearest(start, '.git') ?? start;
  const configFile = join(root, 'perdure.yml');
  const { PERDURE_STATE_DIR: stateDir } = process.env;
  return {
    root,
    stateDir: stateDir ? resolve(start, stateDir) : join(root, '.perdure'),
    configFile: kindOf(configFile) === 'missing' ? null : configFile,
  };
}

function nearest(start: string, name: string): string | null {
  for (let folder = start; ; folder = dirname(folder)) {
    if (kindOf(join(folder, name)) !== 'missing') return folder;
    if (dirname(folder) === folder) return null;
  }
}
