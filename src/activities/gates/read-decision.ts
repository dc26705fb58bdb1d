import { taskFaults, teamFaults } from '../../plan/builds/task-rules.js';
import { tasksIn, TASKS_SHAPE } from '../../plan/builds/task.js';
import type { Json } from '../../plan/values/json.js';
import type { Value } from '../../plan/values/value.js';
import { isStored } from '../../plan/values/value.js';
import type { Store } from '../../store/store.js';
import type { Activities } from '../contract.js';
import type { Dependencies } from '../dependencies.js';
import { gateHashOf } from '../values/content-hash.js';
import { checkValue } from '../values/output-schema.js';

/** Hashes an edited content as it will be approved. What it cannot be is refused: later steps rely on its type. */
export function createReadEdit({ store }: Dependencies): Activities['readEdit'] {
  return async ({ message, shown, edit, options, team }) => {
    const written = await read(store, edit);
    if (written === undefined) return { refusal: 'the edited content is not in the store.' };
    const before = shown === null ? null : await read(store, shown);
    if ((typeof before === 'string') !== (typeof written === 'string'))
      return {
        refusal:
          typeof before === 'string'
            ? 'expected the edited content to be a text.'
            : 'expected the edited content to be JSON, not a text.',
      };
    const faults = tasksFaults(before ?? null, written, team);
    if (faults.length > 0) return { refusal: `the edited tasks cannot be carried out: ${faults.join('; ')}.` };
    return {
      content: await store.put(written),
      hash: gateHashOf({ message, content: written, ...(options === undefined ? {} : { options }) }),
    };
  };
}

/** What is wrong with planned tasks that were edited; nothing of what are none. */
function tasksFaults(before: Json, written: Json, team: string[] | undefined): string[] {
  if (tasksIn(before) === null) return [];
  if (tasksIn(written) === null) return [`expected ${TASKS_SHAPE}`];
  // A gate of an earlier version does not say whose they may be: the run does, then.
  if (team === undefined) return taskFaults(written);
  return teamFaults(
    written,
    team.map((name) => ({ name })),
  );
}

/** Holds an answer against its JSON Schema; null asks for a text. */
export function createReadAnswer({ store }: Dependencies): Activities['readAnswer'] {
  return async ({ answer, schema }) => {
    const value = await read(store, answer);
    if (value === undefined) return { refusal: 'the answer is not in the store.' };
    if (schema === null)
      return typeof value === 'string'
        ? { answer: await store.put(value) }
        : { refusal: 'expected the answer to be a text.' };
    const checked = checkValue(value, schema);
    return 'errors' in checked
      ? { refusal: `the answer does not fit its schema. ${checked.errors.join('; ')}.` }
      : { answer: await store.put(value) };
  };
}

/**
 * The JSON behind a value; undefined when it names something that nobody stored: whoever sent it may have made it up.
 */
function read(store: Store, value: Value): Promise<Json | undefined> {
  return isStored(value) ? store.get(value.ref).catch(() => undefined) : Promise.resolve(value.value);
}
