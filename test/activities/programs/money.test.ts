import { describe, expect, it } from 'vitest';
import type { StepOutput } from '../../../src/activities/contract.js';
import type { JsonObject } from '../../../src/plan/values/json.js';
import type { ProgramName } from '../../../src/plan/agents/program.js';
import type { Bench } from '../helpers/harness.js';
import { failureOf } from '../helpers/harness.js';
import type { PlayOptions } from '../../tools/programs/bench.js';
import { playStep } from '../../tools/programs/bench.js';
import { result, standIn } from '../../tools/programs/stand-in.js';

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
    expect(failure.details).toEqual([
      { usd: expect.closeTo((1_000 * 5 + 1_000 * 25) / 1e6, 3), tokens: expect.closeTo(2_000, -2), steps: 1 },
    ]);
  });
});
