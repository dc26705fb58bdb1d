// @seconds 25
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { WorkflowHandle } from '@temporalio/client';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Decision } from '../../../src/plan/gates/gate.js';
import { DECIDE } from '../../../src/plan/names.js';
import type { Json, JsonObject } from '../../../src/plan/values/json.js';
import { readable } from '../../../src/workers/codec/readable-payload.js';
import { until } from '../../faults/project.js';
import { after, commandStep, needs, plan } from '../../plan/helpers/build-plan.js';
import { approval, ask, continueAsNew, createPeople, refusal } from '../helpers/gate-setting.js';
import { harnessOfFile } from '../helpers/harness.js';

const harness = await harnessOfFile();
const people = createPeople(harness);

const gated = () =>
  plan([
    commandStep(0, ['seq', '1000'], { id: 'report' }),
    approval(1, {
      id: 'approve',
      needs: needs(0),
      content: { kind: 'expression', expression: { kind: 'reference', root: 'step:0.output', path: [], source: '' } },
    }),
    {
      ...commandStep(2, ['tail', '-n', '1'], { needs: needs(1) }),
      stdin: { kind: 'expression', expression: { kind: 'reference', root: 'step:1.output', path: [], source: '' } },
    },
  ]);

const jsonPayload = (value: Json) => ({
  metadata: { encoding: Buffer.from('json/plain').toString('base64') },
  data: Buffer.from(JSON.stringify(value)).toString('base64'),
});
const valueIn = ({ data }: JsonObject): unknown =>
  (JSON.parse(Buffer.from(String(data), 'base64').toString()) as { currentDetails: unknown }).currentDetails;

/** What Temporal's UI shows of a run beside its history. */
async function shownDetails(handle: WorkflowHandle): Promise<string> {
  return (await handle.query<{ currentDetails: string }>('__temporal_workflow_metadata')).currentDetails;
}

describe('a gate', () => {
  it('shows the exact content with its hash, and hands on exactly what was approved', async () => {
    const handle = await harness.start(gated());
    const [gate] = await people.open(handle.workflowId);
    expect(gate).toMatchObject({
      path: 'approve',
      kind: 'approval',
      message: 'Save this?',
      fallback: 'abort',
      content: { bytes: expect.any(Number) as number },
    });
    expect(gate?.hash).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(await harness.json(gate?.content ?? null)).toMatch(/999\n1000$/);
    const details = await shownDetails(handle);
    expect(details).toMatch(/^1 of 3 steps\n\*\*waits for approval\*\* of `approve`: Save this\?\n/);
    expect(details).toMatch(/\nWhat it shows is sha256:[0-9a-f]{64} \(\d+ bytes\).*\n[^|]*\| step /);
    const decoded = await readable(jsonPayload({ currentDetails: details }), { store: harness.store, keys: null });
    expect(valueIn(decoded)).toContain('\n    998\n    999\n    1000\n');
    expect(details).toContain('| report | seq | success | exit 0 |\n| approve | approval | running |  |\n');
    const receipt = await people.decide(handle.workflowId, {
      gate: 'approve',
      decision: 'approve',
      hash: gate!.hash,
      by: 'ana',
      comment: 'fine',
    });
    expect(receipt).toEqual({ gate: 'approve', decision: 'approve', by: 'ana' });
    const outcome = await handle.result();
    expect(outcome).toMatchObject({ status: 'success', output: { value: '1000' } });
    expect(await harness.results(outcome)).toMatchObject({
      approve: { status: 'success', note: 'approved by ana: fine' },
    });
    expect(await people.open(handle.workflowId, 0)).toEqual([]);
    expect(await shownDetails(handle)).toMatch(/^3 of 3 steps\n\| step /);
  });

  it('that is a question is shown in the UI with the command that answers it', async () => {
    const handle = await harness.start(plan([ask(0)]));
    const [gate] = await people.open(handle.workflowId);
    const details = await shownDetails(handle);
    expect(details).toContain('**waits for an answer** to `0`: Which one?');
    expect(details).toContain(`\n    perdure answer ${handle.workflowId}/0 "your answer"\n`);
    await people.decide(handle.workflowId, {
      gate: '0',
      decision: 'answer',
      hash: gate!.hash,
      by: 'ana',
      via: 'terminal',
      value: { value: 'red' },
    });
    await handle.result();
  });

  it(
    'refuses other content, another gate, a malformed decision and a second decision, and leaves no event for a ' +
      'refusal',
    async () => {
      const handle = await harness.start(plan([approval(0, { id: 'a' }), approval(1, { id: 'b' })]));
      const [a, b] = await people.open(handle.workflowId, 2);
      const before = (await harness.events(handle.workflowId)).length;
      expect(
        await refusal(
          people.decide(handle.workflowId, { gate: 'a', decision: 'approve', hash: 'sha256:old', by: 'ana' }),
        ),
      ).toContain('shows other content');
      expect(
        await refusal(people.decide(handle.workflowId, { gate: 'c', decision: 'approve', hash: a!.hash, by: 'ana' })),
      ).toBe('No gate `c` is open in this run.');
      expect(await refusal(people.decide(handle.workflowId, { gate: 'a' } as unknown as Decision))).toContain(
        'Expected a decision',
      );
      expect((await harness.events(handle.workflowId)).filter(({ type }) => type.includes('Update'))).toHaveLength(0);
      expect(before).toBeGreaterThan(0);
      await people.decide(handle.workflowId, { gate: 'a', decision: 'approve', hash: a!.hash, by: 'ana' });
      expect(
        await refusal(people.decide(handle.workflowId, { gate: 'a', decision: 'reject', hash: a!.hash, by: 'bo' })),
      ).toBe('Gate `a` is already decided: approve by ana.');
      await people.decide(handle.workflowId, { gate: 'b', decision: 'approve', hash: b!.hash, by: 'bo' });
      expect((await handle.result()).status).toBe('success');
    },
  );

  it("takes a plain signal with the same checks, so that Temporal's own UI can decide", async () => {
    const handle = await harness.start(gated());
    const [gate] = await people.open(handle.workflowId);
    await handle.signal(DECIDE, { gate: 'approve', decision: 'approve', hash: 'sha256:old', by: 'eve' });
    await handle.signal(DECIDE, 'nonsense');
    expect(await people.open(handle.workflowId)).toEqual([gate]);
    await handle.signal(DECIDE, {
      gate: 'approve',
      decision: 'reject',
      hash: gate!.hash,
      by: 'ana',
      comment: 'too short',
    });
    await expect(handle.result()).rejects.toThrow();
    const record = await harness.store.readRun(handle.workflowId);
    expect(record?.error).toBe('approve: rejected by ana: too short');
  });

  it("of a run that may decide by itself is approved in the submitter's name, or takes its fallback", async () => {
    const approved = await (await harness.start(plan([approval(0)]), { settings: { gates: 'approve' } })).result();
    expect(await harness.results(approved)).toMatchObject({
      0: { status: 'success', note: 'approved by tester: by --yes' },
    });
    const skipped = await (
      await harness.start(
        plan([approval(0, { fallback: 'skip' }), commandStep(1, ['echo', 'on'], { needs: after(0) })]),
        { settings: { gates: 'fallback' } },
      )
    ).result();
    expect(await harness.results(skipped)).toMatchObject({ 0: { status: 'skipped' }, 1: { status: 'success' } });
    await expect(
      (await harness.start(plan([approval(0)]), { settings: { gates: 'fallback' } })).result(),
    ).rejects.toThrow();
  });

  it('that nobody decides in time has expired, and its run goes on by its rules', async () => {
    const outcome = await (
      await harness.start(
        plan([
          { ...approval(0), deadline_ms: 300, on_error: 'continue' },
          commandStep(1, ['echo', 'on'], { needs: after(0) }),
        ]),
      )
    ).result();
    expect(await harness.results(outcome)).toMatchObject({
      0: { status: 'error', failure: 'expired', error: 'Nobody decided within its deadline of 0.3 s.' },
      1: { status: 'success' },
    });
  });

  it('ends when its run is cancelled', async () => {
    const handle = await harness.start(plan([approval(0)]));
    await people.open(handle.workflowId);
    await handle.cancel();
    await expect(handle.result()).rejects.toThrow();
    expect((await harness.store.readRun(handle.workflowId))?.status).toBe('cancelled');
    expect(await people.open(handle.workflowId, 0)).toEqual([]);
  });

  it('survives two thousand signals of strangers: its run continues as new before history gets long', async () => {
    const handle = await harness.start(plan([approval(0, { id: 'hold' })]));
    const [gate] = await people.open(handle.workflowId);
    for (let sent = 0; sent < 2_050; sent += 50)
      await Promise.all(
        Array.from({ length: 50 }, (_, index) =>
          harness.client.workflow.getHandle(handle.workflowId).signal(`stranger-${index % 3}`, { sent }),
        ),
      );
    while (
      (await harness.client.workflow.getHandle(handle.workflowId).describe()).runId === handle.firstExecutionRunId
    );
    expect(await people.open(handle.workflowId)).toEqual([gate]);
    await people.decide(handle.workflowId, { gate: 'hold', decision: 'approve', hash: gate!.hash, by: 'ana' });
    expect((await handle.result()).status).toBe('success');
  });

  it('stays open, with the same hash, while its run continues as new', async () => {
    const many = Array.from({ length: 505 }, (_, index) =>
      commandStep(index + 1, ['true'], { needs: index < 8 ? [] : after(index - 7) }),
    );
    const handle = await harness.start(plan([approval(0, { id: 'hold' }), ...many]));
    const [gate] = await people.open(handle.workflowId);
    for (;;) {
      const { runId } = await harness.client.workflow.getHandle(handle.workflowId).describe();
      if (runId !== handle.firstExecutionRunId) break;
    }
    const [carried] = await people.open(handle.workflowId);
    expect(carried).toEqual(gate);
    await people.decide(handle.workflowId, { gate: 'hold', decision: 'approve', hash: gate!.hash, by: 'ana' });
    const outcome = await handle.result();
    expect(outcome.status).toBe('success');
    expect(Object.keys(await harness.results(outcome))).toHaveLength(506);
  });

  it(
    'about an effect that a lost worker has perhaps had stays open while its run continues as new, and one answer ' +
      'repeats it once',
    async () => {
      const effects = join(harness.folder, 'effects');
      const publish = commandStep(0, ['sh', '-c', `echo published >> ${effects}; [ -e ${effects}.go ] || sleep 600`], {
        id: 'publish',
        effect: 'external',
      });
      const count = async (): Promise<number> =>
        (await readFile(effects, 'utf8').catch(() => '')).split('\n').length - 1;
      const stop = await harness.work('lost');
      const handle = await harness.start(plan([publish]), { taskQueue: 'lost' });
      await until(async () => (await count()) === 1);
      await stop();
      onTestFinished(await harness.work('lost'));
      const gate = await people.gate(handle.workflowId);
      expect(gate).toMatchObject({ path: 'publish', kind: 'lost' });
      await continueAsNew(harness, handle.workflowId);
      expect(await people.open(handle.workflowId)).toEqual([gate]);
      expect(await count()).toBe(1);
      await writeFile(`${effects}.go`, '');
      await people.say(handle.workflowId, 'ana');
      expect((await handle.result()).status).toBe('success');
      expect(await count()).toBe(2);
    },
  );
});
