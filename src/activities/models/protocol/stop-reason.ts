import { ownOf } from '../../../plan/values/own.js';
import { cutTo } from '../../../plan/text/cut-to.js';
import { stepFailure } from '../../failures.js';
import type { ModelAnswer } from './provider.js';

/** Of a provider's word for its end so much is told. */
const WORD_CHARACTERS = 80;

/** How an answer ended. */
export type Ending = Pick<ModelAnswer, 'stop' | 'unreadable' | 'word'>;

/** What an answer may end for, and `broken` where it may be half, and `unreadable` where its calls are none. */
type Meaning = ModelAnswer['stop'] | 'broken' | 'unreadable';

/**
 * What providers say of why an answer stops: Anthropic, OpenAI and Ollama, and servers that speak like one of them and
 * pass on the words of another. A word that is not here is an end, as one is of which nothing is said: a whole answer
 * that fails is paid again. It is told, for it may mean that the answer is half.
 */
const MEANINGS: readonly [Meaning, readonly string[]][] = [
  ['end', ['stop', 'end_turn', 'stop_sequence', 'end', 'eos', 'eos_token', 'normal', 'natural', 'success']],
  ['end', ['complete', 'completed', 'done', 'finish', 'finished']],
  ['tools', ['tool_use', 'tool_calls', 'tool_call', 'function_call']],
  ['paused', ['pause_turn']],
  ['truncated', ['length', 'max_tokens', 'max_output_tokens', 'model_length']],
  ['context-full', ['model_context_window_exceeded']],
  ['refused', ['refusal', 'refused', 'content_filter', 'content_filtered', 'guardrail_intervened', 'sensitive']],
  ['refused', ['safety', 'recitation', 'blocklist', 'prohibited_content', 'spii', 'error_toxic']],
  ['unreadable', ['function_call_filter', 'malformed_function_call', 'unexpected_tool_call', 'malformed_tool_use']],
  ['broken', ['error', 'server_error', 'internal_error', 'network_error', 'failed', 'timeout', 'overloaded']],
  ['broken', ['abort', 'aborted', 'cancel', 'cancelled', 'canceled', 'interrupted', 'disconnected']],
  ['broken', ['insufficient_system_resource', 'load', 'unload']],
];
const BY_WORD = Object.fromEntries(MEANINGS.flatMap(([meaning, words]) => words.map((word) => [word, meaning])));

/**
 * Why an answer stopped, by the word that is said of it, before a colon and in letters of any case. Throws
 * `provider-error` where the answer may be half.
 */
export function stopFor(reason: unknown): Ending {
  const said = typeof reason === 'string' ? reason : '';
  const [word = ''] = said.split(':');
  const known = ownOf(BY_WORD, word.trim().toLowerCase());
  const meaning = known ?? 'end';
  if (meaning === 'broken')
    throw stepFailure('provider-error', `The provider ended its answer for \`${said}\`: it may be half of it.`);
  if (meaning === 'unreadable') return { stop: 'end', unreadable: said };
  const isTold = meaning === 'refused' || (known === undefined && said.trim() !== '');
  return { stop: meaning, ...(isTold ? { word: cutTo(said.replace(/\s+/g, ' ').trim(), WORD_CHARACTERS) } : {}) };
}

/** The same of a provider that says of answers with calls what it says of others, and the other way round. */
export function stopWith(reason: unknown, hasCalls: boolean): Ending {
  const ending = stopFor(reason);
  return ending.stop === 'end' || ending.stop === 'tools' ? { ...ending, stop: hasCalls ? 'tools' : 'end' } : ending;
}
