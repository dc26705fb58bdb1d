import type { Json, JsonObject } from '../plan/values/json.js';
import { isStored, previewOf } from '../plan/values/value.js';
import type { Value } from '../plan/values/value.js';
import type { Store } from '../store/store.js';
import { findRun } from '../cli/observe/find-run.js';
import type { OpenGate, RunView } from '../cli/observe/view/view.js';
import { everyStepView, isClosed, openGates, rootOf } from '../cli/observe/view/view.js';
import { billJson, forecastJson } from '../cli/bill/bill-json.js';
import type { GateBill } from '../cli/bill/gate-bill.js';
import { readBill } from '../cli/bill/read-bill.js';
import { answerCommands } from '../cli/render/gate-words.js';
import { toGateJson } from '../cli/render/json.js';
import type { Connection } from './connection.js';
import { shellCommand } from '../plan/text/shell-command.js';

/** What a client's model is given of one value at most; beyond, its beginning and where the rest is. */
const OUTPUT_BYTES = 64 * 1024;
const MOST_STEPS = 100;
/** Gates that are told with their bill, each of which simulates runs. */
const MOST_BILLS = 5;

/**
 * A run as a tool answers it: its result, or how to go on with it. What was to be expected of it is told while it runs,
 * and the bill of what it waits for.
 */
export async function reportRun(view: RunView, connection: Connection): Promise<JsonObject> {
  const { store } = await connection.session();
  const gates = openGates(view);
  return {
    run: view.run,
    status: view.status,
    output: await outputOf(view.output, store),
    error: view.error,
    duration_ms: (view.endedAt ?? Date.now()) - view.startedAt,
    spend: { ...view.spend },
    ...(isClosed(view.status) ? {} : { forecast: await forecastFor(view, connection) }),
    ...(gates.length === 0 ? {} : { gates: await reportGates(view, gates, connection) }),
    ...nextOf(view, gates),
  };
}

/** Reports a run with the state of each step. */
export async function reportSteps(view: RunView, connection: Connection): Promise<JsonObject> {
  const steps = everyStepView(view.steps);
  const shown = steps.slice(0, MOST_STEPS).map(({ path, actor, status, result, doing }): JsonObject => ({
    path,
    agent: actor,
    status,
    ...(result?.error == null ? {} : { error: result.error }),
    ...(doing === null ? {} : { doing }),
  }));
  return {
    ...(await reportRun(view, connection)),
    steps: shown,
    ...(steps.length > MOST_STEPS ? { more_steps: steps.length - MOST_STEPS } : {}),
  };
}

async function outputOf(value: Value | null, store: Store): Promise<Json> {
  if (value === null) return null;
  if (!isStored(value)) return value.value;
  const { ref, bytes } = value;
  const whole = await store.get(ref);
  return bytes <= OUTPUT_BYTES ? whole : { ref, bytes, preview: previewOf(whole) };
}

async function forecastFor(view: RunView, connection: Connection): Promise<Json> {
  return forecastJson(await (await connection.forecasts()).ofRun(view));
}

async function reportGates(view: RunView, gates: OpenGate[], connection: Connection): Promise<JsonObject[]> {
  const root = await rootView(view, connection);
  return Promise.all(
    gates.map(async (open, index) => ({
      ...toGateJson(open),
      content: await outputOf(open.gate.content, (await connection.session()).store),
      ...(index < MOST_BILLS ? { bill: billJson(await billFor(root, open, connection)) } : {}),
    })),
  );
}

/** The root of a nested run: the store has its Plan, and what follows in it follows too. */
async function rootView(view: RunView, connection: Connection): Promise<RunView> {
  if (view.path === '') return view;
  const { view: root, link } = await findRun(rootOf(view.run), await connection.session());
  await link?.close();
  return root;
}

/** What follows when a gate of a root run is approved, as its page tells it. */
export async function billFor(view: RunView, open: OpenGate, connection: Connection): Promise<GateBill> {
  const past = await (await connection.forecasts()).past();
  return readBill(view, open, { session: await connection.session(), env: connection.terminal.env, past });
}

function nextOf({ run, status }: RunView, gates: OpenGate[]): { next?: string } {
  if (isClosed(status)) return {};
  const [first] = gates;
  if (first !== undefined)
    return {
      next:
        `It waits for a decision: \`gate_answer\` asks the person at this client where that can be done; ` +
        `elsewhere a person says \`${answerCommands(first)[0] ?? ''}\`.`,
    };
  if (status === 'paused')
    return { next: `It is paused: \`${shellCommand('perdure show', [run])}\` says why and how it goes on.` };
  return { next: `It goes on by itself; wait for it with \`run_wait\` and run \`${run}\`.` };
}
