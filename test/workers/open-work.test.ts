import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MEMO } from '../../src/plan/names.js';
import { hasOpenWork } from '../../src/workers/open-work.js';
import type { TemporalLink } from '../../src/workers/temporal-link.js';
import { newFolder, openLink, waitFor } from './setting.js';

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

  it('is not a run that has ended', async () => {
    await start();
    await link.client.workflow.getHandle('w').terminate();
    await waitFor('its end', async () => !(await hasOpenWork(link.client)));
  });
});
