import { ownOf } from '../../../plan/values/own.js';
import { stepFailure } from '../../failures.js';
import type { ModelAnswer } from './provider.js';

/**
 * What providers say of why an answer stops: Anthropic, OpenAI and Ollama, and servers that speak like one of them and
 * pass on the words of another.
 */
const STOPS: Record<string, ModelAnswer['stop']> = {
  stop: 'end',
  end_turn: 'end',
  stop_sequence: 'end',
  eos: 'end',
  eos_token: 'end',
  tool_use: 'tools',
  tool_calls: 'tools',
  function_call: 'tools',
  pause_turn: 'paused',
  length: 'truncated',
  max_tokens: 'truncated',
  model_length: 'truncated',
  model_context_window_exceeded: 'context-full',
  refusal: 'refused',
  content_filter: 'refused',
};

/**
 * Why an answer stopped. A server that has told its end without a reason means it so; by a reason that nobody knows
 * (`insufficient_system_resource`, `abort`) the answer may be half: then this throws `provider-error`.
 */
export function stopFor(reason: unknown): ModelAnswer['stop'] {
  if (reason === null || reason === undefined || reason === '') return 'end';
  const word = String(reason);
  const stop = ownOf(STOPS, word.toLowerCase());
  if (stop === undefined)
    throw stepFailure('provider-error', `The provider ended its answer for \`${word}\`: it may be half of it.`);
  return stop;
}

/** The same of a provider that says of answers with calls what it says of others, and the other way round. */
export function stopWith(reason: unknown, hasCalls: boolean): ModelAnswer['stop'] {
  const stop = stopFor(reason);
  return stop === 'end' || stop === 'tools' ? (hasCalls ? 'tools' : 'end') : stop;
}
