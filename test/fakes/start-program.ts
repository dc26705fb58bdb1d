import { spawn } from 'node:child_process';
import type { ChildProcess, SpawnOptions } from 'node:child_process';
import { once } from 'node:events';

/**
 * Starts a program of the machine. Fails at once where it is missing: what waits for its work would wait until a test's
 * time is up.
 */
export async function startProgram(
  name: string,
  args: string[],
  options: SpawnOptions = { stdio: 'ignore' },
): Promise<ChildProcess> {
  const child = spawn(name, args, options);
  await once(child, 'spawn').catch((error: unknown) =>
    Promise.reject(new Error(`Cannot start \`${name}\`, which \`scripts/needs.mjs\` should name: ${String(error)}`)),
  );
  return child;
}
