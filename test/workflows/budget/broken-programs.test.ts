// @seconds 20
import { randomUUID } from 'node:crypto';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { NO_BUDGETS } from '../../../src/plan/budget/budgets.js';
import type { ProgramChoice } from '../../../src/plan/agents/program.js';
import type { JsonObject } from '../../../src/plan/values/json.js';
import type { RunOutcome } from '../../../src/plan/result.js';
import { until } from '../../faults/project.js';
import { temporaryFolder } from '../../store/helpers/harness.js';
import { result } from '../../tools/programs/stand-in.js';
import { talking } from '../helpers/conversing.js';
import { outcomeOf } from '../helpers/ended.js';
import type { RunHandle, StartOptions } from '../helpers/harness.js';
import { harnessOfFile } from '../helpers/harness.js';
import { sendSteer } from '../helpers/updating.js';
import { viewOf } from '../helpers/viewing.js';

const harness = await harnessOfFile({ ANTHROPIC_API_KEY: 'none' });

/** Claude Code is told to use no more than $1, and says that it has used $1.25. */
const CLAUDE: ProgramChoice = {
  program: 'claude',
  model: null,
  price: { input: 1, output: 1000, cache_read: null, cache_write_5m: null, cache_write_1h: null },
  max_tokens: 1_000,
};
const OVER = result(1.25, { subtype: 'error_max_budget_usd', is_error: true });
const LATER = result(0.25, { is_error: true, api_error_status: 429, result: 'later' });
const DONE = result(0.5, { result: 'Done.' });

/** Stands in for it: the last of these answers is that to all that comes after. Gives how often it was started. */
async function claude(...answers: JsonObject[]): Promise<() => Promise<number>> {
  const bin = await temporaryFolder();
  const starts = join(bin, 'starts');
  await writeFile(starts, '');
  for (const [at, answer] of answers.entries()) await writeFile(join(bin, `${at + 1}`), `${JSON.stringify(answer)}\n`);
  await writeFile(
    join(bin, 'claude'),
    `#!/bin/sh\ncat > /dev/null\necho start >> ${starts}\nat=$(wc -l < ${starts})\n` +
      `[ $at -gt ${answers.length} ] && at=${answers.length}\ncat ${bin}/$at\n`,
  );
  await chmod(join(bin, 'claude'), 0o755);
  vi.stubEnv('PATH', `${bin}:/usr/bin:/bin`);
  onTestFinished(() => void vi.unstubAllEnvs());
  return async () => (await readFile(starts, 'utf8')).split('\n').length - 1;
}

async function start(usd: number, more: StartOptions['settings'] = {}, deadline_ms?: number): Promise<RunHandle> {
  return harness.start(talking({ uses: [] }, deadline_ms === undefined ? {} : { deadline_ms }), {
    lease: { usd },
    settings: {
      programs: { choices: { claude: CLAUDE }, usual: 'claude' },
      budget: { ...NO_BUDGETS, max_cost_usd: usd },
      workspace: await temporaryFolder(),
      ...more,
    },
  });
}

function costs({ spend, charged }: RunOutcome, usd: number): void {
  expect(spend.usd).toBeCloseTo(usd, 9);
  expect(charged?.usd).toBeCloseTo(usd, 9);
  expect(charged?.assumed).toBeUndefined();
}

it('what a program has used that needs more is told while its run waits, and counts once when it goes on', async () => {
  await claude(OVER, DONE);
  const handle = await start(2);
  await until(async () => (await viewOf(harness, handle.workflowId)).pause ?? null);
  expect((await viewOf(harness, handle.workflowId)).spend.usd).toBe(1.25);
  await sendSteer(handle, { by: 'ana', id: randomUUID(), kind: 'budget', add: { usd: 5 } });
  costs(await outcomeOf(handle), 1.75);
});

it('what a program has used that gets no more counts, and it has failed', async () => {
  await claude(OVER);
  const outcome = await outcomeOf(await start(2, { on_exhausted: { max_cost_usd: 'stop' } }));
  expect(outcome.status).toBe('partial');
  costs(outcome, 1.25);
  expect(await harness.results(outcome)).toMatchObject({ work: { status: 'error', failure: 'limit-reached' } });
});

it('what a program was refused with counts, where the deadline passes before it is started again', async () => {
  const starts = await claude(LATER);
  const outcome = await outcomeOf(await start(9, {}, 2_500));
  costs(outcome, 0.25 * (await starts()));
});
