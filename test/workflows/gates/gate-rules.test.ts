// @seconds 10
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TokenGate } from '../../../src/activities/gates/approval-token.js';
import { issueToken } from '../../../src/activities/gates/approval-token.js';
import type { Template } from '../../../src/plan/values/expression.js';
import type { Decision, Gate } from '../../../src/plan/gates/gate.js';
import { DECIDE, MEMO } from '../../../src/plan/names.js';
import type { Plan } from '../../../src/plan/plan.js';
import type { RunSettings } from '../../../src/plan/run-input.js';
import { inline } from '../../../src/plan/values/value.js';
import { createApprovalKey } from '../../../src/store/records/approval-key.js';
import { until } from '../../faults/project.js';
import { after, commandStep, needs, plan } from '../../plan/helpers/build-plan.js';
import type { People } from '../helpers/gate-setting.js';
import { approval, ask, createPeople, refusal } from '../helpers/gate-setting.js';
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
const names = (...value: string[]): Template => ({ kind: 'literal', value });
const usesGate = () => ({ ...commandStep(1, ['cat'], { needs: needs(0) }), stdin: reference('step:0.output') });

describe('options', () => {
  it('are one choice, which is the output; anything else, and a plain approval, is refused', async () => {
    const { workflowId: run, result } = await started(plan([approval(0, { options: ['ship', 'hold'] }), usesGate()]));
    expect(await refusal(people.say(run, 'ana'))).toBe('Gate `0` takes one of `ship`, `hold`.');
    expect(await refusal(people.say(run, 'ana', { decision: 'answer', value: inline('sell') }))).toContain(
      'takes one of',
    );
    await people.say(run, 'ana', { decision: 'answer', value: inline('hold') });
    const outcome = await result();
    expect(outcome.output).toEqual(inline('hold'));
    expect(await harness.results(outcome)).toMatchObject({ 0: { note: 'answered by ana', decided_by: ['ana'] } });
  });

  it('may be rejected all the same', async () => {
    const { workflowId: run, result } = await started(plan([approval(0, { options: ['ship'] })]));
    await people.say(run, 'ana', { decision: 'reject', comment: 'neither' });
    await expect(result()).rejects.toThrow();
  });
});

describe('who may decide', () => {
  it('is a required approver, and nobody else, by update and by signal', async () => {
    const {
      workflowId: run,
      result,
      signal,
    } = await started(plan([approval(0, { rules: { approvers: names('ana', 'bo') } })]));
    expect(await refusal(people.say(run, 'eve'))).toBe('Gate `0` is for ana or bo to decide, not for eve.');
    const { hash } = await people.gate(run);
    await signal(DECIDE, { gate: '0', decision: 'approve', hash, by: 'eve' });
    await people.say(run, 'bo');
    expect(await harness.results(await result())).toMatchObject({ 0: { note: 'approved by bo' } });
  });

  it('is not who submitted the run, nor who decided a step before', async () => {
    const two = plan([
      approval(0, { id: 'first' }),
      approval(1, {
        needs: needs(0),
        rules: { not_submitter: true, not_deciders: { kind: 'list', items: [reference('step:0.decided_by')] } },
      }),
    ]);
    const { workflowId: run, result } = await started(two);
    await people.say(run, 'ana');
    await people.gate(run, ({ path }) => path === '1');
    for (const name of ['tester', 'ana'])
      expect(await refusal(people.say(run, name))).toContain(`wants somebody else than ${name}`);
    await people.say(run, 'bo');
    expect((await result()).status).toBe('success');
  });

  it('who nobody can be fails at once instead of waiting for ever', async () => {
    const { workflowId: run, result } = await started(
      plan([approval(0, { rules: { approvers: names('tester'), not_submitter: true } })]),
    );
    await expect(result()).rejects.toThrow();
    expect((await harness.store.readRun(run))?.error).toContain(
      'Nobody could decide this gate: it is for tester to decide, and not for tester.',
    );
  });

  it('is asked of others where `--yes` cannot stand for them', async () => {
    for (const rules of [{ not_submitter: true }, { quorum: 2 }, { approvers: names('ana') }]) {
      const { workflowId: run, result } = await started(plan([approval(0, { rules })]), { gates: 'approve' });
      await expect(result()).rejects.toThrow();
      expect((await harness.store.readRun(run))?.error).toContain('--yes approves as tester, and this gate');
    }
  });
});

describe('a quorum', () => {
  it('waits for so many different people', async () => {
    const { workflowId: run, result } = await started(plan([approval(0, { rules: { quorum: 2 } })]));
    expect(await people.say(run, 'ana')).toEqual({ gate: '0', decision: 'approve', by: 'ana', missing: 1 });
    await people.gate(run, ({ votes }) => votes?.length === 1);
    expect(await refusal(people.say(run, 'ana'))).toContain('already decided by ana; it waits for 1 more');
    await people.say(run, 'bo');
    expect(await harness.results(await result())).toMatchObject({
      0: { note: 'approved by ana and bo', decided_by: ['ana', 'bo'] },
    });
  });

  it('that no choice can reach any more rejects', async () => {
    const { workflowId: run, result } = await started(
      plan([approval(0, { options: ['a', 'b'], rules: { quorum: 2, approvers: names('ana', 'bo') } })]),
    );
    await people.say(run, 'ana', { decision: 'answer', value: inline('a') });
    await people.say(run, 'bo', { decision: 'answer', value: inline('b') });
    await expect(result()).rejects.toThrow();
    expect((await harness.store.readRun(run))?.error).toContain('they chose differently');
  });
});

describe('an edit', () => {
  const shown = approval(0, { content: { kind: 'literal', value: 'a draft' } });

  it('is what is approved, under its own hash, and what later steps use', async () => {
    const { workflowId: run, result } = await started(plan([shown, usesGate()]));
    const text = 'better '.repeat(200);
    const before = await people.gate(run);
    const receipt = await people.say(run, 'ana', { edit: await harness.store.put(text) });
    expect(receipt.hash).toMatch(/^sha256:/);
    expect(receipt.hash).not.toBe(before.hash);
    const outcome = await result();
    expect(await harness.json(outcome.output)).toBe(text);
    expect(await harness.results(outcome)).toMatchObject({ 0: { note: 'edited and approved by ana' } });
  });

  it('makes earlier approvals void: it is another content', async () => {
    const { workflowId: run, result } = await started(plan([{ ...shown, rules: { quorum: 2 } }]));
    await people.say(run, 'ana');
    const { hash } = await people.gate(run, ({ votes }) => votes?.length === 1);
    await people.say(run, 'bo', { edit: inline('another draft') });
    await people.gate(run, (gate) => gate.hash !== hash);
    expect(await refusal(people.decide(run, { gate: '0', decision: 'approve', hash, by: 'cy' }))).toContain(
      'shows other content',
    );
    await people.say(run, 'ana');
    const outcome = await result();
    expect(outcome.output).toEqual(inline('another draft'));
    expect(await harness.results(outcome)).toMatchObject({ 0: { decided_by: ['bo', 'ana'] } });
  });

  it('is refused of what shows nothing, is fixed, has another type or was never stored', async () => {
    const { workflowId: run } = await started(plan([approval(0, { id: 'bare' })]));
    expect(await refusal(people.say(run, 'ana', { edit: inline('x') }))).toContain('shows nothing that may be edited');
    const fixed = await started(plan([{ ...shown, fixed: true }]));
    expect(await refusal(people.say(fixed.workflowId, 'ana', { edit: inline('x') }))).toContain(
      'shows nothing that may be edited',
    );
    const other = await started(plan([shown]));
    expect(await refusal(people.say(other.workflowId, 'ana', { edit: inline([1]) }))).toContain(
      'expected the edited content to be a text',
    );
    expect(
      await refusal(people.say(other.workflowId, 'ana', { edit: { ref: `sha256:${'0'.repeat(64)}`, bytes: 9 } })),
    ).toContain('not in the store');
    await Promise.all(
      [run, fixed.workflowId, other.workflowId].map((id) => harness.client.workflow.getHandle(id).cancel()),
    );
  });
});

describe('a token (`approvals.require_token`)', () => {
  const wanting: Partial<RunSettings> = { require_token: true };

  it('is wanted of every decision: without one, or with one of another key, it is refused and recorded', async () => {
    const { workflowId: run, result, signal } = await started(plan([approval(0)]), wanting);
    const { gate, decision, token } = await undecided(run);
    expect(await refusal(people.decide(run, decision))).toContain('wants a token with each decision');
    const forger = createApprovalKey(join(harness.folder, 'forged.key'));
    for (const forged of [await issueToken(gate, decision, forger), `${token}x`, 'x', '.', `${token}.${token}`]) {
      expect(await refusal(people.decide(run, { ...decision, token: forged }))).toContain('forged or damaged');
      await signal(DECIDE, { ...decision, token: forged });
    }
    const recorded = (await harness.events(run)).filter(({ type }) => type === 'workflowExecutionUpdateAccepted');
    expect(recorded).toHaveLength(6);
    await people.decide(run, { ...decision, token });
    expect(await harness.results(await result())).toMatchObject({ 0: { note: 'approved by ana' } });
  });

  it('holds for one gate at one time, one content and one decision of one person, and not for ever', async () => {
    const two = plan([approval(0, { rules: { quorum: 2 } }), approval(1)]);
    const { workflowId: run, result } = await started(two, wanting);
    await people.open(run, 2);
    const { gate, decision, token } = await undecided(run);
    const sent = (other: Partial<Decision>, by = token): Promise<string> =>
      refusal(people.decide(run, { ...decision, ...other, token: by }));
    expect(await sent({ gate: '1' })).toContain('a token for another gate, `0`');
    expect(await sent({ by: 'bo' })).toContain('a token for another decision');
    expect(await sent({ decision: 'reject' })).toContain('a token for another decision');
    expect(await sent({ comment: 'as ana says' })).toContain('a token for another decision');
    const issued = (other: Partial<TokenGate>, seen: Decision = decision, now = Date.now()): Promise<string> =>
      issueToken({ ...gate, ...other }, seen, harness.store, now);
    expect(await sent({}, await issued({ run: 'run-0' }))).toContain('another gate, `0` of `run-0`');
    expect(await sent({}, await issued({ since: '2026-01-01T00:00:00.000Z' }))).toContain(
      'an earlier time that it was open',
    );
    expect(await sent({}, await issued({ first: 'another' }))).toContain('an earlier time that it was open');
    expect(await sent({}, await issued({}, { ...decision, hash: `sha256:${'0'.repeat(64)}` }))).toContain(
      'a token for other content',
    );
    expect(await sent({}, await issued({}, decision, Date.now() - 3_600_001))).toContain('has expired');
    await people.decide(run, { ...decision, token });
    expect(await sent({})).toContain('already decided by ana');
    for (const [path, by] of [
      ['0', 'bo'],
      ['1', 'ana'],
    ] as const) {
      const next = await undecided(run, path, by);
      await people.decide(run, { ...next.decision, token: next.token });
    }
    expect((await result()).status).toBe('success');
  });

  it('goes with a signal, and with an answer that is read against its schema', async () => {
    const { workflowId: run, result, signal } = await started(plan([ask(0, { schema: { type: 'integer' } })]), wanting);
    const { gate, decision } = await undecided(run);
    const answer: Decision = { ...decision, decision: 'answer', value: inline(7) };
    await signal(DECIDE, { ...answer, value: inline(8), token: await issueToken(gate, answer, harness.store) });
    await signal(DECIDE, { ...answer, token: await issueToken(gate, answer, harness.store) });
    expect((await result()).output).toEqual(inline(7));
  });

  /** An open gate, an approval of it that nobody has sent, and the token of that. */
  async function undecided(run: string, path = '0', by = 'ana') {
    const found = await until(async () =>
      ((await harness.client.workflow.getHandle(run).describe()).memo?.[MEMO.waiting] as Gate[] | undefined)?.find(
        (open) => open.path === path,
      ),
    ); // written by the interpreter
    const { firstRunId } = (await harness.client.workflow.getHandle(run).describe()).raw.workflowExecutionInfo ?? {};
    const gate: TokenGate = { run, first: firstRunId ?? '', gate: path, since: found.since };
    const decision: Decision = { gate: path, decision: 'approve', hash: found.hash, by };
    return { gate, decision, token: await issueToken(gate, decision, harness.store) };
  }
});

describe('time at a gate', () => {
  const rules = { approvers: names('ana'), reminder_ms: 300, escalate: { after_ms: 900, to: names('cy') } };

  it('reminds, then lets more people decide', async () => {
    const { workflowId: run, result } = await started(plan([approval(0, { rules })]));
    await people.gate(run, ({ reminders = 0 }) => reminders > 0);
    expect(await people.gate(run, ({ escalated }) => escalated !== undefined)).toMatchObject({
      approvers: ['ana', 'cy'],
      escalated: ['cy'],
    });
    await people.say(run, 'cy');
    expect(await harness.results(await result())).toMatchObject({ 0: { status: 'success', note: 'approved by cy' } });
  });

  it('takes the default, an option as that too, or rejects', async () => {
    const { result } = await started(plan([approval(0, { rules, default: 'approve', deadline_ms: 1_500 })]));
    expect(await harness.results(await result())).toMatchObject({
      0: { status: 'success', note: 'approved by default: nobody decided in time' },
    });
    const chosen = await (
      await started(plan([approval(0, { options: ['a', 'b'], default: 'b', deadline_ms: 100 })]))
    ).result();
    expect(chosen.output).toEqual(inline('b'));
    const rejected = await (
      await started(
        plan([
          approval(0, { default: 'reject', deadline_ms: 100, on_error: 'continue' }),
          commandStep(1, ['true'], { needs: after(0) }),
        ]),
      )
    ).result();
    expect(await harness.results(rejected)).toMatchObject({ 0: { failure: 'rejected' } });
  });
});

describe('a question', () => {
  it('is answered with a text, which is the output', async () => {
    const { workflowId: run, result } = await started(plan([ask(0), usesGate()]));
    expect(await refusal(people.say(run, 'ana'))).toBe('Gate `0` is a question: answer it.');
    await people.say(run, 'ana', { decision: 'answer', value: inline('the second') });
    const outcome = await result();
    expect(outcome.output).toEqual(inline('the second'));
    expect(await harness.results(outcome)).toMatchObject({ 0: { note: 'answered by ana' } });
  });

  it('with a schema takes what fits it, and says what does not, also by signal', async () => {
    const {
      workflowId: run,
      result,
      signal,
    } = await started(
      plan([ask(0, { schema: { type: 'object', required: ['port'], properties: { port: { type: 'integer' } } } })]),
    );
    expect(await refusal(people.say(run, 'ana', { decision: 'answer', value: inline({ port: 'x' }) }))).toContain(
      '`/port` must be integer',
    );
    const { hash } = await people.gate(run);
    await signal(DECIDE, { gate: '0', decision: 'answer', hash, by: 'eve', value: inline('nothing of the kind') });
    await signal(DECIDE, { gate: '0', decision: 'answer', hash, by: 'ana', value: inline({ port: 8080 }) });
    expect((await result()).output).toEqual(inline({ port: 8080 }));
  });

  it('with choices takes one of them; unattended, its default', async () => {
    const question = ask(0, { choices: [1, 2], default: 2 });
    const { workflowId: run, result } = await started(plan([question]));
    expect(await refusal(people.say(run, 'ana', { decision: 'answer', value: inline('1') }))).toBe(
      'Gate `0` takes one of `1`, `2`.',
    );
    await people.say(run, 'ana', { decision: 'answer', value: inline(1) });
    expect((await result()).output).toEqual(inline(1));
    expect((await (await started(plan([question]), { gates: 'fallback' })).result()).output).toEqual(inline(2));
  });
});

async function started(made: Plan, settings: Partial<RunSettings> = {}) {
  const handle = await harness.start(made, { settings });
  return {
    workflowId: handle.workflowId,
    result: () => handle.result(),
    signal: (name: string, decision: unknown) => handle.signal(name, decision),
  };
}
