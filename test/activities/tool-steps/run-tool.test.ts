import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { StepOutput } from '../../../src/activities/contract.js';
import type { ToolStepCall } from '../../../src/plan/calls/tool-step-call.js';
import { createActivities } from '../../../src/activities/create-activities.js';
import { permissionsFrom } from '../../../src/compiler/agents/permissions.js';
import type { Json } from '../../../src/plan/values/json.js';
import type { ToolStep } from '../../../src/plan/step.js';
import type { BuiltinTool } from '../../../src/plan/tools/tool.js';
import type { Store } from '../../../src/store/store.js';
import { plan, stepBase } from '../../plan/helpers/build-plan.js';
import type { Bench } from '../helpers/harness.js';
import { createBench, failureOf, inFull, literal } from '../helpers/harness.js';
import { beforeJournalWrites } from '../../store/helpers/journal-writes.js';

/** Makes the call of a tool step as the interpreter would; `store` is the one that its worker has. */
async function runTool(
  { store: kept, folder, temporal }: Bench,
  name: BuiltinTool,
  inputs: Record<string, Json>,
  store: Store = kept,
): Promise<StepOutput> {
  const step: ToolStep = {
    ...stepBase(0, { id: 'step' }),
    kind: 'tool',
    tool: { kind: 'builtin', name },
    permissions: permissionsFrom([], true),
    inputs: Object.fromEntries(Object.entries(inputs).map(([key, value]) => [key, literal(value)])),
    schema: null,
  };
  const made = plan([step]);
  await kept.putPlan(made);
  const call: ToolStepCall = {
    root: { run: 'test-run', first: 'first-run-id', plan: made.hash },
    nested: null,
    step: 0,
    path: 'step',
    try: 1,
    environment: {},
    workspace: folder,
  };
  const activities = createActivities({ store, credentials: () => ({}) });
  return inFull(
    { temporal },
    async (short) => {
      const came = await activities.runTool(short);
      if ('withheld' in came) throw new Error('The call was withheld');
      return came;
    },
    call,
  );
}

/** What a worker has that is lost between an effect and its journal: no result comes into it. */
function lostAfterEffect(store: Store): Store {
  return {
    ...store,
    ...beforeJournalWrites(store, (_key, entry) => {
      if (entry.response !== null) throw new Error('lost');
    }),
  };
}

describe('a call of a tool step whose worker was lost after its effect', () => {
  it.each([
    ['would make it once more', 'once', 'once and once'],
    ['would not find what it looks for', 'never', 'always'],
  ])('is not repeated for an edit that %s, and says so', async (_what, before, after) => {
    const bench = await createBench();
    await writeFile(join(bench.folder, 'a.txt'), before);
    const edit = { path: 'a.txt', old_text: before, new_text: after, all: true };
    await failureOf(runTool(bench, 'edit_file', edit, lostAfterEffect(bench.store)));
    expect(await readFile(join(bench.folder, 'a.txt'), 'utf8')).toBe(after);
    await expect(failureOf(runTool(bench, 'edit_file', edit))).resolves.toMatchObject({
      type: 'tool-failed',
      message: expect.stringContaining('it had begun when its worker was lost, and it was not repeated') as string,
    });
    expect(await readFile(join(bench.folder, 'a.txt'), 'utf8')).toBe(after);
  });

  it('is repeated for a file that is written whole', async () => {
    const bench = await createBench();
    const write = { path: 'a.txt', content: 'all of it' };
    await failureOf(runTool(bench, 'write_file', write, lostAfterEffect(bench.store)));
    expect(await runTool(bench, 'write_file', write)).toMatchObject({ output: { value: 'Replaced a.txt (9 bytes).' } });
  });
});

it('an edit that is in the journal gives what it gave, and is not made again', async () => {
  const bench = await createBench();
  await writeFile(join(bench.folder, 'a.txt'), 'once');
  const edit = { path: 'a.txt', old_text: 'once', new_text: 'once and once' };
  const first = await runTool(bench, 'edit_file', edit);
  expect(await runTool(bench, 'edit_file', edit)).toEqual(first);
  expect(await readFile(join(bench.folder, 'a.txt'), 'utf8')).toBe('once and once');
});
