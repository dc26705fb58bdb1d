import { Connection } from '@temporalio/client';
import { SEARCH_ATTRIBUTES } from '../../plan/names.js';
import { NAMESPACE, OWN_SERVER } from './connect.js';

/** Closed runs stay in history for so long (decision 7). */
const RETENTION_MS = 90 * 24 * 60 * 60 * 1000;
/** `INDEXED_VALUE_TYPE_KEYWORD` of Temporal's API. */
const KEYWORD = 2;

/**
 * Connects to a server of ours that has just been started, and sets what its flags cannot: retention, and search
 * attributes that its database, made by an older Perdure, lacks. Throws when it does not answer, or is the server of
 * another database, which has no namespace `mark`.
 */
export async function settleServer(address: string, mark: string): Promise<void> {
  const connection = await Connection.connect({ address, ...OWN_SERVER });
  try {
    await connection.workflowService.describeNamespace({ namespace: mark });
    await setRetention(connection);
    await addSearchAttributes(connection, NAMESPACE, await missingSearchAttributes(connection, NAMESPACE));
  } finally {
    await connection.close();
  }
}

async function setRetention(connection: Connection): Promise<void> {
  const { config } = await connection.workflowService.describeNamespace({ namespace: NAMESPACE });
  if (Number(config?.workflowExecutionRetentionTtl?.seconds ?? 0) * 1000 === RETENTION_MS) return;
  // Protobuf's 64-bit fields take a plain number where it is exact.
  const seconds = (RETENTION_MS / 1000) as unknown as Long;
  await connection.workflowService.updateNamespace({
    namespace: NAMESPACE,
    config: { workflowExecutionRetentionTtl: { seconds } },
  });
}

type UpdateNamespace = Parameters<Connection['workflowService']['updateNamespace']>[0];
type Long = NonNullable<
  NonNullable<NonNullable<UpdateNamespace['config']>['workflowExecutionRetentionTtl']>['seconds']
>;

/** Names of ours that the server does not know. */
export async function missingSearchAttributes(connection: Connection, namespace: string): Promise<string[]> {
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
  return Object.values(SEARCH_ATTRIBUTES).filter((name) => Number(customAttributes?.[name]) !== KEYWORD);
}

/** Makes search attributes of ours in a namespace that lacks them. */
export async function addSearchAttributes(connection: Connection, namespace: string, names: string[]): Promise<void> {
  if (names.length === 0) return;
  const searchAttributes = Object.fromEntries(names.map((name) => [name, KEYWORD]));
  await connection.operatorService.addSearchAttributes({ namespace, searchAttributes });
}
