/** What a command sees of the worker's environment, and nothing else (decision 3): no key of ours is in reach (S22). */
const INHERITED = ['PATH', 'HOME', 'LANG', 'TZ', 'TMPDIR'] as const;

/** Tells whose process this is, so that what a killed worker left behind can be found and killed (F30). */
const RUN_TAG = 'PERDURE_RUN_TAG';

/** The environment of a command: a little of the worker's, what the step declares, and the tag `<store>:<pid>:<run>`. */
export function commandEnvironment(declared: Record<string, string>, tag: string): Record<string, string> {
  const inherited = INHERITED.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(inherited), ...declared, [RUN_TAG]: tag };
}
