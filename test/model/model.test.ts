import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { WorkflowFailedError } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTranslator } from '../../src/cli/observe/events.js';
import { applyEvent, openFold } from '../../src/cli/observe/fold.js';
import { compileDefinition } from '../../src/compiler/compile.js';
import { loadConfig } from '../../src/compiler/config.js';
import { findProject } from '../../src/compiler/project.js';
import type { RunOutcome } from '../../src/plan/result.js';
import { FULL, random } from '../faults/seed.js';
import type { Harness } from '../workflows/harness.js';
import { openHarness } from '../workflows/harness.js';
import { generate, toFiles } from './generate.js';
import type { ModelWorkflow } from './reference.js';
import { play } from './reference.js';

const SEEDS = FULL ? 2_000 : 200;
/** So many run at once, on one server and worker. */
const SIDE_BY_SIDE = 4;
/** Names of seeds that once failed; they are run every time. */
const PINNED: string[] = [];

let harness: Harness;
beforeAll(async () => { harness = await openHarness(); });
afterAll(async () => { await harness.close(); });

/** Runs one random definition on the real server and says how it differs from the model; empty when it does not. */
async function differences(name: string): Promise<string[]> {
  const workflow = generate(random(name));
  const folder = await mkdtemp(join(harness.folder, 'seed-'));
  const log = join(folder, 'order.log');
  for (const [path, text] of Object.entries({ 'perdure.yml': '{}\n', ...toFiles(workflow, log) })) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  const project = findProject(folder);
  const { plan, problems, texts } = compileDefinition({ file: `definitions/workflows/${workflow.name}.yml`, cwd: folder, project, config: loadConfig(project).config });
  if (plan === null) return problems.filter(({ severity }) => severity === 'error').map(({ code, message }) => `${code}: ${message}`);
  for (const text of texts.values()) await harness.store.putAlways(text);
  const handle = await harness.start(plan, { settings: { workspace: folder } });
  const outcome = await handle.result().catch((error: unknown) => {
    if (error instanceof WorkflowFailedError && error.cause !== undefined && 'details' in error.cause) return (error.cause.details as [RunOutcome])[0];
    throw error;
  });
  const found = await compare(workflow, outcome, await readFile(log, 'utf8').catch(() => ''));
  return [...found, ...(await viewed(workflow, handle.workflowId))];
}

/** What a viewer makes of the run's history alone must be the same (decision 5). */
async function viewed(workflow: ModelWorkflow, run: string): Promise<string[]> {
  const { events } = await harness.client.workflow.getHandle(run).fetchHistory();
  const translated = (events ?? []).map(createTranslator()).filter((event) => event !== null);
  const [first, ...rest] = translated;
  if (first?.kind !== 'run-started') return ['the history does not begin with the run\'s start'];
  const fold = openFold(run, first);
  for (const event of rest) applyEvent(fold, event);
  return play(workflow).steps.flatMap(({ status }, index) => (fold.schedule.steps[index]?.status === status ? [] : [`s${index} is shown as ${String(fold.schedule.steps[index]?.status)}, expected ${status}`]));
}

async function compare(workflow: ModelWorkflow, outcome: RunOutcome, log: string): Promise<string[]> {
  const expected = play(workflow);
  const found: string[] = [];
  const check = (what: string, got: unknown, want: unknown): void => { if (got !== want) found.push(`${what}: got ${JSON.stringify(got)}, expected ${JSON.stringify(want)}`); };
  check('status', outcome.status, expected.status);
  check('spend', outcome.spend.steps, expected.spent);
  if (expected.status !== 'error') check('output', await harness.json(outcome.output), expected.output);
  const results = await harness.results(outcome);
  for (const [index, want] of expected.steps.entries()) {
    const got = results[`s${index}`];
    check(`s${index}`, got?.status, want.status);
    check(`s${index}.output`, await harness.json(got?.output ?? null), want.output);
  }
  for (const [before, after] of expected.order) {
    const [end, start] = [log.indexOf(`end ${workflow.name}/s${before}\n`), log.indexOf(`start ${workflow.name}/s${after}\n`)];
    if (end >= 0 && start >= 0 && start < end) found.push(`s${after} started before s${before} had ended`);
  }
  return found;
}

describe('random definitions', () => {
  it(`agree with the reference model (${SEEDS} seeds)`, { timeout: FULL ? 1_800_000 : 240_000 }, async () => {
    const names = [...PINNED, ...Array.from({ length: SEEDS }, (_, seed) => `model ${seed}`)];
    const failed: Record<string, string[]> = {};
    const lane = async (): Promise<void> => {
      for (let name = names.shift(); name !== undefined; name = names.shift()) {
        const found = await differences(name);
        if (found.length > 0) failed[name] = found;
      }
    };
    await Promise.all(Array.from({ length: SIDE_BY_SIDE }, lane));
    expect(failed).toEqual({});
  });
});
