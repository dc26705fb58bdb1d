import type { ModelChoice } from '../../../plan/agents/model-choice.js';
import { readAll, request } from '../http/http.js';
import { withoutLogin } from '../../../plan/text/without-login.js';
import { ollamaUrl } from '../http/ollama-address.js';
import { timeLimit } from '../../../store/time-limit.js';
import { ownOf } from '../../../plan/values/own.js';

/** One provider of the config. */
interface ProviderOption {
  base_url?: string | undefined;
  /** `${env.NAME}` */
  key?: string | undefined;
  concurrency?: number | undefined;
}

/** `providers` of the config. */
export type ProviderOptions = Partial<Record<'anthropic' | 'ollama' | 'openai', ProviderOption | undefined>>;

/** What this environment can reach. */
export interface Reach {
  hasKey: boolean;
  /** A key for OpenAI, or a server of one's own. */
  hasOpenai: boolean;
  /** Models that a reachable Ollama has, the latest first; null when there is none. */
  ollama: () => Promise<string[] | null>;
  /** As people may see it. */
  ollamaAddress: string;
}

/** Who says where a model is reached: the definition, the environment, the config. */
interface Place {
  env: Record<string, string | undefined>;
  providers: ProviderOptions;
  baseUrl: string | null;
}

const OLLAMA_TIMEOUT_MS = 2_000;

/** Ollama's own rule: a name without a tag is `latest`. */
export function matching(name: string, available: string[]): string | undefined {
  return available.find((model) => model === name || model === `${name}:latest`);
}

/** What this environment can reach, asked when it is needed. */
export function reachOf({ env, providers, baseUrl, signal }: Place & { signal?: AbortSignal | undefined }): Reach {
  const address = ollamaUrl(baseUrl ?? (env['OLLAMA_HOST'] || providers.ollama?.base_url));
  const openai = baseUrl ?? (env['OPENAI_BASE_URL'] || providers.openai?.base_url);
  let asked: Promise<string[] | null> | null = null;
  return {
    hasKey: Boolean(ownOf(env, keyVariable(providers.anthropic) ?? 'ANTHROPIC_API_KEY') || env['ANTHROPIC_AUTH_TOKEN']),
    hasOpenai: Boolean(openai) || Boolean(ownOf(env, keyVariable(providers.openai) ?? 'OPENAI_API_KEY')),
    ollama: () => (asked ??= ollamaModels(address, signal)),
    ollamaAddress: withoutLogin(address),
  };
}

/** The variable that a reference `${env.NAME}` names. */
export function keyVariable(options: ProviderOption | undefined): string | null {
  return /^\$\{env\.(\w+)\}$/.exec(options?.key ?? '')?.[1] ?? null;
}

/** Every variable that the config names for a key. */
export function keyVariables(providers: ProviderOptions = {}): string[] {
  return Object.values(providers).flatMap((options) => keyVariable(options) ?? []);
}

/** Variables that say where a provider is: they go before the config (decision 15). */
const ADDRESS_VARIABLES = {
  anthropic: 'ANTHROPIC_BASE_URL',
  ollama: 'OLLAMA_HOST',
  openai: 'OPENAI_BASE_URL',
} as const;

/**
 * A choice with where it is reached and by which key. A definition that a person wrote names the address before the
 * environment, and that before the config; the config's key is for no address of a definition.
 */
export function withPlace(choice: ModelChoice, { env, providers, baseUrl }: Place): ModelChoice {
  if (choice.provider === 'rehearsal') return choice;
  const options = providers[choice.provider];
  const address = baseUrl ?? (env[ADDRESS_VARIABLES[choice.provider]] ? undefined : options?.base_url);
  const key = baseUrl === null ? keyVariable(options) : null;
  return {
    ...choice,
    ...(address === undefined ? {} : { base_url: address }),
    ...(key === null ? {} : { key }),
    ...(options?.concurrency === undefined ? {} : { concurrency: options.concurrency }),
  };
}

/** Models for conversations that an Ollama has, the latest changed first; null when none answers there. */
async function ollamaModels(address: string, signal: AbortSignal | undefined): Promise<string[] | null> {
  try {
    const response = await request(`${address}/api/tags`, {
      signal: timeLimit(OLLAMA_TIMEOUT_MS, ...(signal === undefined ? [] : [signal])),
    });
    const answer = JSON.parse(await readAll(response)) as { models?: { name?: unknown }[] }; // Looked at below.
    const names = (answer.models ?? []).map(({ name }) => name);
    return names.filter((name): name is string => typeof name === 'string' && !/embed/i.test(name));
  } catch {
    signal?.throwIfAborted();
    return null;
  }
}
