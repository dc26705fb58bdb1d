import type { Effort } from '../names.js';
import type { JsonObject } from '../values/json.js';
import type { ModelChoice } from './model-choice.js';

/** Settings that some models refuse with an error: they are left out there, and the model samples as it does. */
interface Rule {
  provider: ModelChoice['provider'];
  models: RegExp;
  refuses: readonly string[];
}

const SAMPLING = ['temperature', 'top_p', 'top_k'] as const;

/**
 * As the providers' documents of November 2026 have it: Claude from Opus 4.7 and the fifth generation on, OpenAI's
 * reasoning models.
 */
const RULES: readonly Rule[] = [
  {
    provider: 'anthropic',
    models: /^claude-(opus-4-[7-9]|(opus|sonnet|haiku|fable|mythos)-([5-9]|\d\d))/,
    refuses: SAMPLING,
  },
  {
    provider: 'openai',
    models: /^(o\d|gpt-[5-9])/,
    refuses: [...SAMPLING, 'presence_penalty', 'frequency_penalty', 'logprobs', 'max_tokens'],
  },
  // Of several answers one is read, and all are paid.
  { provider: 'openai', models: /^/, refuses: ['n', 'best_of'] },
];

/** By what name each provider is told how many tokens an answer may have at most; the last is llama.cpp's own. */
const LIMITS: Record<ModelChoice['provider'], readonly string[]> = {
  anthropic: ['max_tokens'],
  ollama: ['num_predict'],
  openai: ['max_tokens', 'max_completion_tokens', 'n_predict'],
  rehearsal: [],
};

/** Claude's models that think as much as they are told, and the most that each takes. */
const ANTHROPIC_EFFORT: readonly { models: RegExp; lacks: Partial<Record<Effort, Effort>> }[] = [
  { models: /^claude-opus-4-5/, lacks: { xhigh: 'high', max: 'high' } },
  { models: /^claude-(opus|sonnet)-4-6/, lacks: { xhigh: 'high' } },
  { models: /^claude-(opus-4-[7-9]|(opus|sonnet|haiku|fable|mythos)-([5-9]|\d\d))/, lacks: {} },
];

/** The measure that a model is given where it shall think so much; undefined where it has no such setting. */
export function effortFor(
  provider: ModelChoice['provider'],
  model: string,
  effort: Effort | undefined,
): Effort | undefined {
  if (effort === undefined) return undefined;
  if (provider === 'anthropic') {
    const known = ANTHROPIC_EFFORT.find(({ models }) => models.test(model));
    return known && (known.lacks[effort] ?? effort);
  }
  const thinks = provider === 'openai' ? /^(o\d|gpt-[5-9])/ : provider === 'ollama' ? /^gpt-oss/ : null;
  return thinks?.test(model) === true ? (effort === 'low' || effort === 'medium' ? effort : 'high') : undefined;
}

/** What of the settings a model takes. */
export function acceptedParams(provider: ModelChoice['provider'], model: string, params: JsonObject): JsonObject {
  const refused = refusedParams(provider, model, params);
  return Object.fromEntries(Object.entries(params).filter(([name]) => !refused.includes(name)));
}

/** Names of the settings that the model would refuse. */
export function refusedParams(provider: ModelChoice['provider'], model: string, params: JsonObject): string[] {
  const rules = RULES.filter((rule) => rule.provider === provider && rule.models.test(model));
  return Object.keys(params).filter((name) => rules.some(({ refuses }) => refuses.includes(name)));
}

/** The settings that a model is sent. */
export interface SentParams {
  /** Tokens that its answer may have at most, and the names by which the settings say so; null where they do not. */
  limit: { tokens: number; names: string[] } | null;
  others: JsonObject;
}

/**
 * What of the settings a model is sent. Of several limits of its answer the smallest holds; one that is no count above
 * 0 is none (`-1`), and is not sent: some servers take it for as much as there is.
 */
export function sentParams(
  { provider, model }: Pick<ModelChoice, 'provider' | 'model'>,
  params: JsonObject = {},
): SentParams {
  const accepted = Object.entries(acceptedParams(provider, model, params));
  const isLimit = (name: string): boolean => LIMITS[provider].includes(name);
  const limits = accepted.flatMap(([name, tokens]) =>
    isLimit(name) && typeof tokens === 'number' && Number.isSafeInteger(tokens) && tokens > 0 ? [{ name, tokens }] : [],
  );
  return {
    limit:
      limits.length === 0
        ? null
        : { tokens: Math.min(...limits.map(({ tokens }) => tokens)), names: limits.map(({ name }) => name) },
    others: Object.fromEntries(accepted.filter(([name]) => !isLimit(name))),
  };
}

/** Tokens that an answer may have at most, by the settings that are sent: what is reserved for it (I8). */
export function mostAnswered(
  choice: Pick<ModelChoice, 'provider' | 'model' | 'max_tokens'>,
  params?: JsonObject,
): number {
  return sentParams(choice, params).limit?.tokens ?? choice.max_tokens ?? 0;
}
