import { onTestFinished } from 'vitest';
import type { EndpointOptions, ModelEndpoint, Script } from '../../fakes/model-endpoint.js';
import { startModelEndpoint } from '../../fakes/model-endpoint.js';
import type { Bench } from './harness.js';
import { createBench } from './harness.js';

export const KEY = 'sk-ant-canary-0123456789';
export const OLLAMA = { provider: 'ollama', model: 'qwen3' } as const;
export const OPENAI = {
  provider: 'openai',
  model: 'gpt-9',
  price: { input: 2, output: 10, cache_read: 2, cache_write_5m: null, cache_write_1h: null },
} as const;

export async function benchWith(
  script: Script,
  options: EndpointOptions = {},
): Promise<{ bench: Bench; endpoint: ModelEndpoint }> {
  const endpoint = await startModelEndpoint(script, options);
  onTestFinished(() => endpoint.close());
  return {
    endpoint,
    bench: await createBench({
      credentials: {
        ANTHROPIC_API_KEY: KEY,
        ANTHROPIC_BASE_URL: endpoint.url,
        OLLAMA_HOST: endpoint.url,
        OPENAI_API_KEY: KEY,
        OPENAI_BASE_URL: `${endpoint.url}/v1/`,
      },
    }),
  };
}
