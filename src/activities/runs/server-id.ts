import type { Client } from '@temporalio/client';

/**
 * Names the server, and the namespace there, that a client works with: the id that a namespace was given when it was
 * made (`DescribeNamespace` of Temporal's API). No other has it, also not one of the same name and address.
 */
export async function serverIdOf({ workflowService, options }: Client): Promise<string> {
  const { namespaceInfo } = await workflowService.describeNamespace({ namespace: options.namespace });
  return namespaceInfo?.id ?? '';
}
