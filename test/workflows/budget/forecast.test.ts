import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { forecastPlan } from '../../../src/workers/forecast/forecast-plan.js';
import type { ClosedRun } from '../../../src/workers/forecast/read-past.js';
import { readPast } from '../../../src/workers/forecast/read-past.js';
import { scoreOf, scoreRuns } from '../../../src/cli/forecast/score.js';
import { createRandom } from '../../../src/compiler/forecast/random.js';
import type { ModelChoice } from '../../../src/plan/agents/model-choice.js';
import type { AgentStep } from '../../../src/plan/step.js';
import type { Json } from '../../../src/plan/values/json.js';
import type { ModelEndpoint, RecordedRequest } from '../../fakes/model-endpoint.js';
import { startModelEndpoint } from '../../fakes/model-endpoint.js';
import { foreach, loop, many, reference, single, textOf, whole } from '../../plan/helpers/build-blocks.js';
import { needs, plan, stepBase } from '../../plan/helpers/build-plan.js';
import type { Harness } from '../helpers/harness.js';
import { openHarness } from '../helpers/harness.js';
import { PARROT, PARROT_KEY } from '../helpers/parrot.js';

const PAST = 40;
const HELD_OUT = 100;
const AT_ONCE = 10;
const NO_CACHE = { cache_read: null, cache_write_5m: null, cache_write_1h: null };
const MODEL: ModelChoice = {
  provider: 'anthropic',
  model: 'm',
  max_tokens: 4_000,
  price: { input: 3, output: 15, ...NO_CACHE },
};

function ask(index: number, part: string, more: Partial<AgentStep> = {}, scope = 'input:seed'): AgentStep {
  return {
    ...stepBase(index),
    kind: 'agent',
    agent: PARROT_KEY,
    prompt: textOf(`part ${part} of seed `, { root: scope }),
    inputs: {},
    model: null,
    schema: null,
    rehearsal: null,
    ...more,
  };
}

/** A step that some runs leave out, a list of a length that nobody knows before, and a loop that ends when it may. */
const PLAN = plan(
  [
    ask(0, 'look'),
    ask(1, 'deep', {
      needs: needs(0),
      when: { kind: 'binary', operator: '==', left: reference('input:deep'), right: { kind: 'literal', value: true } },
    }),
    foreach(2, whole('input:list'), single(ask(0, 'item', {}, 'item')), { needs: needs(0) }),
    loop(
      3,
      { kind: 'binary', operator: '==', left: reference('step:0.output'), right: { kind: 'literal', value: 'done' } },
      many([ask(0, 'again', {}, '^input:seed')]),
      { max: 6, needs: needs(2) },
    ),
  ],
  {
    agents: { [PARROT_KEY]: PARROT },
    inputs: Object.fromEntries(
      (['seed', 'deep', 'list'] as const).map((name) => [
        name,
        { type: 'any' as const, required: true, description: null },
      ]),
    ),
  },
);

/** A long subject makes every answer of a run long; each differs by itself too. */
function answer({ prompt }: RecordedRequest): { text: string; usage: { input: number; output: number } } {
  const [, part = '', seed = ''] = /part (\w+) of seed (\S+)/.exec(prompt) ?? [];
  const subject = Math.exp(0.35 * createRandom(`subject ${seed.split('.')[0] ?? ''}`).normal());
  const times = (asked.get(prompt) ?? 0) + 1;
  asked.set(prompt, times);
  const own = createRandom(`${prompt} ${times}`);
  const output = Math.round(600 * subject * Math.exp(0.3 * own.normal()));
  return { text: part === 'again' && own.uniform() < 0.5 ? 'done' : 'more', usage: { input: 2 * output, output } };
}
const asked = new Map<string, number>();

let harness: Harness;
let endpoint: ModelEndpoint;
let past: ClosedRun[];
let others: ClosedRun[];
beforeAll(async () => {
  endpoint = await startModelEndpoint(answer);
  harness = await openHarness({ ANTHROPIC_API_KEY: 'none', ANTHROPIC_BASE_URL: endpoint.url });
  const runs = Array.from({ length: PAST + HELD_OUT }, (_, seed) => seed);
  for (let from = 0; from < runs.length; from += AT_ONCE)
    await Promise.all(runs.slice(from, from + AT_ONCE).map(runSeed));
  const closed = (await readPast(harness.store)).toReversed();
  [past, others] = [closed.slice(0, PAST), closed.slice(PAST)];
});
afterAll(async () => {
  await harness.close();
  await endpoint.close();
});

async function runSeed(seed: number): Promise<void> {
  const random = createRandom(`inputs ${seed}`);
  const list: Json = Array.from({ length: 1 + Math.floor(random.uniform() * 4) }, (_, item) => `${seed}.${item}`);
  const input = { seed: String(seed), deep: random.uniform() < 0.7, list };
  const handle = await harness.start(PLAN, { id: `seed-${seed}`, input, settings: { models: { '': MODEL } } });
  // A loop that is never done is an error; it has cost what it has cost.
  await handle.result().catch(() => undefined);
}

describe('a forecast from runs that have really closed', () => {
  it('holds for a hundred others: of cost, tokens and time', () => {
    expect([past.length, others.length]).toEqual([PAST, HELD_OUT]);
    // Each part of them is once what is known: of one alone it is chance how its middle lies.
    const closed = [...past, ...others];
    const folds = [0, PAST, 2 * PAST].map((from) => {
      const rest = [...closed.slice(0, from), ...closed.slice(from + PAST)];
      const known = closed.slice(from, from + PAST);
      return { ...forecastPlan(PLAN, known, { models: undefined, env: {} })!, rest };
    });
    for (const { unknown, ms } of folds) {
      expect(unknown).toEqual([]);
      // How long a call takes here is the machine's, and no seed's.
      expect(ms.p95).toBeGreaterThan(ms.p50);
      expect(ms.p50).toBeGreaterThan(0);
    }
    const scores = [
      scoreOf(folds.flatMap(({ usd, rest }) => rest.map(({ record }) => ({ ...usd!, taken: record.spend.usd ?? 0 }))))!,
      scoreOf(
        folds.flatMap(({ tokens, rest }) => rest.map(({ record }) => ({ ...tokens, taken: record.spend.tokens }))),
      )!,
    ];
    for (const score of scores) {
      expect(score.below_p95).toBeGreaterThanOrEqual(0.85);
      expect(score.below_p95).toBeLessThanOrEqual(0.99);
      expect(score.below_p50).toBeGreaterThanOrEqual(0.4);
      expect(score.below_p50).toBeLessThanOrEqual(0.6);
      expect(score.ratio).toBeLessThanOrEqual(3);
    }
  });

  it('is scored afterwards, each by what was closed when its run began', () => {
    const { usd } = scoreRuns([...past, ...others], { models: undefined, env: {} });
    expect(usd!.runs).toBeGreaterThan(HELD_OUT);
    expect(usd!.runs).toBeLessThan(PAST + HELD_OUT);
    expect(usd!.below_p95).toBeGreaterThan(0.85);
  });
});
