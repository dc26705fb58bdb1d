import { existsSync } from 'node:fs';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished, vi } from 'vitest';
import type { JsonObject } from '../../../src/plan/values/json.js';
import type { ProgramName } from '../../../src/plan/agents/program.js';
import type { Bench } from '../../activities/helpers/harness.js';
import { createBench, temporaryFolder } from '../../activities/helpers/harness.js';

/** Stands in for a program: its processes say one answer after the other. What each was told and has read is kept. */
export async function standIn(
  name: ProgramName,
  ...answers: JsonObject[][]
): Promise<Bench & { told: () => Promise<string[]>; read: (process: number) => Promise<string> }> {
  const bench = await createBench({ credentials: { ANTHROPIC_API_KEY: 'k', OPENAI_API_KEY: 'k' } });
  const bin = await temporaryFolder();
  for (const [at, events] of answers.entries())
    await writeFile(join(bin, `${at + 1}.jsonl`), events.map((event) => `${JSON.stringify(event)}\n`).join(''));
  await writeFile(
    join(bin, name),
    `#!/bin/sh\necho "$*" >> ${bin}/told\nat=$(wc -l < ${bin}/told)\ncat > ${bin}/$at.read\ncat ${bin}/$at.jsonl\n`,
  );
  await chmod(join(bin, name), 0o755);
  vi.stubEnv('PATH', `${bin}:/usr/bin:/bin`);
  onTestFinished(() => void vi.unstubAllEnvs());
  return {
    ...bench,
    told: async () => (await readFile(join(bin, 'told'), 'utf8')).trim().split('\n'),
    read: (process) => readFile(join(bin, `${process}.read`), 'utf8'),
  };
}

/** Stands in for a program that says something, and then stays. */
export async function lingering(
  name: ProgramName,
  words: JsonObject[],
): Promise<Bench & { hasTold: () => boolean; starts: () => Promise<string> }> {
  const bench = await createBench({ credentials: {} });
  const bin = await temporaryFolder();
  await writeFile(join(bin, 'words'), words.map((event) => `${JSON.stringify(event)}\n`).join(''));
  await writeFile(
    join(bin, name),
    `#!/bin/sh\necho start >> ${bin}/starts\ncat > /dev/null\ncat ${bin}/words\ntouch ${bin}/told\nsleep 600\n`,
  );
  await chmod(join(bin, name), 0o755);
  vi.stubEnv('PATH', `${bin}:/usr/bin:/bin`);
  onTestFinished(() => void vi.unstubAllEnvs());
  return {
    ...bench,
    hasTold: () => existsSync(join(bin, 'told')),
    starts: () => readFile(join(bin, 'starts'), 'utf8'),
  };
}

/** The last word of Claude Code. */
export const result = (usd: number, more: JsonObject): JsonObject => ({
  ...{ type: 'result', subtype: 'success', is_error: false, total_cost_usd: usd, usage: { output_tokens: 10 } },
  ...more,
});
