// @seconds 50
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Expression } from '../../../src/plan/values/expression.js';
import type { DecisionReceipt, Gate } from '../../../src/plan/gates/gate.js';
import { MEMO } from '../../../src/plan/names.js';
import type { Plan } from '../../../src/plan/plan.js';
import { NO_BUDGETS } from '../../../src/plan/budget/budgets.js';
import type { Step, WorkflowStep } from '../../../src/plan/step.js';
import { FULL, random } from '../../faults/seed.js';
import {
  echo,
  foreach,
  literal,
  loop,
  many,
  script,
  set,
  single,
  textOf,
  whole,
} from '../../plan/helpers/build-blocks.js';
import { after, body, commandStep, plan, stepBase } from '../../plan/helpers/build-plan.js';
import { record } from '../../replay/record.js';
import type { Harness } from '../helpers/harness.js';
import { openHarness } from '../helpers/harness.js';
import { linksOf } from '../helpers/links.js';
import { sendDecision } from '../helpers/updating.js';
import { viewOf } from '../helpers/viewing.js';

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness();
});
afterAll(() => harness.close());

const INPUTS: Plan['inputs'] = { list: { type: 'list', required: true, description: null } };
/** Some of them in every run of the tests, all with `npm run test:full`. */
const ITEMS = FULL ? 5_000 : 700;
/** Ten for each item. In every run few: ten thousand take a quarter of an hour on a busy machine. */
const STEPS = FULL ? 10_000 : 300;

describe('a long foreach', () => {
  it(`of ${ITEMS} items continues as new, keeps each link small, loses none, and keeps them in order`, async () => {
    const made = plan(
      [
        foreach(0, whole('input:list'), single(echo(0, textOf('<', { root: 'item' }, '>'), { timeout_ms: 60_000 })), {
          id: 'each',
        }),
      ],
      { inputs: INPUTS },
    );
    const list = Array.from({ length: ITEMS }, (_, index) => index);
    const handle = await harness.start(made, {
      input: { list },
      settings: { budget: { ...NO_BUDGETS, max_parallel: 20 } },
    });
    const outcome = await handle.result();
    expect(await harness.json(outcome.output)).toEqual(list.map((index) => `<${index}>`));
    expect(outcome.spend.steps).toBe(ITEMS);
    const links = await linksOf(harness, handle);
    expect(links.length).toBeGreaterThan(1);
    for (const { events, bytes, activities } of links) {
      expect(events).toBeLessThan(4_500);
      expect(bytes).toBeLessThan(4 * 1024 * 1024);
      expect(activities).toBeLessThanOrEqual(20);
    }
  }, 1_200_000);
});

describe('a run that ends with just so many steps as one should have before it continues as new', () => {
  const LINK = 10;
  const word = textOf('<', { root: 'item' }, '>');
  const slow = { timeout_ms: 60_000 };
  const BODIES = {
    'slow commands': single(echo(0, word, slow)),
    'quick commands': single(echo(0, word)),
    values: single(set(0, { word })),
    'commands after one another': many([echo(0, word, slow), echo(1, word, { ...slow, needs: after(0) })], word),
  };

  it.each(Object.keys(BODIES) as (keyof typeof BODIES)[])(
    'loses none of the items of a foreach, and shows each once: %s',
    async (kind) => {
      const each = foreach(0, whole('input:list'), BODIES[kind], { id: 'each' });
      const counts = [1, 2, 3, 4].flatMap((links) =>
        [1, 7, 20].map((max_parallel) => ({ items: (links * LINK) / BODIES[kind].steps.length, max_parallel })),
      );
      await Promise.all(
        counts.map(async ({ items, max_parallel }) => {
          const list = Array.from({ length: items }, (_, index) => index);
          const handle = await harness.start(plan([each], { inputs: INPUTS }), {
            input: { list },
            linkSteps: LINK,
            settings: { budget: { ...NO_BUDGETS, max_parallel } },
          });
          const { output } = await handle.result();
          const words = list.map((index) => `<${index}>`);
          const where = `${items} items, ${max_parallel} at once`;
          expect(await harness.json(output), where).toEqual(
            kind === 'values' ? words.map((its) => ({ word: its })) : words,
          );
          const {
            steps: [shown],
          } = await viewOf(harness, handle.workflowId);
          expect(
            shown?.rounds.map(({ index, steps }) => [index, steps.map(({ status }) => status)]),
            where,
          ).toEqual(list.map((index) => [index, BODIES[kind].steps.map(() => 'success')]));
          // What starts together is in one link, however many a link should have.
          expect((await linksOf(harness, handle)).length, where).toBeGreaterThanOrEqual(
            Math.floor(items / Math.max(LINK, max_parallel)),
          );
        }),
      );
    },
  );
});

describe('a loop whose last round has as many steps as one run should have', () => {
  it('goes no further in the next one', async () => {
    const until: Expression = {
      kind: 'binary',
      operator: '==',
      left: { kind: 'reference', root: 'index', path: [], source: 'index' },
      right: { kind: 'literal', value: 3 },
    };
    const file = join(harness.folder, 'rounds.txt');
    const round = script(0, 'echo "$1" >> "$2"; echo "$1"', [whole('index'), literal(file)], { timeout_ms: 60_000 });
    const handle = await harness.start(plan([loop(0, until, single(round), { id: 'rounds', max: 6 })]), {
      linkSteps: 2,
    });
    const outcome = await handle.result();
    expect(outcome).toMatchObject({ status: 'success', spend: { steps: 4 } });
    expect(await readFile(file, 'utf8')).toBe('0\n1\n2\n3\n');
    const { rounds } = await harness.results(outcome);
    expect(rounds).toMatchObject({ status: 'success', note: '4 rounds' });
    expect(await harness.json(rounds?.output ?? null)).toBe('3');
    expect((await linksOf(harness, handle)).length).toBeGreaterThan(1);
    await record('loop-over', await harness.client.workflow.getHandle(handle.workflowId).fetchHistory());
  });
});

describe('a long run', () => {
  it(`of ${STEPS} steps keeps each link small, does every step once, and is shown as it was`, async () => {
    const groups = Array.from({ length: STEPS / 10 }, (_, index) => index);
    const digits = Array.from({ length: 10 }, (_, index) => index);
    const inner = foreach(
      0,
      { kind: 'literal', value: digits },
      single(echo(0, textOf({ root: '^item' }, '.', { root: 'item' }))),
      { id: 'digits' },
    );
    const handle = await harness.start(
      plan([foreach(0, { kind: 'literal', value: groups }, single(inner), { id: 'each' })]),
      { settings: { budget: { ...NO_BUDGETS, max_parallel: 20 } } },
    );
    const outcome = await handle.result();
    expect(await harness.json(outcome.output)).toEqual(
      groups.map((group) => digits.map((digit) => `${group}.${digit}`)),
    );
    expect(outcome.spend.steps).toBe(STEPS);
    const links = await linksOf(harness, handle);
    expect(links.length).toBeGreaterThan(STEPS / 1_000);
    for (const { events, bytes, activities } of links) {
      expect(events).toBeLessThan(4_500);
      expect(bytes).toBeLessThan(4 * 1024 * 1024);
      expect(activities).toBeLessThanOrEqual(20);
    }
    const {
      status,
      steps: [each],
    } = await viewOf(harness, handle.workflowId);
    expect({
      status,
      rounds: each?.rounds.map(({ index, status: its, steps: [of] }) => `${index} ${its} ${of?.rounds.length ?? 0}`),
    }).toEqual({ status: 'success', rounds: groups.map((group) => `${group} success 10`) });
  }, 2_400_000);
});

describe('30 gates in a foreach of nested workflows', () => {
  it('are open at once, answered in random order by two racing processes, and each is decided once', async () => {
    const gated = body(
      [
        {
          ...stepBase(0, { id: 'ok' }),
          kind: 'approval',
          message: { kind: 'literal', value: 'Go on?' },
          content: whole('input:text'),
          fallback: 'abort',
        },
      ],
      { name: 'gated' },
    );
    const nested: WorkflowStep = {
      ...stepBase(0),
      kind: 'workflow',
      workflow: 'gated',
      plan: 'sha256:gated',
      inputs: { text: whole('item') },
    };
    const list = Array.from({ length: 30 }, (_, index) => `item ${index}`);
    const handle = await harness.start(
      plan([foreach(0, whole('input:list'), single(nested), { id: 'each' })], {
        inputs: INPUTS,
        nested: { 'sha256:gated': gated },
      }),
      { input: { list } },
    );
    const runs = list.map((_, index) => harness.client.workflow.getHandle(`${handle.workflowId}/each/${index}`));
    const gates = await Promise.all(runs.map((run) => openGate(run)));
    const [first] = gates;
    await expect(decide(runs[1], { ...gates[1], hash: first?.hash ?? 'sha256:' } as Gate, 'late')).rejects.toThrow();
    const all = runs.map(({ workflowId }, index) => ({
      run: workflowId,
      gate: gates[index]?.path,
      hash: gates[index]?.hash,
    }));
    const ends = await Promise.all(['ana', 'bob'].map((by) => decideApart(by, shuffled(all, random(`gates ${by}`)))));
    expect(ends.map(({ decided, refused }) => decided + refused)).toEqual([30, 30]);
    expect(ends.reduce((sum, { decided }) => sum + decided, 0)).toBe(30);
    const outcome = await handle.result();
    expect(await harness.json(outcome.output)).toEqual(list);
  });
});

describe('a run that is long while nested runs are under way', () => {
  const steps = (nested: Step): Plan['steps'] => [
    nested,
    foreach(
      1,
      { kind: 'literal', value: Array.from({ length: 505 }, (_, index) => index) },
      single(set(0, { n: whole('item') })),
    ),
    commandStep(2, ['true'], { id: 'later', needs: after(1) }),
  ];
  const inner: WorkflowStep = {
    ...stepBase(0, { id: 'inner' }),
    kind: 'workflow',
    workflow: 'leaf',
    plan: 'sha256:leaf',
    inputs: {},
  };

  it('waits for those that work before it goes on as a new one', async () => {
    const go = join(harness.folder, 'drained');
    const leaf = body([commandStep(0, ['sh', '-c', 'until [ -e "$0" ]; do sleep 0.05; done', go])], { name: 'leaf' });
    const handle = await harness.start(plan(steps(inner), { nested: { 'sha256:leaf': leaf } }));
    await expect
      .poll(
        async () =>
          (await harness.events(handle.workflowId)).filter(({ type }) => type === 'childWorkflowExecutionStarted')
            .length,
      )
      .toBe(1);
    await writeFile(go, '');
    expect(await handle.result()).toMatchObject({ status: 'success', spend: { steps: 2 } });
    expect(await linksOf(harness, handle)).toMatchObject([
      { children: 1, activities: 0 },
      { children: 0, activities: 1 },
    ]);
  });

  it('goes on while all of them wait for people', async () => {
    const gate: Step = {
      ...stepBase(0, { id: 'ok' }),
      kind: 'approval',
      message: { kind: 'literal', value: 'Go on?' },
      content: null,
      fallback: 'abort',
    };
    const handle = await harness.start(
      plan(steps(inner), { nested: { 'sha256:leaf': body([gate], { name: 'leaf' }) } }),
    );
    await expect
      .poll(
        async () =>
          (await harness.events(handle.workflowId)).filter(({ type }) => type === 'activityTaskCompleted').length,
      )
      .toBe(1);
    const run = harness.client.workflow.getHandle(`${handle.workflowId}/inner`);
    await decide(run, await openGate(run), 'ana');
    expect(await handle.result()).toMatchObject({ status: 'success' });
  });
});

/** Answers gates in a process of its own. */
async function decideApart(by: string, gates: object[]): Promise<{ decided: number; refused: number }> {
  const { stdout } = await promisify(execFile)(process.execPath, [
    fileURLToPath(new URL('../helpers/decide-gates.mjs', import.meta.url)),
    JSON.stringify({ address: harness.address, by, gates }),
  ]);
  return JSON.parse(stdout) as { decided: number; refused: number };
}

function shuffled<T>(list: T[], draw: () => number): T[] {
  return list
    .map((item) => ({ item, place: draw() }))
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item);
}

type AnyRun = ReturnType<Harness['client']['workflow']['getHandle']>;

async function openGate(run: AnyRun): Promise<Gate> {
  for (;;) {
    const { memo } = await run.describe().catch(() => ({ memo: undefined }));
    const [gate] = (memo?.[MEMO.waiting] ?? []) as Gate[]; // written by the interpreter
    if (gate !== undefined) return gate;
  }
}

function decide(run: AnyRun | undefined, gate: Gate | undefined, by: string): Promise<DecisionReceipt> {
  if (run === undefined || gate === undefined) throw new Error('no gate');
  return sendDecision(run, { gate: gate.path, decision: 'approve', hash: gate.hash, by });
}
