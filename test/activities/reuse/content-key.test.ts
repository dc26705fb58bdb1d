import { existsSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { agentStep } from '../../workflows/helpers/conversing.js';
import { plan } from '../../plan/helpers/build-plan.js';
import type { StepCall, StepOutput } from '../../../src/activities/contract.js';
import { hashesOf } from '../../../src/activities/commands/command-content.js';
import { contentKey, keepOutput, reusedOutput } from '../../../src/activities/reuse/content-key.js';
import type { StoredValue } from '../../../src/plan/values/value.js';
import { fileOf } from '../../../src/store/values/value-files.js';
import { StoreFailure, storeFailure } from '../../../src/store/store-failure.js';
import type { Store } from '../../../src/store/store.js';
import { fillDescriptors } from '../../store/helpers/descriptors.js';
import { createBench, temporaryFolder } from '../helpers/harness.js';

/** A result that is kept, and what a rerun finds of it in a store as `change` makes it. */
async function foundIn(change: (store: Store, output: StoredValue) => Store): Promise<StepOutput | null> {
  const { store, temporal } = await createBench();
  const first = 'first-run-id';
  const made = plan([agentStep(0, { id: 'ask' })]);
  await store.putPlan(made);
  const root = { run: 'test-run', first, plan: made.hash };
  const call: StepCall = { root, nested: null, step: 0, path: 'ask', try: 1, environment: {} };
  const output = await store.putAlways('x'.repeat(1_000));
  const result = { output, spend: { usd: 1, tokens: 10, steps: 1 }, note: null, reused: false };
  const key = contentKey('agent', 'asked');
  await temporal.run(() => keepOutput(store, call, key, result));
  return reusedOutput(change(store, output), { ...call, reuse: { run: 'test-run', from: first } }, key);
}

/** The same in a store that gives out no values, for this reason. */
function foundWhere(why: StoreFailure): Promise<StepOutput | null> {
  return foundIn((store) => ({ ...store, get: () => Promise.reject(why) }));
}

it('a result is made anew whose value is gone, and waited for where it cannot be read now', async () => {
  expect(await foundWhere(new StoreFailure('store-missing', 'gone'))).toBeNull();
  for (const code of ['EMFILE', 'ESTALE', 'EUNREACHED']) {
    const why = storeFailure(Object.assign(new Error(code), { code }), 'read', '/value');
    await expect(foundWhere(why), code).rejects.toBe(why);
  }
});

it('a result whose value is gone, and that the worker still knows, is there again', async () => {
  let file = '';
  const found = await foundIn((store, { ref }) => {
    file = fileOf(join(store.folder ?? '', 'values'), ref);
    rmSync(file);
    return store;
  });
  expect(found).toMatchObject({ reused: true });
  expect(existsSync(file)).toBe(true);
});

it('a file that cannot be opened now is not taken for none', async () => {
  const folder = await temporaryFolder();
  await writeFile(join(folder, 'a.txt'), 'a\n');
  expect(await hashesOf(['a.txt', 'none.txt', '.'], folder)).toEqual({
    'a.txt': expect.any(String),
    'none.txt': null,
    '.': expect.any(String), // a folder stands for all that is below it
  });
  const fill = fillDescriptors();
  const hashes = hashesOf(['a.txt'], folder);
  await expect(hashes.finally(fill.free)).rejects.toThrow('EMFILE');
});
