import type { Client } from '@temporalio/client';
import { INTERPRETER } from '../../plan/names.js';
import type { DeploymentVersion } from '../../plan/placement/deployment.js';
import { STARTER_PREFIX } from '../../plan/triggers/start.js';
import type { VersionServer } from './server-versions.js';
import { pinRun } from './server-versions.js';

/**
 * Pins an open run to a version, with its open nested runs and the workflow that started it by a trigger. Those that
 * begin later follow. Gives the ids of what was moved. Throws an UnavailableError where the version is not known.
 */
export async function moveRun(
  server: VersionServer & { client: Pick<Client, 'workflow'>; taskQueue: string },
  run: string,
  version: DeploymentVersion,
): Promise<string[]> {
  const tree = `(WorkflowId = '${run}' OR WorkflowId STARTS_WITH '${run}/')`;
  const own = `TaskQueue = '${server.taskQueue}' AND ${tree}`;
  const query = `WorkflowType = '${INTERPRETER}' AND ExecutionStatus = 'Running' AND ${own}`;
  const moved: string[] = [];
  for await (const { workflowId, parentExecution } of server.client.workflow.list({ query, pageSize: 1000 })) {
    const starter = parentExecution?.workflowId ?? '';
    for (const id of starter.startsWith(STARTER_PREFIX) ? [starter, workflowId] : [workflowId]) {
      await pinRun(server, id, version);
      moved.push(id);
    }
  }
  return moved.sort();
}
