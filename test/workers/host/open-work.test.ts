import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { defaultPayloadConverter } from '@temporalio/common';
import { msToTs } from '@temporalio/common/lib/time.js';
import { MEMO } from '../../../src/plan/names.js';
import { hasOpenWork } from '../../../src/workers/host/open-work.js';
import type { TemporalServer } from '../../workflows/helpers/temporal-server.js';
import { startTemporal } from '../../workflows/helpers/temporal-server.js';
import { endWithEachTest, waitFor } from '../helpers/setting.js';

endWithEachTest();

type Service = TemporalServer['client']['workflowService'];
type Commands = NonNullable<Parameters<Service['respondWorkflowTaskCompleted']>[0]['commands']>;
/** `COMMAND_TYPE_START_TIMER` of Temporal's API. */
const START_TIMER = 3;

const server = await startTemporal();

describe('open work', () => {
  // Without a host: nobody looks after these runs.
  afterAll(() => server.close());
  afterEach(async () => {
    for await (const { workflowId } of server.client.workflow.list({ query: 'ExecutionStatus = "Running"' }))
      await server.client.workflow.getHandle(workflowId).terminate();
    await waitFor(
      'the end of all runs',
      async () => (await server.client.workflow.count('ExecutionStatus = "Running"')).count === 0,
    );
  });

  const start = async (memo?: Record<string, unknown>): Promise<void> => {
    const options = { taskQueue: 'nobody', workflowId: 'w', ...(memo === undefined ? {} : { memo }) };
    // Its tasks are answered by a test, which a busy machine may keep waiting.
    await server.client.workflow.start('kept', { ...options, workflowTaskTimeout: '2 minutes' });
    await waitFor(
      'visibility',
      async () => (await server.client.workflow.count('ExecutionStatus = "Running"')).count === 1,
    );
  };

  /** Does what a worker would do with the next workflow task. */
  const answerTask = async (commands: Commands): Promise<void> => {
    const {
      workflowService,
      options: { namespace },
    } = server.client;
    const { taskToken } = await server.client.connection.withDeadline(Date.now() + 30_000, () =>
      workflowService.pollWorkflowTaskQueue({ namespace, taskQueue: { name: 'nobody' }, identity: 'test' }),
    );
    await workflowService.respondWorkflowTaskCompleted({ namespace, taskToken, identity: 'test', commands });
  };

  it('is none where there is no run', async () => {
    expect(await hasOpenWork(server.client)).toBe(false);
  });

  it('is a run that a worker could go on with', async () => {
    await start();
    expect(await hasOpenWork(server.client)).toBe(true);
  });

  it('is not a run that only waits for people', async () => {
    await start({ [MEMO.waiting]: [{ path: 'approve' }] });
    expect(await hasOpenWork(server.client)).toBe(false);
  });

  it('is a run whose gates are all decided', async () => {
    await start({ [MEMO.waiting]: [] });
    expect(await hasOpenWork(server.client)).toBe(true);
  });

  it('is a time that passes, and what is to follow it, until a worker has seen that it is over', async () => {
    await start({ [MEMO.waiting]: [{ path: 'approve' }] });
    const isTimerOver = async (): Promise<boolean> =>
      ((await server.client.workflow.getHandle('w').fetchHistory()).events ?? []).some(
        ({ timerFiredEventAttributes: fired }) => fired != null,
      );
    await answerTask([
      {
        commandType: START_TIMER,
        startTimerCommandAttributes: { timerId: '1', startToFireTimeout: msToTs(1_000) },
        userMetadata: { summary: defaultPayloadConverter.toPayload('a wait') },
      },
    ]);
    expect(await hasOpenWork(server.client)).toBe(true);
    await waitFor('the timer', isTimerOver);
    expect(await hasOpenWork(server.client)).toBe(true);
    await answerTask([]);
    expect(await hasOpenWork(server.client)).toBe(false);
  });

  it('is not a run that has ended', async () => {
    await start();
    await server.client.workflow.getHandle('w').terminate();
    await waitFor('its end', async () => !(await hasOpenWork(server.client)));
  });
});
