import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { priceRange } from '../../../src/workers/forecast/price-range.js';
import { countCalls, rangeWords } from '../../../src/cli/forecast/forecast-words.js';
import { forecastOf } from '../../../src/compiler/forecast/forecast.js';
import { packageRoot } from '../../../src/compiler/text/disk.js';
import type { Plan } from '../../../src/plan/plan.js';
import { AGENT } from '../../activities/helpers/harness.js';
import { everything } from '../../cli/helpers/every-kind.js';
import { body, commandStep, plan, stepBase } from '../../plan/helpers/build-plan.js';
import { SCENARIOS } from '../../replay/scenarios.js';
import { planOf } from '../helpers/temporary-project.js';

function recordedEvents(name: string): number {
  const text = gunzipSync(
    readFileSync(join(packageRoot(), 'test', 'replay', 'histories', `${name}.json.gz`)),
  ).toString();
  return (JSON.parse(text) as { events: unknown[] }).events.length;
}

describe('the forecast of a Plan', () => {
  it.each(
    SCENARIOS.map(({ name, plan: made, nested = [], lease }) => ({
      name,
      made: {
        ...made,
        budgets: {
          ...made.budgets,
          max_steps: lease?.steps ?? null,
          max_runtime_mins: lease?.runtime_ms == null ? null : lease.runtime_ms / 60_000,
        },
      },
      nested,
    })),
  )('is not below the events of the stored history $name', ({ name, made, nested }) => {
    const recorded = [name, ...nested.map((path) => `${name}.${path.replaceAll('/', '.')}`)].reduce(
      (sum, file) => sum + recordedEvents(file),
      0,
    );
    const { events, leases } = forecastOf(made);
    // Nobody foresees that somebody tries a forged grant: an update's two events, two markers, a workflow task.
    const forged = name === 'gate-granted' ? 7 : 0;
    expect(events + leases + forged).toBeGreaterThanOrEqual(recorded);
    // Nested runs claim more only where a limit may hold them back.
    expect(leases > 0).toBe(name === 'leases' || name === 'batches');
    // The most is near enough to mean something, where nothing ends early. These runs did not say how they stand yet.
    const unsaid = name === 'gate-by-update' ? 3 : 1;
    if (['sequence', 'gate-by-update', 'nested', 'tries'].includes(name))
      expect(events).toBeLessThanOrEqual(recorded + 3 + unsaid);
  });

  it('counts what acts or asks, rounds as often as they may come, and items that are written out', () => {
    const one = [commandStep(0, ['true'])];
    const inside = { steps: one, groups: {}, output: null, single: true };
    const list = { kind: 'literal' as const, value: [1, 2, 3] };
    const steps = [
      { ...stepBase(0), kind: 'foreach' as const, items: list, max_parallel: null, body: inside },
      {
        ...stepBase(1),
        kind: 'loop' as const,
        until: { kind: 'literal' as const, value: true },
        max: 5,
        at_max: 'error' as const,
        body: inside,
      },
      { ...stepBase(2), kind: 'set' as const, values: {} },
      { ...stepBase(3), kind: 'wait' as const, for_ms: 1, until: null },
      { ...stepBase(4), kind: 'ask' as const, question: list, schema: null, choices: null },
    ];
    expect(forecastOf(plan(steps))).toMatchObject({ steps: 3 + 5 + 1, perItem: [] });
  });

  it('counts what rejections may send back so often more, and batch runs of long lists', () => {
    const gate = {
      ...stepBase(1),
      kind: 'approval' as const,
      message: { kind: 'literal' as const, value: 'Well?' },
      content: null,
      fallback: 'abort' as const,
      needs: [{ step: 0, skip: true }],
    };
    expect(forecastOf(plan([commandStep(0, ['true']), { ...gate, rework: { step: 0, max: 2 } }])).steps).toBe(3 * 2);
    const nested = {
      ...stepBase(0),
      kind: 'workflow' as const,
      workflow: 'leaf',
      plan: 'sha256:leaf' as const,
      inputs: {},
    };
    const each = (count: number) => ({
      ...stepBase(0),
      kind: 'foreach' as const,
      items: { kind: 'literal' as const, value: Array.from({ length: count }, () => 1) },
      max_parallel: null,
      body: { steps: [nested], groups: {}, output: null, single: true },
    });
    const events = (count: number): number =>
      forecastOf(plan([each(count)], { nested: { 'sha256:leaf': body([commandStep(0, ['true'])]) } })).events;
    expect(events(401) - events(200)).toBeGreaterThan(201 * (events(2) - events(1)) + 3 * 6);
  });

  it('tells what each item of an unknown list adds, with its path', () => {
    const { perItem, calls } = forecastOf(everything());
    expect(perItem).toMatchObject([{ path: 'each', steps: 4, calls: 1 }]);
    expect(calls).toMatchObject([{ model: 'haiku', least: 4, most: 6 }].map(({ model, most }) => ({ model, most })));
  });

  it('takes what stands under a condition for possible, not for certain, and counts re-asked answers', () => {
    const made = planOf(
      'steps:\n  - {agent: scanner, model: haiku}\n  - {agent: linter, model: haiku, when: "${x == 1}"}\n  - ' +
        '{agent: reporter, model: haiku, schema: {type: object}}\n',
    );
    expect(forecastOf(made).calls).toMatchObject([{ model: 'haiku', least: 2, most: 1 + 1 + 3 }]);
  });

  it('counts each task that may be planned, for whoever may be given it', () => {
    const planned = (budgets: string): ReturnType<typeof forecastOf> =>
      forecastOf(
        planOf(
          'steps:\n  - {id: think, agent: scanner, model: opus, prompt: Plan., tasks: [linter]}\n' +
            `  - {plan: "\${steps.think.output}"${budgets}}\n`,
        ),
      );
    expect(planned('')).toMatchObject({
      steps: 1 + 15,
      calls: [
        { model: 'opus', least: 1, most: 3 },
        { model: '', least: 0, most: 15 },
      ],
    });
    expect(planned(', budgets: {max_steps: 4}').steps).toBe(1 + 4);
  });

  it('tells what programs play, that which the config names too', () => {
    const made = planOf('steps:\n  - {agent: scanner}\n  - {agent: linter, model: "anthropic:haiku"}\n');
    expect(forecastOf(made, 'codex').calls).toMatchObject([
      { program: 'codex', least: 1, most: 1 },
      { model: 'anthropic:haiku', least: 1 },
    ]);
    expect(forecastOf(made, 'codex').calls[1]).not.toHaveProperty('program');
  });

  it('names agents that have tools, of which it counts the first turn alone', () => {
    const made = planOf('steps:\n  - {agent: reader}\n  - {agent: scanner}\n  - {agent: writer}\n', {
      'definitions/agents/reader.yml': 'name: reader\nprompt: You read.\ntools: [read_file]\n',
      'definitions/agents/writer.yml': 'name: writer\nprompt: You write.\ntools: [write_file]\n',
    });
    const { calls } = forecastOf(made);
    expect(calls).toMatchObject([{ least: 3, most: 3, openEnded: ['reader', 'writer'] }]);
    expect(priceRange(calls, undefined, {}).openEnded).toEqual(['reader', 'writer']);
    const words = 'model calls; of reader, writer the first turn alone';
    expect(rangeWords(priceRange(calls, undefined, {}), countCalls(calls))).toMatch(
      new RegExp(`^by the Plan .*${words}$`),
    );
    // What plays the others tells it when it has ended.
    expect(priceRange(forecastOf(made, 'codex').calls, undefined, {})).toMatchObject({ played: ['codex'] });
  });

  it('takes time that grows with the Plan, not with the number of runs it describes', () => {
    const nest = (inner: `sha256:${string}`) =>
      Array.from({ length: 50 }, (_, index) => ({
        ...stepBase(index),
        kind: 'workflow' as const,
        workflow: inner,
        plan: inner,
        inputs: {},
      }));
    const nested: Plan['nested'] = {
      'sha256:a': body(nest('sha256:b')),
      'sha256:b': body(nest('sha256:c')),
      'sha256:c': body(nest('sha256:d')),
      'sha256:d': body([commandStep(0, ['true'])]),
    };
    expect(forecastOf(plan(nest('sha256:a'), { nested })).steps).toBe(50 ** 4);
  });
});

describe('what it may cost', () => {
  const ASK = { kind: 'agent' as const, prompt: null, inputs: {}, model: null, schema: null, rehearsal: null };
  const calls = [{ model: 'haiku', least: 1, most: 2, literal: 4_000, referred: 0 }];

  it('is a range from short answers to the longest', () => {
    const { least, most, models } = priceRange(calls, undefined, {});
    expect(models).toEqual(['claude-haiku-5-5']);
    expect(least).toBeCloseTo(((4_000 / 4) * 0.1 + 200 * 0.5) / 1e6, 9);
    expect(most).toBeCloseTo((2 * ((4_000 / 3) * 0.1 + 32_000 * 0.5)) / 1e6, 9);
  });

  it.each([
    {
      what: 'a price of the config',
      model: 'own',
      config: { prices: { own: { input: 1_000, output: 0 } } },
      most: 2 * (4_000 / 3) * 1e-3,
    },
    {
      what: 'an alias of the config',
      model: 'fast',
      config: { aliases: { fast: 'own' }, prices: { own: { input: 1_000, output: 0 } } },
      most: 2 * (4_000 / 3) * 1e-3,
    },
    {
      what: 'the assumed price of a model that no table has',
      model: 'own',
      config: { assume_price: { input: 0, output: 1_000 } },
      most: 2 * 32_000 * 1e-3,
    },
    { what: "nothing on a machine of one's own", model: 'ollama:qwen3', config: {}, most: 0 },
  ])('is $what', ({ model, config, most }) => {
    const range = priceRange(
      calls.map((call) => ({ ...call, model })),
      config,
      {},
    );
    expect(range.most).toBeCloseTo(most, 9);
    expect(range.unpriced).toEqual([]);
  });

  it.each([
    { what: 'its settings', model: 'haiku', params: { max_tokens: 100 }, tokens: [100, 100] },
    {
      what: 'the smallest of them',
      model: 'openai:x',
      params: { max_tokens: 900, n_predict: 500 },
      tokens: [200, 500],
    },
    { what: 'the one that the model takes', model: 'gpt-5.5', params: { max_tokens: 1 }, tokens: [200, 16_384] },
    { what: 'what its provider has it be', model: 'openai:x', params: {}, tokens: [200, 16_384] },
    { what: 'what runs at Ollama', model: 'ollama:x-cloud', params: { num_predict: 300 }, tokens: [200, 300] },
  ])('is of answers as long as $what', ({ model, params, tokens }) => {
    const name = model === 'haiku' ? 'claude-haiku-5-5' : model.replace(/^\w+:/, '');
    const config = { prices: { [name]: { input: 0, output: 1_000_000 } } };
    const { least, most } = priceRange([{ ...calls[0]!, most: 1, model, params }], config, {});
    expect([least, most]).toEqual(tokens);
  });

  it('is of each agent by its own settings, though they use one model', () => {
    const short = { ...AGENT, params: { max_tokens: 10 } };
    const steps = [0, 1].map((index) => ({ ...ASK, ...stepBase(index), agent: `sha256:${index}` as const }));
    const made = plan(steps, { agents: { 'sha256:0': AGENT, 'sha256:1': short } });
    const config = { default: 'own', prices: { own: { input: 0, output: 1_000_000 } } };
    expect(priceRange(forecastOf(made).calls, config, {})).toMatchObject({ least: 210, most: 32_010 });
  });

  it('is said to be unknown where no table has the model', () => {
    expect(
      priceRange(
        calls.map((call) => ({ ...call, model: 'own' })),
        {},
        {},
      ),
    ).toMatchObject({ least: null, most: null, unpriced: ['own'] });
  });

  it('is that of the model which the environment names where nothing is written', () => {
    expect(priceRange([{ ...calls[0]!, model: '' }], undefined, { CLAUDE_MODEL: 'opus' }).models).toEqual([
      'claude-opus-5-5',
    ]);
  });
});
