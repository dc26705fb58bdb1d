import { hash } from 'node:crypto';
import type { Plan } from '../../plan/plan.js';
import { inline } from '../../plan/values/value.js';
import { render } from '../../plan/references/evaluate.js';
import { EVENT } from '../../plan/triggers/schedule.js';
import type { BegunRun, PreparedRun } from '../../plan/triggers/start.js';
import type { JsonObject } from '../../plan/values/json.js';
import { INPUT_PHRASES, isOfInputType } from '../../plan/values/input-type.js';
import type { Value } from '../../plan/values/value.js';
import { locate } from '../../store/folders/places.js';
import type { Store } from '../../store/store.js';
import { mainPlace } from '../../store/worktrees/places.js';
import type { Activities } from '../contract.js';
import type { Dependencies } from '../dependencies.js';
import { stepFailure } from '../failures.js';
import { runIdOf } from '../../plan/run-id.js';
import { attributesOf, detailsOf, inWorkTree, memoOf, summaryOf, toRunInput } from '../runs/run-start.js';
import { TOLD, storeContext } from '../runs/told-context.js';
import { createScope } from '../values/template-scope.js';

/**
 * Does for a run that nobody submits what a command does for one before it starts it: gives it an id and its input, and
 * writes down what is known of it. The same starter begins the same run, however often it is asked.
 */
export function createBeginRun({ store }: Dependencies): Activities['beginRun'] {
  return async ({ prepared: ref, starter, event }) => {
    // `schedules sync` and its like put nothing else there
    const prepared = (await store.get(ref)) as unknown as PreparedRun;
    const plan = await store.getPlan(prepared.plan);
    const run = runIdOf(plan.name, hash('sha256', starter, 'buffer'));
    if ((await store.readRun(run)) !== null) return { run, joined: true };
    const given = await inputFor(prepared, { plan, event, store });
    const settings = await settingsFor(prepared, { plan, run, given, store });
    const values: Record<string, Value> = {};
    for (const [name, value] of Object.entries(given)) values[name] = await store.put(value);
    for (const file of prepared.files) await store.noteUse(file, run);
    const description = descriptionOf(event);
    await store.noteSubmitted({
      run,
      definition: plan.name,
      description,
      rehearsal: settings.rehearsal,
      submitted_by: settings.submitted_by,
      submitted_at: new Date().toISOString(),
    });
    const begun: BegunRun = {
      run,
      input: toRunInput(plan, values, settings),
      summary: summaryOf(plan, settings.rehearsal, description),
      details: detailsOf(settings, run),
      memo: memoOf(plan, values, { settings, storeId: store.id }),
      ...(settings.search_attributes ? { attributes: attributesOf(plan, run, settings) } : {}),
    };
    return begun;
  };
}

/** The input of the run, with the defaults of its definition; fails where the event gives none that it takes. */
async function inputFor(
  { inputs }: PreparedRun,
  { plan, event, store }: { plan: Plan; event: JsonObject; store: Store },
): Promise<JsonObject> {
  const scope = await createScope(store, { [`input:${EVENT}`]: inline(event) }, Object.values(inputs));
  const input: JsonObject = {};
  for (const [name, { type, required, default: otherwise }] of Object.entries(plan.inputs)) {
    const template = Object.hasOwn(inputs, name) ? inputs[name] : undefined;
    const value = template === undefined ? otherwise : render(template, scope);
    if (value === undefined && !required) continue;
    if (value === undefined || !isOfInputType(value, type))
      throw stepFailure(
        'value-invalid',
        `Expected the input \`${name}\` of \`${plan.name}\` to be ${INPUT_PHRASES[type]}, got ` +
          `${value === undefined ? 'nothing' : `\`${JSON.stringify(value).slice(0, 200)}\``}.`,
      );
    input[name] = value;
  }
  return input;
}

/** What holds for the run, with the files as it finds them and what its agents are told. */
async function settingsFor(
  { settings: settled, snapshot, memories }: PreparedRun,
  { plan, run, given, store }: { plan: Plan; run: string; given: JsonObject; store: Store },
): Promise<PreparedRun['settings']> {
  const root = locate(store, settled.workspace);
  const most = { ...TOLD, memories };
  const context = await storeContext({ plan, input: given, root, session: null, most }, store);
  // As the run found them, who asks again must not change.
  if (snapshot && (await store.snapshotOf(run, 'start')) === null) await store.keepSnapshot(run, 'start', root);
  const trace = settled.trace === undefined ? {} : { trace: { id: hash('sha256', `trace ${run}`).slice(0, 32) } };
  const settings = inWorkTree({ ...settled, ...trace }, plan, mainPlace(run));
  return context === null ? settings : { ...settings, context };
}

function descriptionOf({ time }: JsonObject): string {
  return `by schedule, for ${String(time).slice(0, 19).replace('T', ' ')} UTC`;
}
