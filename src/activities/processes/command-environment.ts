import { outsideFirst } from '../../store/processes/search-path.js';
import { RUN_TAG } from './tagged-processes.js';

/** What a command sees of the worker's environment, and nothing else (decision 3): no key of ours is in reach. */
const INHERITED = ['PATH', 'HOME', 'LANG', 'TZ', 'TMPDIR'] as const;

/**
 * The environment of a command: a little of the worker's, what the step declares, and the tag that tells whose it is.
 * Programs of packages are found last: `npx` and `npm run` put those of the workspace first, where an agent may have
 * put one under the name of another.
 */
export function commandEnvironment(declared: Record<string, string>, tag: string): Record<string, string> {
  const inherited = INHERITED.flatMap((name) => {
    const value = name === 'PATH' ? outsideFirst(process.env[name], null) : process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(inherited), ...declared, [RUN_TAG]: tag };
}
