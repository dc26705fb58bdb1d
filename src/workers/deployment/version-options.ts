import type { WorkerOptions } from '@temporalio/worker';
import type { WorkerDeployment } from '../../plan/placement/deployment.js';

/** What the SDK is told of the version of a worker; nothing for a worker of none. */
export function versionOptions(deployment: WorkerDeployment | null): Pick<WorkerOptions, 'workerDeploymentOptions'> {
  if (deployment === null) return {};
  const { name, build, behavior } = deployment;
  return {
    workerDeploymentOptions: {
      version: { deploymentName: name, buildId: build },
      useWorkerVersioning: true,
      defaultVersioningBehavior: behavior === 'pinned' ? 'PINNED' : 'AUTO_UPGRADE',
    },
  };
}
