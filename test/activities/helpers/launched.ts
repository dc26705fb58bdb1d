import { join } from 'node:path';
import { vi } from 'vitest';
import { runProcess } from '../../../src/activities/processes/groups/process-group.js';
import { useLauncher } from '../../../src/activities/processes/groups/start-process.js';
import { listTagged } from '../../../src/activities/processes/tagged-processes.js';
import { packageRoot } from '../../../src/store/folders/package-root.js';

/** Has this process start programs by a launcher, and waits until it does. Gives how to end that. */
export async function withLauncher(): Promise<() => void> {
  const leave = useLauncher({
    program: join(packageRoot(), 'dist', 'activities', 'processes', 'launcher', 'main.js'),
    store: `launched-${process.pid}`,
  });
  await vi.waitUntil(isLaunched, { timeout: 90_000 });
  return leave;
}

/** The pid of this process's launcher, if it has one. */
export async function launcherPid(): Promise<number | null> {
  const found = (await listTagged()).find(({ tag }) => tag.worker === process.pid && tag.run === 'launcher');
  return found?.pid ?? null;
}

/** Whether the next program is started by the launcher. */
export async function isLaunched(): Promise<boolean> {
  const parent: Buffer[] = [];
  await runProcess({
    file: '/bin/sh',
    args: ['-c', 'echo $PPID'],
    cwd: '/',
    env: {},
    stdin: null,
    signal: new AbortController().signal,
    killRest: async () => undefined,
    onStdout: (chunk) => parent.push(chunk),
    onStderr: () => undefined,
  });
  return Number(Buffer.concat(parent).toString()) === (await launcherPid());
}
