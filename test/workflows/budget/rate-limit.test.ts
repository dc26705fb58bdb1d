import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AgentStep } from '../../../src/plan/step.js';
import { AGENT } from '../../activities/helpers/harness.js';
import type { ModelEndpoint } from '../../fakes/model-endpoint.js';
import { startModelEndpoint } from '../../fakes/model-endpoint.js';
import { plan, stepBase } from '../../plan/helpers/build-plan.js';
import type { Harness } from '../helpers/harness.js';
import { openHarness } from '../helpers/harness.js';

const RETRY_AFTER_S = 4;
const ROLE = `sha256:${'a'.repeat(64)}` as const;
const arrivals: number[] = [];
let refusedAt = 0;
let endpoint: ModelEndpoint;
let harness: Harness;

beforeAll(async () => {
  endpoint = await startModelEndpoint(({ call }) => {
    arrivals.push(Date.now());
    if (call > 1) return { text: 'fine' };
    refusedAt = Date.now();
    return { status: 429, headers: { 'retry-after': String(RETRY_AFTER_S) } };
  });
  harness = await openHarness({ ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: endpoint.url });
});
afterAll(async () => {
  await harness.close();
  await endpoint.close();
});

const ask = (index: number): AgentStep => ({
  ...stepBase(index),
  kind: 'agent',
  agent: ROLE,
  prompt: { kind: 'literal', value: `Question ${index}.` },
  inputs: {},
  model: null,
  schema: null,
  rehearsal: null,
});

it('of a hundred queued calls none is made before the time that a provider names; then all are answered', async () => {
  const steps = Array.from({ length: 100 }, (_, index) => ask(index));
  const handle = await harness.start(plan(steps, { agents: { [ROLE]: AGENT } }), {
    // One at once: else the first goes alone for a second only, and a busy machine may take longer to refuse it.
    settings: { models: { '': { provider: 'anthropic', model: 'claude-sonnet-5-5', concurrency: 1 } } },
    lease: { slots: 50 },
  });
  const outcome = await handle.result();
  expect(outcome.status).toBe('success');
  expect(arrivals).toHaveLength(101);
  expect(arrivals.slice(1).filter((at) => at < refusedAt + RETRY_AFTER_S * 1000)).toEqual([]);
});
