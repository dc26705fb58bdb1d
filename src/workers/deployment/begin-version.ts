import { setTimeout as pause } from 'node:timers/promises';
import type { Connection } from '@temporalio/client';
import type { DeploymentVersion } from '../../plan/placement/deployment.js';
import { isSameVersion, versionText } from '../../plan/placement/deployment.js';
import { queueState } from '../connection/task-queue.js';
import { UnavailableError } from '../errors.js';
import { hasVersion, makeCurrent, readDeployment } from './server-versions.js';
import { shellCommand } from '../../plan/text/shell-command.js';

/** A server hears of a version by its first poll, and keeps it by workflows of its own. */
const KNOWN_MS = 60_000;
const LOOK_MS = 100;

interface Begin {
  connection: Connection;
  namespace: string;
  taskQueue: string;
  version: DeploymentVersion;
  identity: string;
}

/**
 * Waits until the server knows the version of a worker that polls. Where no version takes new runs of the queue, and no
 * worker without a version does, it takes them from now on: so a first one needs no command. Gives what to tell of who
 * takes them else. Throws an UnavailableError where the server does not come to know it within a minute.
 */
export async function beginVersion({ version, taskQueue, ...server }: Begin): Promise<string | null> {
  const { connection, namespace } = server;
  const named = versionText(version);
  for (const until = Date.now() + KNOWN_MS; ; await pause(LOOK_MS)) {
    const deployment = await readDeployment(server, version.name);
    const { current, pollers } = await queueState(connection, namespace, taskQueue);
    if (current !== null) return isSameVersion(current, version) ? null : othersTake(versionText(current), named);
    if (deployment !== null && hasVersion(deployment, version)) {
      if (pollers.some((poller) => poller.version === null)) return othersTake('workers without a version', named);
      // Of two that begin together one is refused, and sees the other one.
      await makeCurrent(server, { version, token: deployment.token }).catch(() => undefined);
    }
    if (Date.now() > until)
      throw new UnavailableError(
        `The Temporal server does not come to know the version \`${named}\`.`,
        'Servers from 1.29 on do, where worker deployments are not turned off.',
      );
  }
}

function othersTake(who: string, named: string): string {
  return `new runs go to ${who}; to have this version take them: ${shellCommand('perdure deployment use', [named])}`;
}
