// @seconds 60
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTranslator } from '../../src/cli/observe/history/events.js';
import { applyEvent, openFold } from '../../src/cli/observe/fold/fold.js';
import type { ModelEndpoint } from '../fakes/model-endpoint.js';
import { startModelEndpoint } from '../fakes/model-endpoint.js';
import { FULL, SEED, random } from '../faults/seed.js';
import type { Harness } from '../workflows/helpers/harness.js';
import { openHarness, resultsOf } from '../workflows/helpers/harness.js';
import { viewOf } from '../workflows/helpers/viewing.js';
import { toSay } from './author.js';
import type { ModelBudget } from './generate.js';
import { drawBudget, generate, withLooks } from './generate.js';
import { compare } from './compare.js';
import type { Expected, ModelWorkflow } from './reference.js';
import { play } from './reference.js';
import type { SeedRun } from './run-seed.js';
import { runSeed } from './run-seed.js';

const SEEDS = FULL ? 2_000 : Number(process.env['N'] ?? 100);
/** So many are one test. */
const ROUND = 100;
/** So many run at once, on one server and worker. */
const SIDE_BY_SIDE = 4;
/** What once failed, by its seed and name; it is run every time. */
const PINNED: Drawn[] = [
  ...[708, 944, 1074, 1269, 1946].map((number) => ({ seed: 'none', name: `model ${number}` })),
  { seed: '9483eab9', name: 'model 118' },
  { seed: 'b67c6d7c', name: 'model 67' },
  { seed: 'f649b41c', name: 'model 1763' },
  { seed: '01408055', name: 'model 11' },
  { seed: '33de468c', name: 'model 25' },
  // All but what `finally:` does is within the budget.
  { seed: '255d3079537752fea00f3748571717f0cf440e91', name: 'model 149' },
  // Nothing but what `finally:` does has succeeded.
  { seed: 'aaedc10f', name: 'model 10' },
  // A loop that fails before anything in it leaves an event.
  { seed: '7340cd89', name: 'model 24' },
];
/** What a random definition is drawn by. */
interface Drawn {
  seed: string;
  name: string;
}

/**
 * More steps than any of these has in one link; and how many one has where it is cut: drawn, so that all is cut
 * somewhere.
 */
const WHOLE = 10_000;
const MOST_CUT = 20;

let harness: Harness;
let endpoint: ModelEndpoint;
beforeAll(async () => {
  endpoint = await startModelEndpoint(({ prompt }) => ({ text: toSay(prompt) }));
  harness = await openHarness({ ANTHROPIC_API_KEY: 'none', ANTHROPIC_BASE_URL: endpoint.url });
});
afterAll(async () => {
  await harness.close();
  await endpoint.close();
});

/** Runs one random definition on the real server and says how it differs from the model; empty when it does not. */
async function differences({ seed, name }: Drawn): Promise<string[]> {
  const length = 1 + Math.floor(random(`links of ${name}`, seed)() * MOST_CUT);
  const looks = random(`looks of ${name}`, seed);
  const cut = 1 + Math.floor(looks() * MOST_CUT);
  const ways: [way: string, linkSteps: number, change?: (workflow: ModelWorkflow) => ModelWorkflow][] = [
    ['', WHOLE],
    [`${length} steps in a link: `, length],
    [`with looks, ${cut} steps in a link: `, cut, (workflow) => withLooks(workflow, looks)],
  ];
  const found = await Promise.all(
    ways.map(async ([way, linkSteps, change]) =>
      (await differencesIn({ seed, name }, linkSteps, change)).map((difference) => `${way}${difference}`),
    ),
  );
  return found.flat();
}

async function differencesIn(
  { seed, name }: Drawn,
  linkSteps: number,
  change = (workflow: ModelWorkflow): ModelWorkflow => workflow,
): Promise<string[]> {
  const draw = random(name, seed);
  const workflow = change(generate(draw));
  const expected = play(workflow);
  const budget = drawBudget(draw, expected);
  const run = await runSeed(harness, workflow, expected, { budget, linkSteps });
  if (isShort(budget, expected)) return short(run, budget, { workflow, expected });
  return [
    ...(await compare(harness.store, { workflow, expected }, run)),
    ...money(run, budget, expected),
    ...(await viewed(expected, run.handle.workflowId)),
  ];
}

/** Whether the run has to end before its definition does. */
function isShort(budget: ModelBudget, { spent, calls }: Expected): boolean {
  return (budget.kind === 'steps' && budget.limit < spent) || (budget.kind === 'tokens' && calls > 0);
}

/**
 * Which steps start of those that could is a matter of time; how many is not. Those of `finally:` run also where the
 * budget has nothing left: where they come last, the others may all have run.
 */
async function short(
  { outcome }: SeedRun,
  budget: ModelBudget,
  { workflow, expected: { status, spent, last } }: { workflow: ModelWorkflow; expected: Expected },
): Promise<string[]> {
  const isSteps = budget.kind === 'steps';
  const got = {
    status: outcome.status,
    charged: isSteps ? outcome.charged?.steps : outcome.charged?.tokens,
  };
  // No model was asked: a part is there where a step has succeeded that is none of `finally:`.
  const results = Object.values(await resultsOf(harness.store, outcome));
  const isPart = results.some((one) => one.status === 'success' && one.step_index < workflow.steps.length);
  const ends = !isSteps ? [isPart ? 'partial' : 'error'] : budget.limit < spent - last ? ['error'] : ['error', status];
  const want = { status: ends.find((end) => end === got.status) ?? ends[0], charged: isSteps ? budget.limit : 0 };
  return JSON.stringify(got) === JSON.stringify(want)
    ? []
    : [`short of ${budget.kind}: got ${JSON.stringify(got)}, expected ${JSON.stringify(want)}: ${outcome.error ?? ''}`];
}

/** Each call uses 15 tokens, and a run that was topped up has asked nothing twice. */
function money({ outcome, added }: SeedRun, { kind }: ModelBudget, { calls }: Expected): string[] {
  const found =
    outcome.spend.tokens === calls * 15 ? [] : [`tokens: got ${outcome.spend.tokens}, expected ${calls * 15}`];
  return kind === 'usd' && calls > 0 && added === 0 ? [...found, 'it was not topped up'] : found;
}

/** What a viewer makes of the run's history alone must be the same (decision 5). */
async function viewed(expected: Expected, run: string): Promise<string[]> {
  const { events } = await harness.client.workflow.getHandle(run).fetchHistory();
  const translated = (events ?? []).flatMap(createTranslator());
  const [first, ...rest] = translated;
  if (first?.kind !== 'run-started') return ["the history does not begin with the run's start"];
  const fold = openFold(run, first);
  for (const event of rest) applyEvent(fold, event);
  // What a link before has done stands in pages: a viewer reads them, and the fold of the last link alone does not know
  // it.
  const schedule = first.input.carried === null ? fold.top.schedule : { steps: (await viewOf(harness, run)).steps };
  return expected.steps.flatMap(({ status }, index) => {
    const shown = schedule.steps[index]?.status;
    return shown === status ? [] : [`step ${index} is shown as ${String(shown)}, expected ${status}`];
  });
}

const ROUNDS: [title: string, drawn: Drawn[]][] = [
  ['that once failed', PINNED],
  ...Array.from({ length: Math.ceil(SEEDS / ROUND) }, (_, round): [string, Drawn[]] => {
    const first = round * ROUND;
    const last = Math.min(SEEDS, first + ROUND) - 1;
    const drawn = Array.from({ length: last + 1 - first }, (__, at) => ({ seed: SEED, name: `model ${first + at}` }));
    return [`${first} to ${last}`, drawn];
  }),
];

describe('random definitions', () => {
  it.each(ROUNDS)('%s agree with the reference model', { timeout: 900_000 }, async (_title, drawn) => {
    const failed: Record<string, string[]> = {};
    const left = [...drawn];
    const lane = async (): Promise<void> => {
      for (let next = left.shift(); next !== undefined; next = left.shift()) {
        const found = await differences(next).catch((error: unknown) => [String(error)]);
        if (found.length > 0) failed[`${next.seed} ${next.name}`] = found;
      }
    };
    await Promise.all(Array.from({ length: SIDE_BY_SIDE }, lane));
    expect(failed, JSON.stringify(failed, null, 1)).toEqual({});
  });
});
