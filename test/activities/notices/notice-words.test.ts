import { expect, it } from 'vitest';
import { wordsOf } from '../../../src/activities/notices/notice-words.js';
import type { Follows, Notice } from '../../../src/plan/gates/notice.js';

function waiting(follows: Follows): Notice {
  return {
    event: 'waiting',
    run: 'r',
    definition: 'essay',
    submitted_by: 'ana',
    at: '2026-01-01T00:00:00.000Z',
    command: 'perdure approve r/ok',
    gate: 'r/ok',
    kind: 'approval',
    message: 'Publish it?',
    hash: 'sha256:0',
    follows,
  };
}

it('a gate is told of with what follows, its forecast in dollars and time, and the budget that stays', () => {
  const forecast = { runs: 12, usd: { p50: 0.5, p95: 2 }, ms: { p50: 1_500, p95: 600_000 } };
  const budget = { usd: 4, steps: 3 };
  expect(wordsOf(waiting({ steps: 2, external: ['publish'], forecast, budget })).lines.slice(2, -1)).toEqual([
    'Then 2 steps can begin; outside changes: publish.',
    'Half and 95 of 100 at most: $0.50 and $2.00, 1.5 s and 10 min without the time of people (from 12 closed runs).',
    'Budget that stays: $4.00, 3 steps.',
  ]);
});

it('what is not known of a gate is not told', () => {
  const forecast = { runs: 3, usd: null, ms: { p50: 1_000, p95: 2_000 } };
  expect(wordsOf(waiting({ steps: 1, external: [], forecast })).lines.slice(2, -1)).toEqual([
    'Then 1 step can begin; none is marked as changing the world outside.',
    'Half and 95 of 100 at most: 1.0 s and 2.0 s without the time of people (from 3 closed runs).',
  ]);
  expect(wordsOf(waiting({ steps: 0, external: [] })).lines.slice(2, -1)).toHaveLength(1);
});

it('a gate that still waits is told so, with the reminder it is, and who may decide by now', () => {
  const again = { reminders: 2, approvers: ['ana', 'dan'], escalated: ['dan'] };
  const { title, lines } = wordsOf({ ...waiting({ steps: 0, external: [] }), ...again });
  expect(title).toBe('essay still waits for a person');
  expect(lines.slice(2, 5)).toEqual(['reminder 2', 'for ana or dan', 'escalated to dan']);
  expect(wordsOf(waiting({ steps: 0, external: [] })).title).toBe('essay waits for a person');
});

it('what follows in runs around is not said to be nothing where it was not looked at', () => {
  expect(wordsOf(waiting({ run_only: true, steps: 0, external: [] })).lines.at(2)).toBe(
    'Then nothing more in this workflow; none is marked as changing the world outside.',
  );
});
