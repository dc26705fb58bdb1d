import type { ModelChoice } from '../../plan/agents/model-choice.js';
import type { ProviderFiles } from '../../store/records/provider-files.js';
import type { Admission } from './http/admission.js';
import { createAdmission } from './http/admission.js';
import { admitted } from './http/admitted.js';
import { createAnthropicProvider } from './anthropic.js';
import { ollamaProvider } from './ollama.js';
import { createOpenaiProvider } from './openai.js';
import type { PriceTable } from '../dependencies.js';
import type { ModelProvider } from './protocol/provider.js';
import { rehearsalProvider } from './rehearsal.js';

/** Every provider, one line each; those of one store wait together when one says to. */
export function createProviders(
  store: ProviderFiles,
  prices?: PriceTable,
): Record<ModelChoice['provider'], ModelProvider> {
  const admit = admissionOf(store);
  const { anthropic, ollama, openai, rehearsal } = plainProviders(prices);
  return {
    anthropic: admitted('anthropic', anthropic, admit),
    ollama: admitted('ollama', ollama, admit),
    openai: admitted('openai', openai, admit),
    rehearsal,
  };
}

/** The same for who must not hold up others: they stand in no line, and what they are refused pauses nobody. */
export function plainProviders(prices?: PriceTable): Record<ModelChoice['provider'], ModelProvider> {
  return {
    anthropic: createAnthropicProvider(prices),
    ollama: ollamaProvider,
    openai: createOpenaiProvider(prices),
    rehearsal: rehearsalProvider,
  };
}

/** Whoever asks on behalf of one store stands in the same lines. */
const admissions = new WeakMap<ProviderFiles, Admission>();

function admissionOf(store: ProviderFiles): Admission {
  const admit = admissions.get(store) ?? createAdmission(store);
  admissions.set(store, admit);
  return admit;
}
