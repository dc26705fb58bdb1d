import type { Json, JsonObject } from '../../plan/values/json.js';
import { isObject } from '../../plan/values/json.js';
import { stepIdsOf, tasksIn } from '../../plan/builds/task.js';
import type { RunRecord } from '../../plan/result.js';
import { loadValue } from '../../store/transcript.js';
import type { Store } from '../../store/store.js';
import { buildStepOf } from '../observe/build-spec.js';
import { viewOfRecord } from '../observe/closed.js';
import type { RunView, StepView } from '../observe/view/view.js';
import { everyStepView, nestedIn } from '../observe/view/view.js';

/** The tasks of a run that mends a build. */
export const FIX_TASKS = ['mend', 'check'] as const;

/** What a build, or a run that mends one, came to. */
export interface BuiltWork {
  /** Its output; of one that ended before it had one, what of it its steps had come to by then. */
  output: JsonObject;
  /** The steps of its tasks; null where these did not begin. */
  steps: StepView[] | null;
}

/** Reads what a build came to, however it ended. */
export async function builtWork(record: RunRecord, store: Store): Promise<BuiltWork> {
  const view = await viewOfRecord(record, store);
  const place = buildIn(view);
  const steps = place === null ? view.steps : (place.step.nested?.steps ?? null);
  const output = await loadValue(place?.run.output ?? view.output, store);
  return { output: isObject(output) ? output : await outputSoFar(place, steps ?? [], store), steps };
}

interface BuildPlace {
  run: RunView;
  step: StepView;
}

/** The step that carries out the tasks of a build, and its run, which may be nested in another; null where none is. */
function buildIn(run: RunView): BuildPlace | null {
  const steps = everyStepView(run.steps);
  const own = buildStepOf({ steps });
  if (own !== null) return { run, step: own };
  return steps.flatMap(nestedIn).reduce<BuildPlace | null>((found, nested) => found ?? buildIn(nested), null);
}

async function outputSoFar(place: BuildPlace | null, steps: StepView[], store: Store): Promise<JsonObject> {
  const plan = await approvedIn(place, store);
  const step = (id: string): StepView | null => steps.find((view) => view.step.id === id) ?? null;
  const summaries: [string, Json][] = [];
  for (const [task, id] of place === null ? FIX_TASKS.map((one) => [one, one] as const) : stepsOfTasks(plan)) {
    const summary = await outputOf(step(id), store);
    if (summary !== null) summaries.push([task, summary]);
  }
  const tests = step('tests');
  // A loop that was stopped has no output: its last round tells.
  const looked = tests?.rounds.at(-1)?.steps.find((view) => view.step.id === 'looked') ?? null;
  return {
    ...plan,
    summaries: Object.fromEntries(summaries),
    tests: (await outputOf(tests, store)) ?? (await outputOf(looked, store)),
  };
}

/** What was approved, or planned where nobody approves: `{tasks, commands}`. */
async function approvedIn(place: BuildPlace | null, store: Store): Promise<JsonObject> {
  const source = place?.step.step.needs[0]?.step;
  const approved = await outputOf(place?.run.steps.find(({ step }) => step.index === source) ?? null, store);
  if (!isObject(approved)) return { tasks: [], commands: {} };
  const { tasks = [], test_command = null, start_command = null, page = null } = approved;
  return { tasks, commands: { test_command, start_command, page } };
}

/** Ids of tasks, each with that of its step. */
function stepsOfTasks(plan: JsonObject): [string, string][] {
  const tasks = tasksIn(plan) ?? [];
  const ids = stepIdsOf(tasks);
  return tasks.map(({ id }, index) => [id, ids[index] ?? id]);
}

async function outputOf(view: StepView | null, store: Store): Promise<Json> {
  return loadValue(view?.result?.output ?? null, store);
}
