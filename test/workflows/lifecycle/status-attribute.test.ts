import { readFile } from 'node:fs/promises';
import { SearchAttributeType, defineSearchAttributeKey } from '@temporalio/common';
import { Worker } from '@temporalio/worker';
import { describe, expect, it } from 'vitest';
import { SEARCH_ATTRIBUTES } from '../../../src/plan/names.js';
import { body, commandStep, needs, plan, stepBase } from '../../plan/helpers/build-plan.js';
import { until } from '../../faults/project.js';
import { approval, createPeople } from '../helpers/gate-setting.js';
import type { RunHandle } from '../helpers/harness.js';
import { harnessOfFile } from '../helpers/harness.js';
import { sendSteer } from '../helpers/updating.js';

const harness = await harnessOfFile({}, ['--search-attribute', `${SEARCH_ATTRIBUTES.status}=Keyword`]);
const people = createPeople(harness);
const settings = { status_attribute: true as const };

async function said(run: string): Promise<unknown> {
  const { typedSearchAttributes } = await harness.client.workflow.getHandle(run).describe();
  return typedSearchAttributes.get(defineSearchAttributeKey(SEARCH_ATTRIBUTES.status, SearchAttributeType.KEYWORD));
}

async function replays({ workflowId }: RunHandle): Promise<void> {
  const code = await readFile(new URL('../../../dist/workflow-bundle.js', import.meta.url), 'utf8');
  const history = await harness.client.workflow.getHandle(workflowId).fetchHistory();
  await Worker.runReplayHistory({ workflowBundle: { code } }, history, workflowId);
}

const upserts = async (run: string): Promise<number> =>
  (await harness.events(run)).filter(({ type }) => type === 'upsertWorkflowSearchAttributes').length;

describe('the search attribute of how a run stands', () => {
  it('says that the run waits, goes on and has succeeded, and its history replays', async () => {
    const handle = await harness.start(plan([approval(0, { id: 'a' }), approval(1, { id: 'b' })]), { settings });
    const [a, b] = await people.open(handle.workflowId, 2);
    expect(await said(handle.workflowId)).toBe('waiting');
    for (const gate of [a!, b!])
      await people.decide(handle.workflowId, { gate: gate.path, decision: 'approve', hash: gate.hash, by: 'ana' });
    expect((await handle.result()).status).toBe('success');
    expect(await said(handle.workflowId)).toBe('success');
    await replays(handle);
  });

  it('says that the run is paused, also after it has continued as new', async () => {
    const steps = [commandStep(0, ['true']), commandStep(1, ['true'], { needs: needs(0) })];
    const handle = await harness.start(
      plan([...steps, approval(2, { id: 'a', needs: needs(1) }), commandStep(3, ['true'], { needs: needs(2) })]),
      { settings, linkSteps: 1 },
    );
    const [gate] = await people.open(handle.workflowId);
    const by = 'ana';
    await sendSteer(harness.client.workflow.getHandle(handle.workflowId), { id: 'p', by, kind: 'pause' });
    await until(async () => (await said(handle.workflowId)) === 'paused');
    await people.decide(handle.workflowId, { gate: 'a', decision: 'approve', hash: gate!.hash, by });
    await until(async () => (await said(handle.workflowId)) === 'paused');
    await sendSteer(harness.client.workflow.getHandle(handle.workflowId), { id: 'r', by, kind: 'resume' });
    expect((await handle.result()).status).toBe('success');
    expect(await said(handle.workflowId)).toBe('success');
  });

  it('says of a nested run that it ended in part, and nothing where Temporal itself tells all', async () => {
    const nested = {
      'sha256:good': body([commandStep(0, ['true'])], { name: 'good' }),
      'sha256:half': body([commandStep(0, ['false'], { on_error: 'continue' }), commandStep(1, ['true'])], {
        name: 'half',
      }),
    };
    const child = (index: number, name: 'good' | 'half') => ({
      ...stepBase(index, { id: name, on_error: 'continue' as const }),
      kind: 'workflow' as const,
      workflow: name,
      plan: `sha256:${name}` as const,
      inputs: {},
    });
    const handle = await harness.start(plan([child(0, 'good'), child(1, 'half')], { nested }), { settings });
    expect((await handle.result()).status).toBe('partial');
    expect(await said(handle.workflowId)).toBe('partial');
    expect(await said(`${handle.workflowId}/half`)).toBe('partial');
    expect(await upserts(`${handle.workflowId}/good`)).toBe(0);
    await replays(handle);
  });

  it('is left alone where the server does not know it', async () => {
    const handle = await harness.start(plan([approval(0, { id: 'a' })]));
    const [gate] = await people.open(handle.workflowId);
    await people.decide(handle.workflowId, { gate: 'a', decision: 'approve', hash: gate!.hash, by: 'ana' });
    expect((await handle.result()).status).toBe('success');
    expect(await upserts(handle.workflowId)).toBe(0);
  });
});
