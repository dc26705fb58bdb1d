import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ModelChoice } from '../../../src/plan/agents/model-choice.js';
import type { CallHead, Caller } from '../../../src/plan/calls/short-call.js';
import { shortCall, wholeCall } from '../../../src/plan/calls/short-call.js';
import { longHash, shortHash } from '../../../src/plan/packing/short-hash.js';
import type { StepOutput } from '../../../src/plan/calls/step-output.js';
import { shortOutput, wholeOutput } from '../../../src/plan/calls/step-output.js';
import type { Hash } from '../../../src/plan/values/value.js';

const HASH: Hash = `sha256:${'0123456789abcdef'.repeat(4)}`;
const CALLER: Caller = { workflowId: 'job-abcdefgh', runId: 'first', activityId: 'report' };
const PRICE = { input: 3, output: 15, cache_read: 0.3, cache_write_5m: 3.75, cache_write_1h: null };

type Call = CallHead & { model?: ModelChoice; workspace?: string; quick?: true };

const whole: Call = {
  root: { run: 'job-abcdefgh', first: 'first', plan: HASH },
  nested: null,
  step: 4,
  path: 'report',
  try: 1,
  environment: {},
};

const calls: [string, Call][] = [
  ['of a root run', whole],
  ['of a nested run', { ...whole, root: { ...whole.root, run: 'other' }, nested: HASH, path: 'review/report' }],
  ['of a run that continued as new', { ...whole, root: { ...whole.root, first: 'before' } }],
  ['of a later try', { ...whole, try: 3 }],
  ['inside a foreach', { ...whole, step: [1, 0], path: 'scan/7' }],
  [
    'of a model',
    { ...whole, model: { provider: 'ollama', model: 'qwen3:8b', base_url: 'http://127.0.0.1:9', max_tokens: 100 } },
  ],
  [
    'of a model with a price',
    { ...whole, model: { provider: 'anthropic', model: 'claude-x', price: PRICE, assumed: true } },
  ],
  [
    'of a model with usual prices',
    {
      ...whole,
      model: { provider: 'anthropic', model: 'claude-x', price: { ...PRICE, cache_write_1h: 6 }, max_tokens: 32_000 },
    },
  ],
  [
    'of a model with usual prices and more',
    {
      ...whole,
      model: {
        provider: 'anthropic',
        model: 'claude-x',
        price: { ...PRICE, cache_write_1h: 6 },
        max_tokens: 32_000,
        assumed: true,
      },
    },
  ],
  [
    'of a model with a price in steps',
    {
      ...whole,
      model: {
        provider: 'anthropic',
        model: 'claude-x',
        price: { ...PRICE, above: { input_tokens: 9, input: 6, output: 22 } },
      },
    },
  ],
  ['of a model that costs nothing', { ...whole, model: { provider: 'rehearsal', model: 'x', price: null } }],
  ['of a quick command', { ...whole, workspace: '/project', quick: true }],
  [
    'with every kind of value',
    {
      ...whole,
      environment: {
        'step:0.output': { ref: HASH, bytes: 1026 },
        'step:1.output': { ref: HASH, bytes: 4000, length: 12 },
        'step:2.output': { value: [1, 'two', null] },
        'step:3.output': { missing: true },
        item: { item: { ref: HASH, bytes: 4000, length: 12 }, at: 3 },
      },
    },
  ],
];

describe('a call in short', () => {
  it.each(calls)('is the same call again: %s', (_, call) => {
    const short = JSON.parse(JSON.stringify(shortCall(call, CALLER))) as ReturnType<typeof shortCall<Call>>;
    expect(wholeCall<Call>(short, CALLER)).toEqual(call);
  });

  it('is the same call again whatever a model costs', () => {
    const number = fc.constantFrom(0, 0.3, 3, 6);
    const price = number.chain((input) => {
      const cached = (usual: number) => fc.oneof(fc.constant(usual), fc.option(number));
      const all = {
        ...{ input: fc.constant(input), output: number },
        ...{ cache_read: cached(input / 10), cache_write_5m: cached(input * 1.25), cache_write_1h: cached(input * 2) },
      };
      const above = fc.constant({ input_tokens: 9, input: 6, output: 22 });
      return fc.oneof(fc.record(all), fc.record({ ...all, above }));
    });
    const model = fc.record(
      {
        ...{ provider: fc.constant('openai' as const), model: fc.constantFrom('x', 'x:8b') },
        price: fc.option(price),
        ...{ max_tokens: fc.constantFrom(1, 32_000), assumed: fc.constant(true as const) },
      },
      { requiredKeys: ['provider', 'model'] },
    );
    fc.assert(
      fc.property(model, (one) => {
        const call: Call = { ...whole, model: one };
        const short = JSON.parse(JSON.stringify(shortCall(call, CALLER))) as ReturnType<typeof shortCall<Call>>;
        expect(wholeCall<Call>(short, CALLER)).toEqual(call);
      }),
      { numRuns: 1_000 },
    );
  });

  it('has no path where neither it nor its activity knows one', () => {
    expect(wholeCall({ plan: shortHash(HASH), step: 4 }, { ...CALLER, activityId: null }).path).toBe('');
  });

  it('says stored values shorter than they are, and others as they are', () => {
    const environment = { a: { ref: HASH, bytes: 9 }, b: { value: 1 } };
    expect(shortCall({ ...whole, environment }, CALLER).env).toEqual({ a: [shortHash(HASH), 9], b: { value: 1 } });
  });

  it('says nothing that its activity knows by itself', () => {
    expect(shortCall(whole, CALLER)).toEqual({ plan: shortHash(HASH), step: 4 });
  });

  it('names its path where it is a local activity, whose id is none', () => {
    const caller = { ...CALLER, activityId: null };
    expect(shortCall(whole, caller)).toHaveProperty('path', 'report');
    expect(wholeCall(shortCall(whole, caller), caller)).toEqual(whole);
  });

  it('says of a model with usual prices its name, its limit and two of them', () => {
    const model: ModelChoice = {
      provider: 'anthropic',
      model: 'claude-x',
      price: { ...PRICE, cache_write_1h: 6 },
      max_tokens: 32_000,
    };
    expect(shortCall({ ...whole, model }, CALLER)).toHaveProperty('model', ['anthropic:claude-x', 32_000, 3, 15]);
  });
});

describe('a hash in short', () => {
  it('is the same hash again', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 64, maxLength: 64 }),
        (hex) => longHash(shortHash(`sha256:${hex}`)) === `sha256:${hex}`,
      ),
    );
  });

  it('has 43 characters, and what is no hash stays as it is', () => {
    expect(shortHash(HASH)).toHaveLength(43);
    expect(longHash(shortHash('sha256:leaf'))).toBe('sha256:leaf');
  });
});

describe('an output in short', () => {
  it.each<[string, StepOutput]>([
    [
      'of a model',
      {
        output: { value: 'done' },
        spend: { usd: 0.000105, tokens: 1204, steps: 1 },
        note: '1,204 tokens',
        reused: false,
      },
    ],
    [
      'of an unknown price',
      { output: { value: 'done' }, spend: { usd: null, tokens: 12, steps: 2 }, note: null, reused: true },
    ],
    [
      'of a command',
      {
        output: { ref: HASH, bytes: 1026, preview: 'x' },
        spend: { usd: 0, tokens: 0, steps: 1 },
        note: 'exit 0',
        reused: false,
        path: 'a/b',
      },
    ],
    ['without a note', { output: { value: null }, spend: { usd: 0, tokens: 0, steps: 0 }, note: null, reused: false }],
  ])('is the same output again: %s', (_, output) => {
    expect(wholeOutput(JSON.parse(JSON.stringify(shortOutput(output))) as ReturnType<typeof shortOutput>)).toEqual(
      output,
    );
  });

  it('may be that of a step that uses a device, which says everything', () => {
    const whole: StepOutput = {
      output: { ref: HASH, bytes: 1026, preview: 'x' },
      spend: { usd: 1, tokens: 2, steps: 1 },
      note: null,
      reused: false,
    };
    expect(wholeOutput(whole)).toEqual(whole);
    expect(wholeOutput({ output: { value: null } })).toEqual(wholeOutput({ value: null }));
  });

  it('says what was made and what it cost, and little else', () => {
    expect(
      shortOutput({
        output: { value: 'done' },
        spend: { usd: 0.1, tokens: 15, steps: 1 },
        note: '15 tokens',
        reused: false,
      }),
    ).toEqual({ value: 'done', spend: [0.1, 15] });
  });
});
