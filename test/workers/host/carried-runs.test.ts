import type { Client } from '@temporalio/client';
import { WorkflowNotFoundError } from '@temporalio/client';
import { describe, expect, it } from 'vitest';
import { MEMO } from '../../../src/plan/names.js';
import { endCarriedRuns } from '../../../src/workers/host/carried-runs.js';

/** The server of a copied store with one open run, of which it says this. */
function serverWhere(says: () => Promise<unknown>): { client: Client; ended: string[] } {
  const ended: string[] = [];
  const listed = async function* (of: object[]): AsyncGenerator {
    yield* of;
  };
  const client = {
    schedule: { list: () => listed([]) },
    workflow: {
      list: ({ query }: { query: string }) => listed(query.includes("'perdure'") ? [{ workflowId: 'run/step' }] : []),
      getHandle: (id: string) => ({ describe: says, terminate: () => Promise.resolve(ended.push(id)) }),
    },
  };
  return { client: client as unknown as Client, ended };
}

const COPY = { id: 'copy', copiedFrom: '/original' };

describe('an open run that a copied store has', () => {
  it('is ended where it is the original’s, and stays where nobody knows whose it is', async () => {
    const theirs = serverWhere(() => Promise.resolve({ memo: { [MEMO.store]: 'original' } }));
    expect(await endCarriedRuns(theirs.client, COPY)).toEqual(['run']);
    expect(theirs.ended).toEqual(['run/step']);
    const nobodys = serverWhere(() => Promise.reject(new WorkflowNotFoundError('gone', 'run', undefined)));
    expect(await endCarriedRuns(nobodys.client, COPY)).toEqual([]);
  });

  it('is not gone on with where the server does not say whose it is', async () => {
    const { client } = serverWhere(() => Promise.reject(new Error('14 UNAVAILABLE')));
    await expect(endCarriedRuns(client, COPY)).rejects.toThrow('UNAVAILABLE');
  });
});
