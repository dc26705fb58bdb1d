// @seconds 25
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { defaultPayloadConverter } from '@temporalio/common';
import { msToTs } from '@temporalio/common/lib/time.js';
import { MEMO } from '../../src/plan/names.js';
import { hasOpenWork } from '../../src/workers/open-work.js';
import type { TemporalLink } from '../../src/workers/temporal-link.js';
import { newFolder, openLink, waitFor } from './setting.js';

type Service = TemporalLink['client']['workflowService'];
type Commands = NonNullable<Parameters<Service['respondWorkflowTaskCompleted']>[0]['commands']>;
/** `COMMAND_TYPE_START_TIMER` of Temporal's API. */
const START_TIMER = 3;

describe('open work', () => {
  let link: TemporalLink;
  beforeEach(async () => {
    link = await openLink(newFolder());
  });
  afterEach(() => link.close());

  const start = async (memo?: Record<string, unknown>): Promise<void> => {
    const options = { taskQueue: 'nobody', workflowId: 'w', ...(memo === undefined ? {} : { memo }) };
    await link.client.workflow.start('kept', options);
    await waitFor('visibility', async () => (await link.client.workflow.count('ExecutionStatus = "Running"')).count === 1);
  };

  /** Does what a worker would do with the next workflow task. */
  const answerTask = async (commands: Commands): Promise<void> => {
    const { workflowService, options: { namespace } } = link.client;
    const { taskToken } = await link.client.connection.withDeadline(Date.now() + 30_000, () => workflowService.pollWorkflowTaskQueue({ namespace, taskQueue: { name: 'nobody' }, identity: 'test' }));
    await workflowService.respondWorkflowTaskCompleted({ namespace, taskToken, identity: 'test', commands });
  };

  it('is none where there is no run', async () => {
    expect(await hasOpenWork(link.client)).toBe(false);
  });

  it('is a run that a worker could go on with', async () => {
    await start();
    expect(await hasOpenWork(link.client)).toBe(true);
  });

  it('is not a run that only waits for people', async () => {
    await start({ [MEMO.waiting]: [{ path: 'approve' }] });
    expect(await hasOpenWork(link.client)).toBe(false);
  });

  it('is a run whose gates are all decided', async () => {
    await start({ [MEMO.waiting]: [] });
    expect(await hasOpenWork(link.client)).toBe(true);
  });

  it('is a time that passes, and what is to follow it, until a worker has seen that it is over', async () => {
    await start({ [MEMO.waiting]: [{ path: 'approve' }] });
    const isTimerOver = async (): Promise<boolean> => ((await link.client.workflow.getHandle('w').fetchHistory()).events ?? []).some(({ timerFiredEventAttributes: fired }) => fired != null);
    await answerTask([{ commandType: START_TIMER, startTimerCommandAttributes: { timerId: '1', startToFireTimeout: msToTs(1_000) }, userMetadata: { summary: defaultPayloadConverter.toPayload('a wait') } }]);
    expect(await hasOpenWork(link.client)).toBe(true);
    await waitFor('the timer', isTimerOver);
    expect(await hasOpenWork(link.client)).toBe(true);
    await answerTask([]);
    expect(await hasOpenWork(link.client)).toBe(false);
  });

  it('is not a run that has ended', async () => {
    await start();
    await link.client.workflow.getHandle('w').terminate();
    await waitFor('its end', async () => !(await hasOpenWork(link.client)));
  });
});
