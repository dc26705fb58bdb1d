import { issueGrant } from '../../src/activities/gates/grant.js';
import type { Decision, DecisionReceipt, Gate } from '../../src/plan/gates/gate.js';
import type { Expression, Template } from '../../src/plan/values/expression.js';
import { DECIDE, MEMO } from '../../src/plan/names.js';
import type { Plan } from '../../src/plan/plan.js';
import { NO_BUDGETS } from '../../src/plan/budget/budgets.js';
import type { Lease, RunSettings } from '../../src/plan/run-input.js';
import type { ApprovalStep, AskStep, CommandStep, PlanStep, WorkflowStep } from '../../src/plan/step.js';
import { after, body, commandStep, needs, plan, stepBase } from '../plan/helpers/build-plan.js';
import {
  echo,
  foreach,
  literal,
  loop,
  many,
  reference,
  script,
  set,
  single,
  wait,
  whole as wholeOf,
} from '../plan/helpers/build-blocks.js';
import type { Harness, RunHandle } from '../workflows/helpers/harness.js';

/** A run whose history is stored, and what happens to it from outside. */
export interface Scenario {
  name: string;
  plan: Plan;
  /** Nested runs whose histories are stored as well, by path. */
  nested?: string[];
  /** Its limits; none when left out. */
  lease?: Partial<Lease>;
  settings?: Partial<RunSettings>;
  drive?: (harness: Harness, handle: RunHandle) => Promise<void>;
}

const output = (step: number): Expression => ({ kind: 'reference', root: `step:${step}.output`, path: [], source: '' });
const whole = (step: number): Template => ({ kind: 'expression', expression: output(step) });
const cat = (index: number, stdin: Template, base: Partial<CommandStep> = {}): CommandStep => ({
  ...commandStep(index, ['cat'], base),
  stdin,
});
const gate: ApprovalStep = {
  ...stepBase(1, { id: 'approve', needs: needs(0) }),
  kind: 'approval',
  message: { kind: 'literal', value: 'Go on?' },
  content: whole(0),
  fallback: 'abort',
};
const question: AskStep = {
  ...stepBase(0, { id: 'which' }),
  kind: 'ask',
  question: { kind: 'literal', value: 'How many?' },
  schema: { type: 'number' },
  choices: null,
};
const nestedStep = (index: number, name: string): WorkflowStep => ({
  ...stepBase(index, { id: name, needs: index === 0 ? [] : needs(index - 1) }),
  kind: 'workflow',
  workflow: name,
  plan: `sha256:${name}`,
  inputs: { text: whole(0) },
});
const item = wholeOf('item');
const isItem = (value: number): Expression => ({
  kind: 'binary',
  operator: '==',
  left: reference('item'),
  right: { kind: 'literal', value },
});
const gated = body([{ ...gate, index: 0, needs: [], content: wholeOf('input:text') }], { name: 'gated' });
const leaf = body(
  [cat(0, { kind: 'expression', expression: { kind: 'reference', root: 'input:text', path: [], source: '' } })],
  { name: 'leaf' },
);

const inner = (index: number): WorkflowStep => ({
  ...stepBase(index, { on_error: 'continue' }),
  kind: 'workflow',
  workflow: 'pair',
  plan: 'sha256:pair',
  inputs: {},
});
const pair = body([commandStep(0, ['true']), commandStep(1, ['true'], { needs: after(0) })], { name: 'pair' });
const made: PlanStep = {
  ...stepBase(0, { id: 'made' }),
  kind: 'plan',
  source: { kind: 'literal', value: { steps: [{ command: ['echo', 'made'] }] } },
  inputs: {},
  kinds: ['command'],
  budgets: { ...NO_BUDGETS, max_steps: 10 },
  message: { kind: 'literal', value: 'Run it?' },
  fallback: 'abort',
};

export const SCENARIOS: Scenario[] = [
  { name: 'sequence', plan: plan([commandStep(0, ['echo', 'one']), cat(1, whole(0), { needs: needs(0) })]) },
  {
    name: 'stored-values',
    plan: plan(
      [
        commandStep(0, ['seq', '1000']),
        cat(1, whole(0), {
          needs: needs(0),
          when: { kind: 'call', name: 'contains', operands: [output(0), { kind: 'literal', value: '777' }] },
        }),
      ],
      { output: { kind: 'list', items: [whole(1)] } },
    ),
  },
  {
    name: 'quick-steps',
    plan: plan([
      commandStep(0, ['echo', 'one'], { timeout_ms: 5_000 }),
      commandStep(1, ['false'], { timeout_ms: 5_000, needs: needs(0), on_error: 'continue' }),
    ]),
  },
  // More follows from the first result than from the second, which come together when it is replayed.
  {
    name: 'quick-ordered',
    plan: plan([
      script(0, 'sleep 0.1'),
      set(1, { n: literal('1') }, { needs: needs(0) }),
      set(2, { n: literal('2') }, { needs: needs(1) }),
      script(3, 'sleep 0.8', [], { needs: needs(2) }),
      script(4, 'sleep 0.4; seq 1000'),
      set(5, { all: whole(4) }, { needs: needs(4) }),
      set(6, { more: wholeOf('step:5.output', 'all') }, { needs: needs(5) }),
    ]),
  },
  {
    name: 'failure-continues',
    plan: plan([
      commandStep(0, ['false'], { on_error: 'continue' }),
      commandStep(1, ['echo', 'on'], { needs: after(0) }),
    ]),
  },
  {
    name: 'failure-stops',
    plan: plan([
      commandStep(0, ['false']),
      commandStep(1, ['sleep', '600']),
      commandStep(2, ['echo'], { needs: needs(1) }),
    ]),
  },
  { name: 'tries', plan: plan([commandStep(0, ['false'], { retry: { attempts: 3, backoff_ms: 20 } })]) },
  { name: 'deadline', plan: plan([commandStep(0, ['sleep', '600'], { deadline_ms: 300 })]) },
  {
    name: 'gate-by-update',
    plan: plan([commandStep(0, ['echo', 'content']), gate]),
    drive: (harness, handle) =>
      answer(harness, handle, (decision) =>
        handle.executeUpdate<DecisionReceipt, [Decision]>(DECIDE, { args: [decision] }),
      ),
  },
  {
    name: 'gate-granted',
    plan: plan([commandStep(0, ['echo', 'content']), gate]),
    settings: { receipts: true },
    drive: decideByGrant,
  },
  {
    name: 'gate-by-signal',
    plan: plan([commandStep(0, ['echo', 'content']), gate]),
    drive: (harness, handle) =>
      answer(harness, handle, (decision) => handle.signal(DECIDE, { ...decision, decision: 'reject' })),
  },
  {
    name: 'ask',
    plan: plan([question]),
    drive: (harness, handle) => decideOn(harness, handle, { decision: 'answer', value: { value: 3 } }),
  },
  {
    name: 'gate-edited',
    plan: plan([commandStep(0, ['echo', 'content']), gate, cat(2, whole(1), { needs: needs(1) })]),
    drive: (harness, handle) => decideOn(harness, handle, { decision: 'approve', edit: { value: 'other' } }),
  },
  // People are warned of the time before it is over, and told of the end.
  {
    name: 'runtime',
    plan: plan([commandStep(0, ['sleep', '600'])]),
    lease: { runtime_ms: 1_000 },
    settings: { notify: { on: ['ended'], command: ['cat'] } },
    drive: async (harness, handle) => {
      const leave = harness.store.keepAlive(); // Time in which nothing lives is not counted.
      await handle.result().catch(() => undefined);
      leave();
    },
  },
  {
    name: 'nested',
    plan: plan([commandStep(0, ['seq', '300']), nestedStep(1, 'leaf'), cat(2, whole(1), { needs: needs(1) })], {
      nested: { 'sha256:leaf': leaf },
    }),
    nested: ['leaf'],
  },
  {
    name: 'cancelled',
    plan: plan([commandStep(0, ['echo', 'x']), gate]),
    drive: async (harness, handle) => {
      await openGate(harness, handle);
      await handle.cancel();
    },
  },
  {
    name: 'bodies',
    plan: plan([
      foreach(
        0,
        { kind: 'literal', value: ['a', 'b', 'c'] },
        many([echo(0, item), { ...script(1, 'test "$1" != b', [item]), needs: after(0) }]),
        { id: 'each', on_error: 'continue', max_parallel: 2 },
      ),
      loop(
        1,
        { kind: 'binary', operator: '==', left: reference('index'), right: { kind: 'literal', value: 2 } },
        single(echo(0, wholeOf('index'))),
        { id: 'rounds', needs: after(0) },
      ),
      { ...set(2, { all: whole(0) }), needs: needs(0, 1) },
      wait(3, 50, { needs: after(2) }),
      commandStep(4, ['true'], { always: true, needs: after(3) }),
    ]),
  },
  {
    name: 'items-continued',
    plan: plan([
      foreach(0, { kind: 'literal', value: Array.from({ length: 520 }, (_, index) => index) }, single(echo(0, item))),
    ]),
  },
  // More quick steps than one run takes.
  {
    name: 'quick-items-continued',
    plan: plan([
      foreach(
        0,
        { kind: 'literal', value: Array.from({ length: 620 }, (_, index) => index) },
        single(set(0, { n: item })),
      ),
    ]),
  },
  {
    name: 'nested-gates',
    nested: ['each/0'],
    plan: plan(
      [
        foreach(
          0,
          { kind: 'literal', value: ['a', 'b'] },
          single({ ...nestedStep(0, 'gated'), inputs: { text: item } }),
          { id: 'each' },
        ),
      ],
      { nested: { 'sha256:gated': gated } },
    ),
    drive: answerNested,
  },
  // Seven steps for six nested runs of two: they claim, are recalled, and the limit is met and warned of.
  {
    name: 'leases',
    nested: ['0', '5'],
    lease: { steps: 7, slots: 2 },
    plan: plan(
      Array.from({ length: 6 }, (_, index) => inner(index)),
      { nested: { 'sha256:pair': pair } },
    ),
  },
  {
    name: 'rework',
    plan: plan([commandStep(0, ['echo', 'draft']), { ...gate, rework: { step: 0, max: 2 } }]),
    drive: sendBack,
  },
  {
    name: 'failed-rounds',
    plan: plan([
      loop(
        0,
        { kind: 'binary', operator: '==', left: reference('index'), right: { kind: 'literal', value: 2 } },
        single(script(0, 'test "$1" = 2', [wholeOf('index')])),
        { id: 'rounds', on_error: 'continue' },
      ),
    ]),
  },
  {
    name: 'made',
    nested: ['made'],
    plan: plan([made]),
    drive: (harness, handle) =>
      answer(harness, handle, (decision) =>
        handle.executeUpdate<DecisionReceipt, [Decision]>(DECIDE, { args: [decision] }),
      ),
  },
  {
    name: 'made-apart',
    plan: plan([made]),
    drive: (harness, handle) =>
      answer(harness, handle, (decision) =>
        handle.executeUpdate<DecisionReceipt, [Decision]>(DECIDE, { args: [decision] }),
      ),
  },
  // Of 201 items two start nested runs, one in each batch run.
  {
    name: 'batches',
    nested: ['each/0-199', 'each/200-200'],
    plan: plan(
      [
        foreach(
          0,
          { kind: 'literal', value: Array.from({ length: 201 }, (_, index) => index) },
          single({
            ...nestedStep(0, 'leaf'),
            id: null,
            inputs: { text: item },
            when: { kind: 'binary', operator: '||', left: isItem(1), right: isItem(200) },
          }),
          { id: 'each' },
        ),
      ],
      { nested: { 'sha256:leaf': leaf } },
    ),
  },
  {
    name: 'continued',
    plan: plan(
      Array.from({ length: 520 }, (_, index) =>
        commandStep(index, ['true'], { needs: index < 20 ? [] : after(index - 20) }),
      ),
    ),
  },
];

async function answer(
  harness: Harness,
  handle: RunHandle,
  decide: (decision: Decision) => Promise<unknown>,
): Promise<void> {
  const { path, hash } = await openGate(harness, handle);
  await decide({ gate: path, decision: 'approve', hash, by: 'ana', comment: 'seen' });
}

/** With a grant that nobody signed, then with one that is genuine. */
async function decideByGrant(harness: Harness, handle: RunHandle): Promise<void> {
  const { path, hash, since } = await openGate(harness, handle);
  const grant = await issueGrant(
    {
      ...{ run: handle.workflowId, first: handle.firstExecutionRunId, gate: path, since, hash },
      ...{ may: ['approve'], to: 'ana', exp: 8_000_000_000_000 },
    },
    harness.store,
  );
  for (const one of ['x.y', grant])
    await handle
      .executeUpdate<DecisionReceipt, [Decision]>(DECIDE, {
        args: [{ gate: path, decision: 'approve', hash, by: 'ana', grant: one }],
      })
      .catch(() => undefined); // the first is refused
}

async function decideOn(
  harness: Harness,
  handle: RunHandle,
  said: Pick<Decision, 'decision' | 'value' | 'edit'>,
): Promise<void> {
  await answer(harness, handle, (decision) =>
    handle.executeUpdate<DecisionReceipt, [Decision]>(DECIDE, { args: [{ ...decision, ...said }] }),
  );
}

async function sendBack(harness: Harness, handle: RunHandle): Promise<void> {
  for (const decision of ['reject', 'approve'] as const)
    await answer(harness, handle, (said) =>
      handle.executeUpdate<DecisionReceipt, [Decision]>(DECIDE, { args: [{ ...said, decision }] }),
    );
}

async function answerNested(harness: Harness, { workflowId }: RunHandle): Promise<void> {
  for (const run of [`${workflowId}/each/0`, `${workflowId}/each/1`]) {
    const handle = harness.client.workflow.getHandle(run);
    const { path, hash } = await openGate(harness, handle);
    await handle.executeUpdate<DecisionReceipt, [Decision]>(DECIDE, {
      args: [{ gate: path, decision: 'approve', hash, by: 'ana' }],
    });
  }
}

async function openGate(harness: Harness, handle: Pick<RunHandle, 'workflowId'>): Promise<Gate> {
  for (;;) {
    const { memo } = await harness.client.workflow
      .getHandle(handle.workflowId)
      .describe()
      .catch(() => ({ memo: undefined }));
    const [gateShown] = (memo?.[MEMO.waiting] ?? []) as Gate[]; // written by the interpreter
    if (gateShown !== undefined) return gateShown;
  }
}
