import { RUN_TAG } from './tagged-processes.js';

/** What a command sees of the worker's environment, and nothing else (decision 3): no key of ours is in reach. */
const INHERITED = ['PATH', 'HOME', 'LANG', 'TZ', 'TMPDIR'] as const;

/**
 * The environment of a command: a little of the worker's, what the step declares, and the tag that tells whose it is.
 */
export function commandEnvironment(declared: Record<string, string>, tag: string): Record<string, string> {
  const inherited = INHERITED.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(inherited), ...declared, [RUN_TAG]: tag };
}
