import { describe, expect, it } from 'vitest';
import type { StepOutput } from '../../../src/activities/contract.js';
import type { JsonObject } from '../../../src/plan/values/json.js';
import type { ProgramName } from '../../../src/plan/agents/program.js';
import type { Bench } from '../helpers/harness.js';
import { failureOf, readLog } from '../helpers/harness.js';
import { until } from '../../faults/project.js';
import type { PlayOptions } from '../../tools/programs/bench.js';
import { PRICE, playStep } from '../../tools/programs/bench.js';
import { lingering, result, standIn } from '../../tools/programs/stand-in.js';

const mayUse = (told: string[]): string[] =>
  told.map((words) => /--max-budget-usd (\S+)/.exec(words)?.[1] ?? 'anything');
const play = (bench: Bench, usd: number, options: PlayOptions = {}): Promise<StepOutput> =>
  playStep(bench, 'claude', { ...options, call: { most: { usd } } });

describe('what Claude Code may spend', () => {
  it('is what is left of what was reserved, when it is asked again', async () => {
    const schema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
    const bench = await standIn(
      'claude',
      [result(0.75, { result: 'no JSON' })],
      [result(0.125, { result: '{"n": 1}' })],
    );
    expect((await play(bench, 1, { schema })).spend.usd).toBe(0.875);
    expect(mayUse(await bench.told())).toEqual(['1', '0.25']);
  });

  it('is what is left of more, when it goes on with that', async () => {
    const bench = await standIn(
      'claude',
      [result(1, { subtype: 'error_max_budget_usd', is_error: true })],
      [result(0.5, { result: 'Done.' })],
    );
    expect(await failureOf(play(bench, 1))).toMatchObject({ type: 'budget-short', details: [{ usd: 2 }] });
    expect((await play(bench, 2)).spend.usd).toBe(1.5);
    expect(mayUse(await bench.told())).toEqual(['1', '1']);
  });

  it('counts what a session had cost that it does not know any more', async () => {
    const refused = { subtype: 'success', is_error: true, api_error_status: 429, result: 'later' };
    const bench = await standIn(
      'claude',
      [result(0.5, refused)],
      [result(0, { is_error: true, result: 'No conversation found with session ID: x' })],
      [result(0.25, { result: 'Done.' })],
    );
    expect(await failureOf(play(bench, 1))).toMatchObject({ type: 'rate-limited', nonRetryable: false });
    expect((await play(bench, 1)).spend.usd).toBe(0.75);
    expect(mayUse(await bench.told())).toEqual(['1', '0.5', '0.5']);
  });

  it.each([-3, 1e300])('is no sum that cannot be: %d', async (usd) => {
    const bench = await standIn('claude', [result(usd, { result: 'Done.' })]);
    expect((await play(bench, 1)).spend.usd).toBeCloseTo((10 * 25) / 1e6, 9);
  });
});

/** Of a prompt of 600 words. */
const AS_RESERVED = {
  usd: expect.closeTo((1_000 * 5 + 1_000 * 25) / 1e6, 3) as number, // a matcher stands for what it matches
  tokens: expect.closeTo(2_000, -2) as number,
  steps: 1,
};

describe.each<[ProgramName, JsonObject[]]>([
  [
    'codex',
    Array.from({ length: 3 }, (_, id) => ({ type: 'item.started', item: { type: 'web_search', id: `${id}` } })),
  ],
  ['gemini', Array.from({ length: 3 }, () => ({ type: 'tool_use', tool_name: 'glob' }))],
])('%s', (name, turns) => {
  it('that is ended before it says what it has used counts as it was reserved', async () => {
    const bench = await standIn(name, turns);
    const failure = await failureOf(
      playStep(bench, name, { prompt: 'word '.repeat(600), agentFields: { max_turns: 2 } }),
    );
    expect(failure.type).toBe('turns-exceeded');
    expect(failure.details).toEqual([AS_RESERVED]);
  });

  it('that is cancelled before it says what it has used counts as it was reserved', async () => {
    const bench = await lingering(name, turns);
    const playing = playStep(bench, name, { prompt: 'word '.repeat(600) }).catch((error: unknown) => error);
    await until(bench.hasTold);
    bench.temporal.cancel('CANCELLED');
    expect(await playing).toMatchObject({ name: 'CancelledFailure', details: [AS_RESERVED] });
  });
});

const FREE: [ProgramName, JsonObject[]][] = [
  ['claude', [{ type: 'result', subtype: 'success', is_error: false, result: 'Done.' }]],
  [
    'codex',
    [
      { type: 'item.completed', item: { type: 'agent_message', text: 'Done.' } },
      { type: 'turn.completed', usage: null },
    ],
  ],
  [
    'gemini',
    [
      { type: 'message', role: 'assistant', content: 'Done.' },
      { type: 'result', status: 'success' },
    ],
  ],
];

describe.each(FREE)('%s that answers and does not say what it has used', (name, words) => {
  it('counts as it was reserved, and the log says so', async () => {
    const bench = await standIn(name, words);
    const { output, spend } = await playStep(bench, name, { prompt: 'word '.repeat(600) });
    expect(output).toEqual({ value: 'Done.' });
    expect(spend).toEqual(AS_RESERVED);
    expect((await readLog(bench)).map(({ text }) => text).join('')).toContain('does not say what it has used');
  });

  it('costs nobody knows what, where its price is not known either', async () => {
    const bench = await standIn(name, words);
    const program = { program: name, model: null, price: PRICE, assumed: true as const, max_tokens: 1_000 };
    expect((await playStep(bench, name, { call: { program } })).spend).toMatchObject({ usd: null });
  });
});
