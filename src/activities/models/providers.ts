import type { ModelChoice } from '../../plan/run-input.js';
import { createAnthropicProvider } from './anthropic.js';
import { ollamaProvider } from './ollama.js';
import type { PriceTable } from './prices.js';
import type { ModelProvider } from './provider.js';
import { rehearsalProvider } from './rehearsal.js';

/** Every provider, one line each. */
export function createProviders(prices?: PriceTable): Record<ModelChoice['provider'], ModelProvider> {
  return {
    anthropic: createAnthropicProvider(prices),
    ollama: ollamaProvider,
    rehearsal: rehearsalProvider,
  };
}
