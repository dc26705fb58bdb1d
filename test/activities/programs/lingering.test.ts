// @seconds 30
import { existsSync, readFileSync } from 'node:fs';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ActivityCancellationDetails } from '@temporalio/common';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { ProgramName } from '../../../src/plan/agents/program.js';
import type { Bench } from '../helpers/harness.js';
import { createBench, failureOf, temporaryFolder } from '../helpers/harness.js';
import { until } from '../../faults/project.js';
import { playStep } from '../../tools/programs/bench.js';

const WORDS: Record<ProgramName, object[]> = {
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

/** A program that tells its result, and then stays. */
async function lingering(name: ProgramName): Promise<Bench & { hasTold: () => boolean; starts: () => string }> {
  const bench = await createBench({ credentials: {} });
  const bin = await temporaryFolder();
  await writeFile(join(bin, 'words'), WORDS[name].map((event) => `${JSON.stringify(event)}\n`).join(''));
  const script = `#!/bin/sh\necho start >> ${bin}/starts\ncat > /dev/null\ncat ${bin}/words\ntouch ${bin}/told\nsleep 600\n`;
  await writeFile(join(bin, name), script);
  await chmod(join(bin, name), 0o755);
  vi.stubEnv('PATH', `${bin}:/usr/bin:/bin`);
  onTestFinished(() => void vi.unstubAllEnvs());
  return {
    ...bench,
    hasTold: () => existsSync(join(bin, 'told')),
    starts: () => readFileSync(join(bin, 'starts'), 'utf8'),
  };
}

describe.each(['claude', 'codex', 'gemini'] as const)('%s that has told its result and does not end', (name) => {
  it('is ended, and its answer counts', async () => {
    const { output, spend } = await playStep(await lingering(name), name, {});
    expect([output, spend.tokens]).toEqual([{ value: 'Done.' }, 14]);
  }, 60_000);

  it("is ended by the step's limit, and its answer counts", async () => {
    const { output, spend } = await playStep(await lingering(name), name, { timeout_ms: 4_500 });
    expect([output, spend.tokens]).toEqual([{ value: 'Done.' }, 14]);
  }, 60_000);
});

describe('Claude Code that has told its result and does not end', () => {
  it('is cancelled: the step is, and what it has used is told', async () => {
    const bench = await lingering('claude');
    const playing = playStep(bench, 'claude', {}).catch((error: unknown) => error);
    await until(bench.hasTold);
    bench.temporal.cancel('CANCELLED');
    expect(await playing).toMatchObject({ name: 'CancelledFailure', details: [{ usd: 0.5, tokens: 14 }] });
  });

  it('is ended with its worker: the next one has the answer without asking again', async () => {
    const bench = await lingering('claude');
    const playing = failureOf(playStep(bench, 'claude', {}));
    await until(bench.hasTold);
    bench.temporal.cancel('WORKER_SHUTDOWN', new ActivityCancellationDetails({ workerShutdown: true }));
    expect(await playing).toMatchObject({ type: 'worker-lost' });
    const next = await createBench({ credentials: {}, folder: bench.folder });
    const { output, spend } = await playStep(next, 'claude', {});
    expect([output, spend, bench.starts()]).toEqual([
      { value: 'Done.' },
      { usd: 0.5, tokens: 14, steps: 1 },
      'start\n',
    ]);
  });
});
