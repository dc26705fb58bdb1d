// @seconds 30
import { ActivityCancellationDetails } from '@temporalio/common';
import { describe, expect, it } from 'vitest';
import type { ProgramName } from '../../../src/plan/agents/program.js';
import type { JsonObject } from '../../../src/plan/values/json.js';
import { createBench, failureOf } from '../helpers/harness.js';
import { until } from '../../faults/project.js';
import { playStep } from '../../tools/programs/bench.js';
import { lingering } from '../../tools/programs/stand-in.js';

const WORDS: Record<ProgramName, JsonObject[]> = {
  claude: [
    { type: 'assistant', parent_tool_use_id: null, message: { id: 'm', usage: { input_tokens: 9, output_tokens: 5 } } },
    { type: 'result', subtype: 'success', is_error: false, result: 'Done.', total_cost_usd: 0.5 },
  ],
  codex: [
    { type: 'item.completed', item: { type: 'agent_message', text: 'Done.' } },
    { type: 'turn.completed', usage: { input_tokens: 9, output_tokens: 5 } },
  ],
  gemini: [
    { type: 'message', role: 'assistant', content: 'Done.' },
    { type: 'result', status: 'success', stats: { input_tokens: 9, output_tokens: 5, total_tokens: 14 } },
  ],
};

describe.each(['claude', 'codex', 'gemini'] as const)('%s that has told its result and does not end', (name) => {
  it('is ended, and its answer counts', async () => {
    const { output, spend } = await playStep(await lingering(name, WORDS[name]), name, {});
    expect([output, spend.tokens]).toEqual([{ value: 'Done.' }, 14]);
  }, 60_000);

  it("is ended by the step's limit, and its answer counts", async () => {
    const { output, spend } = await playStep(await lingering(name, WORDS[name]), name, { timeout_ms: 4_500 });
    expect([output, spend.tokens]).toEqual([{ value: 'Done.' }, 14]);
  }, 60_000);
});

describe('Claude Code that has told its result and does not end', () => {
  it('is cancelled: the step is, and what it has used is told', async () => {
    const bench = await lingering('claude', WORDS.claude);
    const playing = playStep(bench, 'claude', {}).catch((error: unknown) => error);
    await until(bench.hasTold);
    bench.temporal.cancel('CANCELLED');
    expect(await playing).toMatchObject({ name: 'CancelledFailure', details: [{ usd: 0.5, tokens: 14 }] });
  });

  it('is ended with its worker: the next one has the answer without asking again', async () => {
    const bench = await lingering('claude', WORDS.claude);
    const playing = failureOf(playStep(bench, 'claude', {}));
    await until(bench.hasTold);
    bench.temporal.cancel('WORKER_SHUTDOWN', new ActivityCancellationDetails({ workerShutdown: true }));
    expect(await playing).toMatchObject({ type: 'worker-lost' });
    const next = await createBench({ credentials: {}, folder: bench.folder });
    const { output, spend } = await playStep(next, 'claude', {});
    expect([output, spend, await bench.starts()]).toEqual([
      { value: 'Done.' },
      { usd: 0.5, tokens: 14, steps: 1 },
      'start\n',
    ]);
  });
});
