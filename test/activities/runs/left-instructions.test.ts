import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { markingInstructions } from '../../../src/activities/runs/left-instructions.js';
import { settleAfter } from '../../../src/activities/tools/shell/misleading.js';
import { StoreFailure } from '../../../src/store/store-failure.js';
import { temporaryFolder } from '../helpers/harness.js';
import { toolContext } from '../helpers/tool-context.js';

it('a store that takes no mark replaces neither a result nor a cancellation', async () => {
  const at = { run: 'run', workspace: await temporaryFolder() };
  const full = (): Promise<never> => Promise.reject(new StoreFailure('store-full', 'full'));
  const marking = (text: string, act: () => Promise<string>): Promise<string> =>
    markingInstructions({ taint: full, taintedBy: full }, at, async () => {
      await writeFile(join(at.workspace, 'AGENTS.md'), text);
      return act();
    });
  expect(await marking('one', () => Promise.resolve('done'))).toBe('done');
  await expect(marking('two', () => Promise.reject(new Error('cancelled')))).rejects.toThrow('cancelled');
});

it('what cannot be settled after a cancellation is told in the log, and the step is cancelled', async () => {
  const { log, logged } = await toolContext();
  const settle = (): Promise<never> => Promise.reject(new Error('too large'));
  await expect(settleAfter(new Error('cancelled'), settle, log)).rejects.toThrow('cancelled');
  expect(logged.join('')).toContain('could not all be looked at: too large');
});
