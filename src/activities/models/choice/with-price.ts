import type { Price } from '../../../plan/budget/price.js';
import type { ModelChoice } from '../../../plan/agents/model-choice.js';
import { isCloudModel } from '../http/ollama-address.js';
import { dearestPrice, priceOf } from './prices.js';
import { ANSWER_TOKENS } from '../protocol/provider.js';

/** What the config says about prices: US dollars for a million tokens, `prices` by full model id. */
export interface PriceOptions {
  prices?: Record<string, ConfiguredPrice> | undefined;
  assume_price?: ConfiguredPrice | undefined;
}

type ConfiguredPrice = Pick<Price, 'input' | 'output'>;

/** A chosen model with what it costs and how long its answers may be: what the run reserves by (I8). */
export function withPrice(choice: ModelChoice, options: PriceOptions): ModelChoice {
  return { ...choice, ...priced(choice, options), max_tokens: answerTokens(choice) };
}

/**
 * Tokens that an answer of a model may have at most, where its settings say nothing. What Ollama's cloud runs is
 * paid for and thinks, as what servers like OpenAI's run.
 */
export function answerTokens({ provider, model }: Pick<ModelChoice, 'provider' | 'model'>): number {
  return ANSWER_TOKENS[provider === 'ollama' && isCloudModel(model) ? 'openai' : provider];
}

/** By the config, by the table, else what is assumed. One's own machine and rehearsals cost nothing. */
function priced(
  { provider, model }: ModelChoice,
  { prices = {}, assume_price }: PriceOptions,
): Pick<ModelChoice, 'price' | 'assumed'> {
  if (provider === 'rehearsal') return { price: null };
  const whole = provider === 'openai' ? cachedAsInput : withoutCaches;
  const table = Object.fromEntries(
    Object.entries(prices).map(([name, price]) => [
      name,
      provider === 'anthropic' ? asClaude(name, price) : whole(price),
    ]),
  );
  const known = provider === 'anthropic' || Object.hasOwn(table, model) ? priceOf(model, table) : null;
  if (known !== null) return { price: known };
  if (provider === 'ollama' && !isCloudModel(model)) return { price: null };
  return { price: assume_price === undefined ? dearestPrice() : whole(assume_price), assumed: true };
}

function withoutCaches({ input, output }: ConfiguredPrice): Price {
  return { input, output, cache_read: null, cache_write_5m: null, cache_write_1h: null };
}

/** What Claude's caches cost at most, as shares of the price of input, where the table does not say it of a model. */
const SHARES = { cache_read: 1, cache_write_5m: 1.25, cache_write_1h: 2 };

/** Its caches are priced as a share of the input's price: that of the table, where it knows the model. */
function asClaude(name: string, { input, output }: ConfiguredPrice): Price {
  const listed = priceOf(name);
  const priceFor = (part: keyof typeof SHARES): number => {
    const price = listed?.[part] ?? null;
    return listed === null || price === null ? input * SHARES[part] : (input * price) / listed.input;
  };
  return {
    ...{ input, output, cache_read: priceFor('cache_read') },
    ...{ cache_write_5m: priceFor('cache_write_5m'), cache_write_1h: priceFor('cache_write_1h') },
  };
}

/** OpenAI caches unasked, and reads from its cache at a lower price: what is cached costs no more than what is not. */
function cachedAsInput({ input, output }: ConfiguredPrice): Price {
  return { ...withoutCaches({ input, output }), cache_read: input };
}
