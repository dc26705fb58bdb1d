// @seconds 20
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { ProgramName } from '../../../src/plan/agents/program.js';
import { createBench, temporaryFolder } from '../helpers/harness.js';
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

it.each(['claude', 'codex', 'gemini'] as const)(
  '%s that has told its result and does not end is ended, and its answer counts',
  async (name) => {
    const bench = await createBench({ credentials: {} });
    const bin = await temporaryFolder();
    await writeFile(join(bin, 'words'), WORDS[name].map((event) => `${JSON.stringify(event)}\n`).join(''));
    await writeFile(join(bin, name), `#!/bin/sh\ncat > /dev/null\ncat ${bin}/words\nsleep 600\n`);
    await chmod(join(bin, name), 0o755);
    vi.stubEnv('PATH', `${bin}:/usr/bin:/bin`);
    onTestFinished(() => void vi.unstubAllEnvs());
    const { output, spend } = await playStep(bench, name, {});
    expect([output, spend.tokens]).toEqual([{ value: 'Done.' }, 14]);
  },
  60_000,
);
