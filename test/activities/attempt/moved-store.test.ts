import { rename, rm } from 'node:fs/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { CommandCall } from '../../../src/activities/contract.js';
import type { Bench } from '../helpers/harness.js';
import { createBench, failureOf, inFull, shell } from '../helpers/harness.js';

/** Where the folder of a bench is moved to, with its store. */
function elsewhere({ folder }: Bench): string {
  const to = `${folder}-moved`;
  onTestFinished(() => rm(to, { recursive: true, force: true }));
  return to;
}

/** Temporal starts it again, where the store is now. */
const AGAIN = { nonRetryable: false, message: expect.stringMatching(/was moved or removed/) as string };

describe('a step whose project is moved away from its worker', () => {
  it.each(['exit 1', 'cat gone.txt', 'head -c 3000 /dev/zero'])(
    'while `%s` runs has not failed: it is started again elsewhere',
    async (script) => {
      const bench = await createBench();
      const failure = await failureOf(shell(bench, `mv '${bench.folder}' '${elsewhere(bench)}'; ${script}`));
      expect(failure).toMatchObject(AGAIN);
    },
  );

  it('has succeeded where it did, and what it came to needs no store', async () => {
    const bench = await createBench();
    expect(await shell(bench, `mv '${bench.folder}' '${elsewhere(bench)}'; echo done`)).toMatchObject({
      output: { value: 'done' },
    });
  });

  it('before it begins is not begun', async () => {
    const bench = await createBench();
    await rename(bench.folder, elsewhere(bench));
    const call: CommandCall = {
      root: { run: 'test-run', first: 'first', plan: `sha256:${'a'.repeat(64)}` },
      nested: null,
      step: 0,
      path: 'step',
      try: 1,
      environment: {},
      workspace: '..',
    };
    const failure = await failureOf(inFull(bench, (short) => bench.activities.runCommand(short), call));
    expect(failure).toMatchObject(AGAIN);
    await expect(bench.store.get(`sha256:${'b'.repeat(64)}`)).rejects.toThrow(/was moved or removed/);
  });
});
