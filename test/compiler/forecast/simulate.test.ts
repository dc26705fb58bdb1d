import { describe, expect, it } from 'vitest';
import { scoreOf } from '../../../src/cli/forecast/score.js';
import type { PastRun, PastStep } from '../../../src/compiler/forecast/past.js';
import { stepKey } from '../../../src/compiler/forecast/past.js';
import { createRandom } from '../../../src/compiler/forecast/random.js';
import type { Guess, PastForecast, Rest } from '../../../src/compiler/forecast/simulate.js';
import { simulate } from '../../../src/compiler/forecast/simulate.js';
import type { Plan } from '../../../src/plan/plan.js';
import type { AgentStep, Step } from '../../../src/plan/step.js';
import { everyStep } from '../../../src/plan/step.js';
import { foreach, loop, many, reference, whole } from '../../plan/helpers/build-blocks.js';
import { commandStep, needs, plan, stepBase } from '../../plan/helpers/build-plan.js';
import { approval } from '../../workflows/helpers/gate-setting.js';

const guess: Guess = () => ({ usd: [0.001, 1], tokens: [100, 10_000] });

function agent(index: number, prompt: string, after: number[] = []): AgentStep {
  return {
    ...stepBase(index, { needs: after.flatMap((step) => needs(step)) }),
    kind: 'agent',
    agent: 'sha256:someone',
    prompt: { kind: 'literal', value: prompt },
    inputs: {},
    model: null,
    schema: null,
    rehearsal: null,
  };
}

/** A plan with all that makes runs differ: a list of unknown length, a loop, a step that may be left out. */
const PLAN = plan([
  agent(0, 'Look'),
  foreach(1, whole('input:list'), many([agent(0, 'One')])),
  loop(2, reference('last:0.output'), many([agent(0, 'Again')]), { max: 5 }),
  agent(3, 'Sometimes', [2]),
  commandStep(4, ['true'], { needs: needs(3) }),
]);

/** What a run takes, in which steps go together: a long subject makes every answer long. */
function runOf(made: Plan, seed: string): PastRun & { usd: number; tokens: number } {
  const random = createRandom(seed);
  const subject = Math.exp(0.35 * random.normal());
  const steps = new Map<PastRun['steps'] extends ReadonlyMap<infer K, unknown> ? K : never, PastStep[]>();
  const add = (step: Step, times: number): void => {
    const all = Array.from({ length: times }, (): PastStep => {
      if (step.kind !== 'agent') return { usd: 0, tokens: 0, ms: 100 * random.uniform() };
      const tokens = Math.round(1_000 * subject * Math.exp(0.3 * random.normal()));
      return { usd: tokens / 100_000, tokens, ms: tokens };
    });
    steps.set(stepKey(step), all);
  };
  const [look, each, again, sometimes, last] = made.steps;
  const items = 2 + Math.floor(random.uniform() * 4);
  const rounds = 1 + Math.floor(random.uniform() * 3);
  for (const step of [look, last]) if (step !== undefined) add(step, 1);
  if (sometimes !== undefined) add(sometimes, random.uniform() < 0.7 ? 1 : 0);
  for (const [step, count] of [
    [each, items],
    [again, rounds],
  ] as const) {
    if (step === undefined) continue;
    steps.set(stepKey(step), [{ usd: 0, tokens: 0, ms: 0, rounds: count }]);
    for (const inner of everyStep({ steps: 'body' in step ? step.body.steps : [] })) add(inner, count);
  }
  const all = [...steps.values()].flat();
  const sum = (of: 'usd' | 'tokens'): number => all.reduce((total, one) => total + (one[of] ?? 0), 0);
  return { steps, extra_ms: 10, usd: sum('usd'), tokens: sum('tokens') };
}

const forecast = (made: Plan, past: PastRun[]): PastForecast => simulate(made, past, guess)!;

function expectCalibrated(outcomes: Parameters<typeof scoreOf>[0]): void {
  const score = scoreOf(outcomes)!;
  expect(score.below_p95).toBeGreaterThanOrEqual(0.85);
  expect(score.below_p95).toBeLessThanOrEqual(0.99);
  expect(score.below_p50).toBeGreaterThanOrEqual(0.4);
  expect(score.below_p50).toBeLessThanOrEqual(0.6);
  expect(score.ratio).toBeLessThanOrEqual(3);
}

describe('a forecast from closed runs', () => {
  it.each([40, 80, 150])('holds for a hundred other runs, made from %i', (count) => {
    const past = Array.from({ length: count }, (_, index) => runOf(PLAN, `past ${index}`));
    const { usd, tokens } = forecast(PLAN, past);
    const others = Array.from({ length: 100 }, (_, index) => runOf(PLAN, `held out ${index}`));
    expectCalibrated(others.map((run) => ({ ...usd!, taken: run.usd })));
    expectCalibrated(others.map((run) => ({ ...tokens, taken: run.tokens })));
  });

  it.each([6, 12, 25])('holds on the whole for others, made from as few as %i, twenty times', (count) => {
    const outcomes = Array.from({ length: 20 }, (_, at) => {
      const past = Array.from({ length: count }, (_run, index) => runOf(PLAN, `few ${at} ${index}`));
      const { usd } = forecast(PLAN, past);
      return Array.from({ length: 50 }, (_run, index) => ({ ...usd!, taken: runOf(PLAN, `then ${at} ${index}`).usd }));
    });
    expectCalibrated(outcomes.flat());
  });

  it('is the same each time, and another one from another past', () => {
    const past = Array.from({ length: 10 }, (_, index) => runOf(PLAN, `past ${index}`));
    expect(forecast(PLAN, past)).toEqual(forecast(PLAN, past));
    expect(forecast(PLAN, past.slice(1)).usd).not.toEqual(forecast(PLAN, past).usd);
  });

  it('is none from fewer than three runs, and none where no step that asks a model was done before', () => {
    const past = Array.from({ length: 10 }, (_, index) => runOf(PLAN, `past ${index}`));
    expect(simulate(PLAN, past.slice(0, 2), guess)).toBeNull();
    expect(simulate(plan([agent(0, 'New'), commandStep(1, ['true'])]), past, guess)).toBeNull();
  });

  it('counts the static range of a step that no run has done, and names it', () => {
    const past = Array.from({ length: 10 }, (_, index) => runOf(PLAN, `past ${index}`));
    const more = plan([...PLAN.steps, { ...agent(5, 'New'), id: 'fresh' }]);
    const { usd, unknown } = forecast(more, past);
    expect(unknown).toEqual(['fresh']);
    expect(usd!.p95).toBeGreaterThan(forecast(PLAN, past).usd!.p95);
  });

  it('knows a step by what it does, wherever it stands and whatever it is called', () => {
    const one = { ...agent(0, 'Look'), id: 'a' };
    expect(stepKey({ ...one, index: 7, id: 'b', needs: needs(3) })).toBe(stepKey(one));
    expect(stepKey({ ...one, model: 'opus' })).not.toBe(stepKey(one));
    expect(stepKey(agent(0, 'Look again'))).not.toBe(stepKey(one));
  });

  it('takes the longest way of steps side by side, and as many items at once as there are slots', () => {
    const item = { ...commandStep(0, ['sleep', '1']) };
    const list = { kind: 'literal' as const, value: [1, 2, 3, 4] };
    const two = plan([foreach(0, list, many([item]), { max_parallel: 2 }), commandStep(1, ['sleep', '5'])]);
    const steps = new Map(
      [...everyStep(two)].map((step): [ReturnType<typeof stepKey>, PastStep[]] => [
        stepKey(step),
        [{ usd: 0, tokens: 0, ms: step.index === 1 ? 5_000 : 1_000, rounds: 4 }],
      ]),
    );
    const { ms } = forecast(
      two,
      Array.from({ length: 3 }, () => ({ steps, extra_ms: 0 })),
    );
    expect(ms).toEqual({ p50: 5_000, p95: 5_000 });
    const alone = plan([two.steps[0]!]);
    expect(
      forecast(
        alone,
        Array.from({ length: 3 }, () => ({ steps, extra_ms: 7 })),
      ).ms.p50,
    ).toBe(2_007);
  });

  it('knows no cost where a price was not known', () => {
    const one = plan([agent(0, 'Look')]);
    const steps = new Map([[stepKey(one.steps[0]!), [{ usd: null, tokens: 5, ms: 1 }]]]);
    expect(
      forecast(
        one,
        Array.from({ length: 3 }, () => ({ steps, extra_ms: 0 })),
      ).usd,
    ).toBeNull();
  });

  describe('of what is left at a gate', () => {
    const gated = plan([
      agent(0, 'Look'),
      approval(1, { needs: needs(0) }),
      agent(2, 'Publish', [1]),
      commandStep(3, ['true'], { needs: needs(2) }),
    ]);
    const [look, gate, publish, last] = gated.steps;
    const rest: Rest = { gate: gate!, parts: [{ block: gated, after: new Set([2, 3]) }] };
    const run = (usd: number, refused: boolean): PastRun => ({
      extra_ms: 80,
      steps: new Map<ReturnType<typeof stepKey>, PastStep[]>([
        [stepKey(look!), [{ usd: 100, tokens: 100, ms: 100_000 }]],
        [stepKey(gate!), [{ usd: 0, tokens: 0, ms: 0, ...(refused ? { refused: true } : {}) }]],
        [stepKey(publish!), refused ? [] : [{ usd, tokens: 10, ms: 1_000 }]],
        [stepKey(last!), refused ? [] : [{ usd: 0, tokens: 0, ms: 500 }]],
      ]),
    });

    it('counts only that, with its share of what lies between steps', () => {
      const past = Array.from({ length: 5 }, () => run(2, false));
      expect(simulate(gated, past, guess, rest)).toEqual({
        runs: 5,
        usd: { p50: 2, p95: 2 },
        tokens: { p50: 10, p95: 10 },
        ms: { p50: 1_540, p95: 1_540 },
        unknown: [],
      });
    });

    it('follows runs in which the gate was approved, and no others', () => {
      const approved = Array.from({ length: 3 }, () => run(2, false));
      const rejected = Array.from({ length: 30 }, () => run(2, true));
      expect(simulate(gated, [...approved, ...rejected], guess, rest)).toMatchObject({
        runs: 3,
        usd: { p50: 2, p95: 2 },
      });
      expect(simulate(gated, [...approved.slice(1), ...rejected], guess, rest)).toBeNull();
    });

    it('is nothing where nothing is left', () => {
      const past = Array.from({ length: 5 }, () => run(2, false));
      expect(simulate(gated, past, guess, { gate: gate!, parts: [{ block: gated, after: new Set() }] })).toBeNull();
    });

    it('takes blocks around the gate after what is left in its own', () => {
      const past = Array.from({ length: 5 }, () => run(2, false));
      const outer = { steps: [agent(0, 'Look')], groups: {}, output: null };
      const parts = [...rest.parts, { block: outer, after: new Set([0]) }];
      expect(simulate(gated, past, guess, { gate: gate!, parts })).toMatchObject({
        usd: { p50: 102, p95: 102 },
        ms: { p50: 101_560 },
      });
    });
  });
});
