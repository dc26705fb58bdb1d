import { expect, it } from 'vitest';
import { mostAnswered, sentParams } from '../../../src/plan/agents/model-rules.js';
import type { ModelChoice } from '../../../src/plan/agents/model-choice.js';

const USUAL = 4_000;

it.each<[ModelChoice['provider'], string, object, number]>([
  ['anthropic', 'claude-opus-5', { max_tokens: 64_000 }, 64_000],
  ['anthropic', 'claude-opus-5', { num_predict: 9 }, USUAL],
  ['openai', 'qwen', { max_tokens: 100 }, 100],
  ['openai', 'qwen', { max_completion_tokens: 64_000 }, 64_000],
  ['openai', 'qwen', { n_predict: 64_000 }, 64_000],
  ['openai', 'qwen', { max_tokens: 64_000, max_completion_tokens: 9 }, 9],
  ['openai', 'qwen', { max_tokens: -1 }, USUAL],
  ['openai', 'qwen', { max_tokens: '64000' }, USUAL],
  ['openai', 'qwen', { max_tokens: null }, USUAL],
  ['openai', 'gpt-5', { max_tokens: 100 }, USUAL],
  ['openai', 'gpt-5', { max_completion_tokens: 100 }, 100],
  ['ollama', 'qwen3', { num_predict: 20_000 }, 20_000],
  ['ollama', 'qwen3', { num_predict: -2, max_tokens: 9 }, USUAL],
  ['rehearsal', 'qwen3', { max_tokens: 9 }, USUAL],
])('an answer of %s with `%s` has by %j at most %i tokens', (provider, model, params, most) => {
  expect(mostAnswered({ provider, model, max_tokens: USUAL }, { ...params })).toBe(most);
});

it('one answer is asked for, and limits of it are told apart from other settings', () => {
  const params = { n: 5, best_of: 5, max_tokens: 200, max_completion_tokens: 100, n_predict: -1, seed: 1 };
  expect(sentParams({ provider: 'openai', model: 'qwen' }, params)).toEqual({
    limit: { tokens: 100, names: ['max_tokens', 'max_completion_tokens'] },
    others: { seed: 1 },
  });
});
