import { Connection } from '@temporalio/client';
import { expect, it, onTestFinished, vi } from 'vitest';
import { claimQueue } from '../../../src/workers/connection/queue-claim.js';
import { pollersAt } from '../../../src/workers/connection/task-queue.js';
import { startTemporal } from '../../workflows/helpers/temporal-server.js';

const NAMESPACE = 'default';
const OWN = { id: 'aaaaaaaa' };
const OTHER = { id: 'bbbbbbbb' };

it.each([
  ['is right', 0],
  ['is two minutes ahead', 120_000],
  ['is two minutes behind', -120_000],
])('a queue that workers of another store poll is claimed by nobody whose clock %s', async (_, skew) => {
  const server = await startTemporal();
  onTestFinished(() => server.close());
  const connection = await Connection.connect({ address: server.address });
  onTestFinished(() => connection.close());
  const queue = { connection, namespace: NAMESPACE, taskQueue: 'team', keys: null };
  // A poll as a worker makes one: it is open until somebody has work, or for a minute.
  const over = new AbortController();
  onTestFinished(() => over.abort());
  const request = {
    ...{ namespace: NAMESPACE, taskQueue: { name: 'team' } },
    identity: `1@host/${OTHER.id}`,
  };
  const polls = connection.withDeadline(Date.now() + 60_000, () =>
    connection.withAbortSignal(over.signal, () => connection.workflowService.pollWorkflowTaskQueue(request)),
  );
  polls.catch(() => undefined); // the test is over
  await expect.poll(() => pollersAt(connection, NAMESPACE, 'team')).toHaveLength(1);
  const now = Date.now.bind(Date);
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => now() + skew);
  onTestFinished(() => clock.mockRestore());
  await expect(claimQueue(queue, OWN)).rejects.toMatchObject({ name: 'UnavailableError' });
  // Nothing of the refused claim stands in the way of who may have it.
  await expect(claimQueue(queue, OTHER)).resolves.toBe(undefined);
});
