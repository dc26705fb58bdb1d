import type { Price } from '../budget/price.js';

/** A model as it will be called: chosen when a run starts, recorded, no part of the Plan's hash. */
export interface ModelChoice {
  provider: 'anthropic' | 'ollama' | 'openai' | 'rehearsal';
  /** The provider's full model id. */
  model: string;
  /** Where a definition that a person wrote says so; never a model's word. */
  base_url?: string;
  /** Name of the variable that holds the key, where `perdure.yml` says so (I13). */
  key?: string;
  /** Calls that a worker makes to this provider at once, where `perdure.yml` says so. */
  concurrency?: number;
  /** What it costs, as settled at submit; null is nothing. Without it the table of prices counts. */
  price?: Price | null;
  /** Nobody knows the price: `price` is what is reserved, and what a call cost is not known either (I8). */
  assumed?: true;
  /** Tokens of one answer at most. */
  max_tokens?: number;
}

/** Full ids of models by their names. A rehearsal calls none: to name one would be a lie. */
export function modelIds(models: Record<string, ModelChoice>): Record<string, string> {
  const called = Object.entries(models).filter(([, { provider }]) => provider !== 'rehearsal');
  return Object.fromEntries(called.map(([name, { model }]) => [name, model]));
}
