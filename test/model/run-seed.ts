import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { WorkflowFailedError } from '@temporalio/client';
import { vi } from 'vitest';
import { compileDefinition } from '../../src/compiler/compile.js';
import { loadConfig } from '../../src/compiler/project/config.js';
import { findProject } from '../../src/compiler/project/project.js';
import type { Decision, DecisionReceipt, Gate } from '../../src/plan/gates/gate.js';
import { DECIDE, MEMO, STEER } from '../../src/plan/names.js';
import type { Plan } from '../../src/plan/plan.js';
import type { RunOutcome } from '../../src/plan/result.js';
import type { ModelChoice } from '../../src/plan/agents/model-choice.js';
import type { Steer, SteerReceipt } from '../../src/plan/budget/steering.js';
import type { Harness, RunHandle, StartOptions } from '../workflows/helpers/harness.js';
import { PROJECT, toFiles } from './author.js';
import type { ModelBudget } from './generate.js';
import type { Expected, GateExpected, ModelWorkflow } from './reference.js';

/** A thousandth of a dollar for every token: one call reserves some 40 cents, and uses 1.5. */
const MODEL: ModelChoice = {
  provider: 'anthropic',
  model: 'claude-parrot',
  max_tokens: 50,
  price: { input: 1000, output: 1000, cache_read: null, cache_write_5m: null, cache_write_1h: null },
};
/** Less than any call reserves. */
const TOO_LITTLE = { usd: 0.1, tokens: 100 };

/** What came of one random definition on the real server. */
export interface SeedRun {
  handle: RunHandle;
  outcome: RunOutcome;
  /** Lines `start <workflow>/<step>` and `end …` of its commands. */
  log: string;
  /** How often it was topped up. */
  added: number;
}

/** Where a definition is run: the harness, or a project with a host. `client` is asked for anew each time. */
export type Bench = Pick<Harness, 'client' | 'store' | 'folder' | 'start'>;

/** A definition that is under way. */
export interface StartedSeed {
  handle: RunHandle;
  people: { leave: () => Promise<number> };
  /** Lines of its commands so far. */
  log: () => Promise<string>;
}

interface SeedOptions {
  budget: ModelBudget;
  linkSteps: number;
  id?: string;
}

/**
 * Runs a definition with people who decide its gates and top it up. Throws with the problems when it does not compile.
 */
export async function runSeed(
  harness: Harness,
  workflow: ModelWorkflow,
  expected: Expected,
  options: SeedOptions,
): Promise<SeedRun> {
  const { handle, people, log } = await startSeed(harness, workflow, expected, options);
  const outcome = await handle.result().catch((error: unknown) => {
    if (error instanceof WorkflowFailedError && error.cause !== undefined && 'details' in error.cause)
      return (error.cause.details as [RunOutcome])[0];
    throw error;
  });
  return { handle, outcome, log: await log(), added: await people.leave() };
}

/** Starts one, and has people attend to it. */
export async function startSeed(
  bench: Bench,
  workflow: ModelWorkflow,
  expected: Expected,
  { budget, linkSteps, id }: SeedOptions,
): Promise<StartedSeed> {
  const folder = await mkdtemp(join(bench.folder, 'seed-'));
  const log = join(folder, 'order.log');
  const plan = await compile(bench, workflow, folder, log);
  const handle = await bench.start(plan, {
    linkSteps,
    settings: { workspace: folder, models: { '': MODEL } },
    lease: leaseFor(budget),
    ...(id === undefined ? {} : { id }),
  });
  const people = openPeople(bench, handle, expected.gates, budget);
  return { handle, people, log: () => readFile(log, 'utf8').catch(() => '') };
}

async function compile({ store }: Bench, workflow: ModelWorkflow, folder: string, log: string): Promise<Plan> {
  for (const [path, text] of Object.entries({ ...PROJECT, ...toFiles(workflow, log) })) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  const project = findProject(folder);
  const { plan, problems, texts } = compileDefinition({
    file: `definitions/workflows/${workflow.name}.yml`,
    cwd: folder,
    project,
    config: loadConfig(project).config,
  });
  if (plan === null) throw new Error(problems.map(({ code, message }) => `${code}: ${message}`).join('\n'));
  for (const text of texts.values()) await store.putAlways(text);
  return plan;
}

function leaseFor(budget: ModelBudget): NonNullable<StartOptions['lease']> {
  switch (budget.kind) {
    case 'none':
      return {};
    case 'steps':
      return { steps: budget.limit };
    case 'usd':
      return { usd: TOO_LITTLE.usd };
    case 'tokens':
      return { tokens: TOO_LITTLE.tokens };
  }
}

/** Decides what is asked, and tops up what is paused, as soon as it is seen. */
function openPeople(
  bench: Bench,
  handle: RunHandle,
  gates: GateExpected[],
  budget: ModelBudget,
): { leave: () => Promise<number> } {
  let left = false;
  let added = 0;
  const memoOf = async (run: string, key: string): Promise<unknown> =>
    (
      await bench.client.workflow
        .getHandle(run)
        .describe()
        .catch(() => null)
    )?.memo?.[key];
  const decide = async (run: string, expected: GateExpected): Promise<boolean> => {
    const open = ((await memoOf(run, MEMO.waiting)) ?? []) as Gate[]; // written by the interpreter
    const gate = open.find(({ path }) => path === expected.path);
    if (gate === undefined) return false;
    const decision: Decision = {
      gate: gate.path,
      hash: gate.hash,
      by: 'ana',
      ...(expected.kind === 'ask'
        ? { decision: 'answer', value: { value: 'answered' } }
        : { decision: expected.approve ? 'approve' : 'reject' }),
    };
    return bench.client.workflow
      .getHandle(run)
      .executeUpdate<DecisionReceipt, [Decision]>(DECIDE, { args: [decision] })
      .then(
        () => true,
        () => false,
      );
  };
  const topUp = async (): Promise<void> => {
    if (((await memoOf(handle.workflowId, MEMO.paused)) ?? null) === null) return;
    const steer: Steer = { kind: 'budget', add: { usd: 1 }, by: 'ana', id: randomUUID() };
    await handle.executeUpdate<SteerReceipt, [Steer]>(STEER, { args: [steer] }).then(
      () => {
        added += 1;
      },
      () => undefined,
    );
  };
  const attend = async (): Promise<void> => {
    const waiting = [...gates];
    if (waiting.length === 0 && budget.kind !== 'usd') return;
    await vi.waitUntil(
      async () => {
        for (const gate of [...waiting])
          if (await decide(gate.run === '' ? handle.workflowId : `${handle.workflowId}/${gate.run}`, gate))
            waiting.splice(waiting.indexOf(gate), 1);
        if (budget.kind === 'usd') await topUp();
        return left || (waiting.length === 0 && budget.kind !== 'usd');
      },
      { interval: 100, timeout: 240_000 },
    );
  };
  const attending = attend();
  return {
    leave: async () => {
      left = true;
      await attending;
      return added;
    },
  };
}
