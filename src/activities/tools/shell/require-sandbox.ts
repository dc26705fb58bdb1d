import { stepFailure } from '../../failures.js';
import { NO_SANDBOX, findSandbox } from './sandbox.js';

/**
 * Looks for the sandbox of this worker's machine, as the first thing of a run that needs one. Throws `sandbox-missing`.
 */
export function createRequireSandbox(): () => Promise<void> {
  return async () => {
    if ((await findSandbox()) === null)
      throw stepFailure(
        'sandbox-missing',
        `The run needs a sandbox for what its agents run, and nothing was started. ${NO_SANDBOX}`,
      );
  };
}
