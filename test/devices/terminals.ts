import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { temporaryFolder } from '../activities/helpers/harness.js';
import { startProgram } from '../fakes/start-program.js';
import { until } from '../faults/project.js';

/** A pseudo terminal in front of a TCP port; its other end is gone with `stop`. */
export async function terminalTo(port: number): Promise<{ path: string; stop: () => void }> {
  const link = join(await temporaryFolder(), 'tty');
  const child = await startProgram('socat', [`PTY,link=${link},raw,echo=0`, `TCP:127.0.0.1:${port}`]);
  const stop = (): void => void child.kill('SIGKILL');
  onTestFinished(stop);
  return { path: await until(() => realpath(link).catch(() => null)), stop };
}
