import { expect, it } from 'vitest';
import { createReadEdit } from '../../../src/activities/gates/read-decision.js';
import type { Dependencies } from '../../../src/activities/dependencies.js';
import type { Json, JsonObject } from '../../../src/plan/values/json.js';
import { openStore } from '../../../src/store/local-store.js';
import { temporaryFolder } from '../../store/helpers/harness.js';

const task = (id: string, dependencies: string[] = []): JsonObject => ({
  ...{ id, name: id, description: 'd', acceptance_criteria: ['c'], agent_name: 'Bea' },
  dependencies,
});
const PLANNED: Json = { plan_explanation: 'why', tasks: [task('a'), task('b', ['a'])] };

/** What is said to this edit of a gate that shows `shown`. */
async function edited(shown: Json, edit: Json, team?: string[]): Promise<unknown> {
  const store = await openStore(await temporaryFolder());
  const readEdit = createReadEdit({ store } as Dependencies); // it needs no other
  return readEdit({
    message: 'Build it?',
    shown: await store.put(shown),
    edit: await store.put(edit),
    ...(team === undefined ? {} : { team }),
  });
}

it.each<[string, Json, string]>([
  ['no tasks any more', { tasks: [] }, 'expected {tasks: '],
  ['a task without a name', { tasks: [{ ...task('a'), name: null }] }, 'expected {tasks: '],
  [
    'a dependency that is no task',
    { tasks: [task('a'), task('b', ['c'])] },
    'task `b` depends on `c`, which is no task',
  ],
  ['a cycle', { tasks: [task('a', ['b']), task('b', ['a'])] }, 'form a cycle'],
  ['two tasks of one id', { tasks: [task('a'), task('a')] }, 'two tasks have the id `a`'],
])('planned tasks are not edited into %s', async (_, edit, refusal) => {
  expect(await edited(PLANNED, edit)).toEqual({ refusal: expect.stringContaining(refusal) });
});

it('planned tasks may be others, and what never were tasks may become anything', async () => {
  expect(await edited(PLANNED, { tasks: [task('x')] })).toHaveProperty('hash');
  for (const before of [{ tasks: 'none' }, [1], null])
    expect(await edited(before, { tasks: [] })).toHaveProperty('hash');
});

it('planned tasks are edited for nobody but those of the team', async () => {
  const edit = { tasks: [task('a'), { ...task('b', ['a']), agent_name: 'Nobody' }] };
  expect(await edited(PLANNED, edit, ['Bea'])).toEqual({
    refusal: 'the edited tasks cannot be carried out: task `b` is for `Nobody`, who is no agent of the spec.',
  });
  expect(await edited(PLANNED, edit, ['Bea', 'Nobody'])).toHaveProperty('hash');
  expect(await edited(PLANNED, { tasks: [task('a', ['a'])] }, ['Bea'])).toHaveProperty('refusal');
  // A gate that was opened by an earlier version.
  expect(await edited(PLANNED, edit)).toHaveProperty('hash');
});
