// @seconds 15
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Worker } from '@temporalio/worker';
import { describe, expect, it } from 'vitest';
import { NEXT_TASK_ID } from '../../../src/plan/names.js';
import { echo, foreach, literal, script, single, textOf } from '../../plan/helpers/build-blocks.js';
import { after, plan } from '../../plan/helpers/build-plan.js';
import { record } from '../../replay/record.js';
import { SCENARIOS } from '../../replay/scenarios.js';
import type { RunHandle } from '../helpers/harness.js';
import { harnessOfFile } from '../helpers/harness.js';

const harness = await harnessOfFile();

async function replay({ workflowId }: RunHandle): Promise<void> {
  const code = await readFile(new URL('../../../dist/workflow-bundle.js', import.meta.url), 'utf8');
  await Worker.runReplayHistory(
    { workflowBundle: { code } },
    await harness.client.workflow.getHandle(workflowId).fetchHistory(),
    workflowId,
  );
}

/** Results that come one after another come together when the run is replayed. */
describe('a run of quick steps beside each other', () => {
  it('replays where more follows from the first result than from the second', async () => {
    const scenario = SCENARIOS.find(({ name }) => name === 'quick-ordered');
    if (scenario === undefined) throw new Error('no scenario');
    const handle = await harness.start(scenario.plan);
    expect(await handle.result()).toMatchObject({ status: 'success' });
    await replay(handle);
  });

  it('replays with blocks in blocks, and with a window that makes steps wait for their turn', async () => {
    const items = { kind: 'literal' as const, value: [0, 1, 2, 3, 4] };
    const inner = foreach(0, items, single(echo(0, textOf({ root: '^item' }, '.', { root: 'item' }))), { id: 'inner' });
    const handle = await harness.start(
      plan([
        foreach(0, items, single(inner), { id: 'each' }),
        ...[1, 2, 3].map((index) => echo(index, literal('beside'))),
      ]),
      { lease: { slots: 4 } },
    );
    expect(await handle.result()).toMatchObject({ status: 'success', spend: { steps: 28 } });
    await replay(handle);
  });

  it('begins a new workflow task after fifty of them, without a timer (up to a second late), and replays', async () => {
    const items = { kind: 'literal' as const, value: Array.from({ length: 125 }, (_, index) => index) };
    const handle = await harness.start(
      plan([foreach(0, items, single(echo(0, textOf({ root: 'item' }))), { id: 'each' })]),
    );
    const outcome = await handle.result();
    expect(await harness.json(outcome.output)).toEqual(items.value.map(String));
    const events = await harness.events(handle.workflowId);
    expect(events.filter(({ type }) => type === 'timerStarted')).toEqual([]);
    expect(events.filter(({ type }) => type === 'workflowTaskStarted').length).toBeGreaterThanOrEqual(3);
    await replay(handle);
  });

  it('does so when they run one after another', async () => {
    const handle = await harness.start(
      plan(
        Array.from({ length: 120 }, (_, index) =>
          echo(index, literal(String(index)), index === 0 ? {} : { needs: after(index - 1) }),
        ),
      ),
    );
    expect(await handle.result()).toMatchObject({ status: 'success', spend: { steps: 120 } });
    const history = await harness.client.workflow.getHandle(handle.workflowId).fetchHistory();
    await record('quick-rows', history);
    const events = await harness.events(handle.workflowId);
    expect(events.filter(({ type }) => type === 'timerStarted')).toEqual([]);
    const rows = events
      .map(({ type }) => type)
      .join(' ')
      .split('workflowTaskCompleted')
      .map((row) => row.split('markerRecorded').length - 1);
    expect(Math.max(...rows)).toBeLessThanOrEqual(50);
    // The SDK numbers what has no id, and steps without one have numbers too. On a busy machine the SDK begins new
    // tasks by itself, before there are fifty.
    const ids = history.events?.flatMap(({ activityTaskScheduledEventAttributes: of }) => of?.activityId ?? []) ?? [];
    expect(ids.filter((id) => id !== NEXT_TASK_ID)).toEqual([]);
    await replay(handle);
  });

  it('goes on beside slow steps, whose names are numbers as those of local activities are', async () => {
    const go = join(harness.folder, 'go');
    const slow = Array.from({ length: 8 }, (_, index) =>
      script(index + 60, 'until [ -e "$1" ]; do sleep 0.2; done', [literal(go)], { timeout_ms: 600_000 }),
    );
    // Its last quick step lets the slow ones end.
    const quick = Array.from({ length: 59 }, (_, index) =>
      echo(index, literal('quick'), { needs: index === 0 ? [] : after(index - 1) }),
    );
    const handle = await harness.start(
      plan([...quick, script(59, 'touch "$1"', [literal(go)], { needs: after(58) }), ...slow]),
    );
    expect(await handle.result()).toMatchObject({ status: 'success', spend: { steps: 68 } });
    await replay(handle);
  });
});
