import type { Client } from '@temporalio/client';

type Page = Awaited<ReturnType<Client['workflowService']['listWorkflowExecutions']>>;
/** What the server's list tells of a run, as it came. */
export type Listed = NonNullable<Page['executions']>[number];

/** Runs of a page. */
const PAGE = 1_000;

/** All runs of a query, in pages of which no payload is decoded; the server makes the next one meanwhile. */
export async function* listPages(client: Client, query: string): AsyncGenerator<Listed[]> {
  const { namespace } = client.options;
  const ask = (nextPageToken?: Uint8Array): Promise<Page> =>
    client.workflowService.listWorkflowExecutions({
      ...{ namespace, query, pageSize: PAGE },
      ...(nextPageToken === undefined ? {} : { nextPageToken }),
    });
  for (let asked: Promise<Page> | null = ask(); asked !== null;) {
    const { executions, nextPageToken }: Page = await asked;
    asked = nextPageToken && nextPageToken.length > 0 ? ask(nextPageToken) : null;
    // Awaited in the next round; until then a failure is nobody's.
    asked?.catch(() => {});
    yield executions ?? [];
  }
}
