import type { ModelOptions } from '../../plan/agents/model-names.js';
import type { ModelChoice } from '../../plan/agents/model-choice.js';
import { OPENAI_NAME, wantedModel } from '../../plan/agents/model-names.js';
import type { PriceTable } from '../../activities/dependencies.js';
import { costOf } from '../../activities/models/choice/prices.js';
import { isCloudModel } from '../../activities/models/http/ollama-address.js';
import { answerTokens } from '../../activities/models/choice/with-price.js';
import { NO_USAGE } from '../../activities/models/protocol/provider.js';
import type { Config } from '../../compiler/project/config.js';
import type { ModelCalls } from '../../compiler/forecast/forecast.js';
import { mostAnswered } from '../../plan/agents/model-rules.js';
import type { Price } from '../../plan/budget/price.js';

/** A short answer, in tokens: the lower end of the range. */
export const SHORT_ANSWER = 200;
/** Bytes of text that a token stands for: many where it is cheap, few where it is dear (I8 reserves by 3). */
export const BYTES_PER_TOKEN = { least: 4, most: 3 };

/** What the calls of a Plan may cost. */
export interface PriceRange {
  /** US dollars; null where no price is known at all. */
  least: number | null;
  most: number | null;
  /** Full ids of the models that are called. */
  models: string[];
  /** Those of them whose price nobody knows: what they cost is not in the range. */
  unpriced: string[];
  /** Programs that play agents: what a conversation of theirs costs is known when it has ended. */
  played: string[];
  /** Agents that have tools: of what they cost the first turn alone is in the range. */
  openEnded: string[];
}

/**
 * What model calls may cost in US dollars: from every certain call with a short answer, to every possible call with all
 * that it refers to at its longest and an answer as long as it may be. Models on a machine of one's own cost nothing.
 */
export function priceRange(
  calls: ModelCalls[],
  config: Config['models'],
  env: Record<string, string | undefined>,
): PriceRange {
  const range: PriceRange = {
    least: null,
    most: null,
    models: [],
    unpriced: [],
    played: [...new Set(calls.flatMap(({ program }) => program ?? []))],
    openEnded: [...new Set(calls.flatMap(({ program, openEnded = [] }) => (program === undefined ? openEnded : [])))],
  };
  for (const call of calls) {
    if (call.program !== undefined) continue;
    const model = wantedModel(call.model, optionsOf(config), env);
    if (!range.models.includes(model)) range.models.push(model);
    const { least: shortest, most: longest } = answerRange(call, config, env);
    const least = priceOf(model, { input: call.literal / BYTES_PER_TOKEN.least, output: shortest }, config);
    const most = priceOf(
      model,
      { input: (call.literal + call.referred) / BYTES_PER_TOKEN.most, output: longest },
      config,
    );
    if (least === null || most === null) {
      if (!range.unpriced.includes(model)) range.unpriced.push(model);
    } else {
      range.least = (range.least ?? 0) + least * call.least;
      range.most = (range.most ?? 0) + most * call.most;
    }
  }
  return range;
}

/** Tokens of a short answer, and of the longest: by the settings of the call, else what its provider lets it be. */
export function answerRange(
  { model: name, params }: Pick<ModelCalls, 'model' | 'params'>,
  config: Config['models'],
  env: Record<string, string | undefined>,
): { least: number; most: number } {
  const choice = choiceOf(wantedModel(name, optionsOf(config), env));
  const most = mostAnswered({ ...choice, max_tokens: answerTokens(choice) }, params);
  return { least: Math.min(SHORT_ANSWER, most), most };
}

/** Where a name leads as far as it says so itself: one without a provider may go to another where none is reached. */
function choiceOf(name: string): Pick<ModelChoice, 'provider' | 'model'> {
  const [, provider, model = name] = /^(anthropic|ollama|openai|rehearsal):(.+)$/.exec(name) ?? [];
  const usual = OPENAI_NAME.test(name) ? 'openai' : 'anthropic';
  return { provider: (provider ?? usual) as ModelChoice['provider'], model }; // the expression has no others
}

function optionsOf(config: Config['models']): ModelOptions {
  return { default: config?.default, aliases: config?.aliases };
}

function priceOf(name: string, tokens: { input: number; output: number }, config: Config['models']): number | null {
  const { provider, model } = choiceOf(name);
  if (provider === 'rehearsal' || (provider === 'ollama' && !isCloudModel(model))) return 0;
  const usage = { ...NO_USAGE, ...tokens };
  const known = costOf(model, usage, tableOf(config));
  return (
    known ?? (config?.assume_price === undefined ? null : costOf(model, usage, { [model]: whole(config.assume_price) }))
  );
}

function tableOf(config: Config['models']): PriceTable {
  return Object.fromEntries(Object.entries(config?.prices ?? {}).map(([model, price]) => [model, whole(price)]));
}

/** The config knows two prices; what caches cost is not known then. */
function whole({ input, output }: { input: number; output: number }): Price {
  return { input, output, cache_read: null, cache_write_5m: null, cache_write_1h: null };
}
