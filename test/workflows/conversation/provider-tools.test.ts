import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MEMO } from '../../../src/plan/names.js';
import type { RunOutcome } from '../../../src/plan/result.js';
import type { RunSettings } from '../../../src/plan/run-input.js';
import type { Tool } from '../../../src/plan/tools/tool.js';
import type { Script } from '../../fakes/model-endpoint.js';
import { startModelEndpoint } from '../../fakes/model-endpoint.js';
import type { Harness } from '../helpers/harness.js';
import { openHarness } from '../helpers/harness.js';
import { models, talking } from '../helpers/conversing.js';

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness({ ANTHROPIC_API_KEY: 'test-key' });
});
afterAll(async () => {
  await harness.close();
});

const SEARCH: Tool = { kind: 'provider', name: 'web_search', max_uses: 3, allowed_domains: ['example.org'] };
const FETCH: Tool = { kind: 'provider', name: 'web_fetch' };
const CODE: Tool = { kind: 'provider', name: 'code_execution' };

const used = (id: string, name: string, input: unknown): object => ({
  type: 'server_tool_use',
  id,
  name,
  input,
  caller: { type: 'direct' },
});
const found = {
  type: 'web_search_tool_result',
  tool_use_id: 'srv_1',
  content: [
    {
      type: 'web_search_result',
      title: 'A',
      url: 'https://example.org/a',
      encrypted_content: 'sealed',
      page_age: '1 day',
    },
  ],
};
const refused = (id: string): object => ({
  type: 'web_search_tool_result',
  tool_use_id: id,
  content: { type: 'web_search_tool_result_error', error_code: 'max_uses_exceeded' },
});
const ran = {
  type: 'bash_code_execution_tool_result',
  tool_use_id: 'srv_3',
  content: { type: 'bash_code_execution_result', stdout: '4', stderr: '', return_code: 0, content: [] },
};

async function run(uses: Tool[], script: Script, settings: Partial<RunSettings> = {}) {
  const endpoint = await startModelEndpoint(script);
  try {
    const handle = await harness.start(talking({ uses }), { settings: models(endpoint.url, harness.folder, settings) });
    const outcome: RunOutcome | null = await handle.result().catch(() => null);
    const { lines } = await harness.store.readLog(handle.workflowId, 'work', 0);
    const notes = lines.filter(({ stream }) => stream === 'note').map(({ text }) => text);
    return {
      outcome,
      notes,
      output: outcome === null ? null : await harness.json(outcome.output),
      bodies: endpoint.requests.map(({ body }) => body),
    };
  } finally {
    await endpoint.close();
  }
}

describe('tools that the provider runs', () => {
  it('go along with the request, with their limits, and 10 uses where nobody says', async () => {
    const { bodies, output } = await run([SEARCH, FETCH, CODE], [{ text: 'done' }]);
    expect(output).toBe('done');
    expect(bodies[0]?.['tools']).toEqual([
      { type: 'web_search_20250305', name: 'web_search', max_uses: 3, allowed_domains: ['example.org'] },
      { type: 'web_fetch_20250910', name: 'web_fetch', max_uses: 10 },
      { type: 'code_execution_20250825', name: 'code_execution', cache_control: { type: 'ephemeral' } },
    ]);
  });

  it('are told in the log with what they came to, go back word for word, and cost what their searches do', async () => {
    const { bodies, notes, output, outcome } = await run(
      [SEARCH, CODE, { kind: 'builtin', name: 'read_file' }],
      [
        {
          text: 'I look.',
          stop: 'pause_turn',
          served: [
            used('srv_1', 'web_search', { query: 'x' }),
            found,
            used('srv_2', 'web_search', { query: 'y' }),
            refused('srv_2'),
          ],
          usage: { input: 1, output: 1, searches: 2 },
        },
        {
          text: 'It is A.',
          served: [used('srv_3', 'bash_code_execution', { command: 'echo 4' }), ran],
          usage: { input: 1, output: 1, searches: 1 },
        },
      ],
    );
    expect(output).toBe('I look.It is A.');
    expect(notes).toEqual([
      'turn 1',
      '→ web_search {"query":"x"}',
      '← web_search: 1 result',
      '→ web_search {"query":"y"}',
      '← web_search failed: max_uses_exceeded',
      '→ bash_code_execution {"command":"echo 4"}',
      '← bash_code_execution: ended with 0',
    ]);
    expect(bodies[1]?.['messages']).toMatchObject([
      { role: 'user' },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'I look.' },
          used('srv_1', 'web_search', { query: 'x' }),
          found,
          used('srv_2', 'web_search', { query: 'y' }),
          refused('srv_2'),
        ],
      },
    ]);
    expect(outcome?.spend).toEqual({ usd: expect.closeTo(0.03, 3) as number, tokens: 4, steps: 1 });
  });

  it('reserve what their searches may cost', async () => {
    const endpoint = await startModelEndpoint(() => ({ text: 'done', usage: { input: 1, output: 1, searches: 3 } }));
    const price = { input: 0.000001, output: 0, cache_read: 0, cache_write_5m: 0, cache_write_1h: 0 };
    const settings = models(endpoint.url, harness.folder, {
      models: {
        '': { provider: 'anthropic', model: 'claude-sonnet-5-5', base_url: endpoint.url, price, max_tokens: 10 },
      },
    });
    try {
      const enough = await harness.start(talking({ uses: [SEARCH] }), { settings, lease: { usd: 0.04 } });
      expect((await enough.result()).spend.usd).toBeCloseTo(0.03, 6);
      const short = await harness.start(talking({ uses: [SEARCH] }), { settings, lease: { usd: 0.02 } });
      await expect
        .poll(async () => (await short.describe()).memo?.[MEMO.paused])
        .toMatchObject({ cause: 'max_cost_usd' });
      expect(endpoint.requests).toHaveLength(1);
      await short.cancel();
      await short.result().catch(() => undefined);
    } finally {
      await endpoint.close();
    }
  });

  it('that never come to an end are a truncated answer', async () => {
    const { outcome, bodies } = await run([SEARCH], () => ({ text: 'I look.', stop: 'pause_turn' }), {});
    expect(outcome?.status ?? 'error').toBe('error');
    expect(bodies).toHaveLength(11);
  });
});
