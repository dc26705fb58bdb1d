import { runProcess } from '../../../processes/groups/process-group.js';
import { holdInNetwork } from './attach.js';
import { NoNetwork, findNetwork } from './network.js';

/** Makes a network for a program that does nothing; gives why there can be none, or null. */
export async function tryNetwork(): Promise<string | null> {
  try {
    const { attach, ...held } = holdInNetwork({ file: '/bin/true', args: [] }, findNetwork(), 'try');
    await runProcess({
      ...held,
      pipes: 1,
      attend: attach,
      cwd: '/',
      env: { PATH: '/usr/bin:/bin' },
      stdin: null,
      signal: new AbortController().signal,
      onStdout: () => undefined,
      onStderr: () => undefined,
      killRest: async () => undefined,
    });
    return null;
  } catch (error) {
    if (error instanceof NoNetwork) return error.message;
    throw error;
  }
}
