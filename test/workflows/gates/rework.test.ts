import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Template } from '../../../src/plan/values/expression.js';
import { commandStep, needs, plan } from '../../plan/helpers/build-plan.js';
import type { People } from '../helpers/gate-setting.js';
import { approval, createPeople } from '../helpers/gate-setting.js';
import type { Harness } from '../helpers/harness.js';
import { openHarness } from '../helpers/harness.js';

let harness: Harness;
let people: People;
beforeAll(async () => {
  harness = await openHarness();
  people = createPeople(harness);
});
afterAll(async () => {
  await harness.close();
});

const reference = (root: string): Template => ({
  kind: 'expression',
  expression: { kind: 'reference', root, path: [], source: '' },
});

describe('a gate that sends work back', () => {
  it('runs it again with what was said, quick steps and slow ones, and asks anew about the new content', async () => {
    const draft = (timeout_ms: number) => ({
      ...commandStep(0, ['sh', '-c', 'printf "draft: "; cat'], { timeout_ms }),
      stdin: reference('rework:feedback'),
    });
    for (const timeout_ms of [10_000, 60_000]) {
      const check = {
        ...commandStep(1, ['tr', 'a-z', 'A-Z'], { needs: needs(0), timeout_ms }),
        stdin: reference('step:0.output'),
      };
      const gate = approval(2, {
        id: 'ok',
        needs: needs(1),
        content: reference('step:1.output'),
        rework: { step: 0, max: 2 },
      });
      const handle = await harness.start(plan([draft(timeout_ms), check, gate]));
      const run = handle.workflowId;
      const first = await people.gate(run);
      await people.say(run, 'ana', { decision: 'reject', comment: 'be brief' });
      const second = await people.gate(run, ({ hash }) => hash !== first.hash);
      expect(await harness.json(second.content)).toBe('DRAFT: BE BRIEF');
      // Also for the same content: who looked at the first opening has not seen why it was sent back.
      await expect(
        people.decide(run, { gate: 'ok', decision: 'approve', hash: second.hash, since: first.since, by: 'cy' }),
      ).rejects.toMatchObject({ cause: { message: expect.stringContaining('was asked anew') as string } });
      await people.say(run, 'ana');
      const outcome = await handle.result();
      expect(outcome).toMatchObject({ status: 'success', output: { value: 'DRAFT: BE BRIEF' } });
      expect(await harness.results(outcome)).toMatchObject({ ok: { status: 'success', note: 'approved by ana' } });
    }
  });

  it('runs it again in a rerun, which takes over the first draft alone', async () => {
    const steps = [
      commandStep(0, ['date', '+%N'], { effect: 'none' }),
      approval(1, { id: 'ok', needs: needs(0), content: reference('step:0.output'), rework: { step: 0, max: 2 } }),
    ];
    const before = await harness.start(plan(steps));
    await people.gate(before.workflowId);
    await people.say(before.workflowId, 'ana');
    const { output } = await before.result();
    const reuse = { run: before.workflowId, from: before.firstExecutionRunId, changed: false, fresh: [], done: [] };
    const handle = await harness.start(plan(steps), { settings: { reuse } });
    const first = await people.gate(handle.workflowId);
    expect(await harness.json(first.content)).toBe(await harness.json(output));
    await people.say(handle.workflowId, 'ana', { decision: 'reject', comment: 'another' });
    const second = await people.gate(handle.workflowId, ({ hash }) => hash !== first.hash);
    expect(await harness.json(second.content)).not.toBe(await harness.json(output));
    await people.say(handle.workflowId, 'ana');
    expect(await harness.results(await handle.result())).toMatchObject({ 0: { reused: false } });
  });

  it('ends what runs beside it, and closes gates that are void now', async () => {
    const steps = [
      commandStep(0, ['date', '+%N']),
      {
        ...approval(1, { id: 'ok', needs: needs(0), content: reference('step:0.output'), rework: { step: 0, max: 1 } }),
      },
      commandStep(2, ['sleep', '600'], { needs: needs(0) }),
      approval(3, { id: 'beside', needs: needs(0) }),
    ];
    const handle = await harness.start(plan(steps));
    const before = (await people.open(handle.workflowId, 2)).find(({ path }) => path === 'ok');
    await people.decide(handle.workflowId, {
      gate: 'ok',
      decision: 'reject',
      hash: before!.hash,
      by: 'ana',
      comment: 'again',
    });
    for (;;) {
      const again = (await people.open(handle.workflowId, 2)).find(({ path }) => path === 'ok');
      if (again?.hash !== before?.hash) break;
    }
    await handle.cancel();
    await expect(handle.result()).rejects.toThrow();
  });
});
