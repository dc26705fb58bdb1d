import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Client, WorkflowHandleWithFirstExecutionRunId } from '@temporalio/client';
import type { WorkerOptions } from '@temporalio/worker';
import { DefaultLogger, Runtime, makeTelemetryFilterString } from '@temporalio/worker';
import { afterAll } from 'vitest';
import type { Activities } from '../../../src/activities/contract.js';
import type { Dependencies } from '../../../src/activities/dependencies.js';
import { createActivities } from '../../../src/activities/create-activities.js';
import type { Json } from '../../../src/plan/values/json.js';
import { INTERPRETER } from '../../../src/plan/names.js';
import { shortPlan } from '../../../src/plan/packing/packed-plan.js';
import type { Plan } from '../../../src/plan/plan.js';
import { DEFAULT_BUDGETS } from '../../../src/plan/budget/budgets.js';
import type { RunOutcome, StepResult } from '../../../src/plan/result.js';
import type { Lease, RunInput, RunSettings } from '../../../src/plan/run-input.js';
import { UNLIMITED, WAYS_OF_TODAY } from '../../../src/plan/run-input.js';
import type { Value } from '../../../src/plan/values/value.js';
import { inline, isStored } from '../../../src/plan/values/value.js';
import { openStore } from '../../../src/store/local-store.js';
import type { Store } from '../../../src/store/store.js';
import { InterpreterWorker } from '../../../src/workers/workflow-thread/interpreter-worker.js';
import { createMadeCompiler, createMakers } from '../../../src/workers/worker/made-compiler.js';
import { workflowBundle } from '../../../src/workers/worker/create-worker.js';
import { WORKER_OPTIONS } from '../../../src/workers/worker/worker-options.js';
import { startTemporal } from './temporal-server.js';

export type RunHandle = WorkflowHandleWithFirstExecutionRunId<(input: RunInput) => Promise<RunOutcome>>;

/** A real Temporal server, a worker with the real activities and a store in a folder of its own. */
export interface Harness {
  client: Client;
  store: Store;
  folder: string;
  /** Of the server, for workers in processes of their own. */
  address: string;
  start(plan: Plan, options?: StartOptions): Promise<RunHandle>;
  /** All step results of an ended run, by id or index. */
  results(outcome: RunOutcome): Promise<Record<string, StepResult>>;
  json(value: Value | null): Promise<Json>;
  /** The Temporal events of a run (its last link, if it continued as new). */
  events(run: string): Promise<{ type: string; bytes: number }[]>;
  /**
   * Starts a worker on another task queue, for runs whose own was lost; `other` has some activities of another version,
   * or all with other dependencies. `dataConverter` is the worker's. Gives how to stop it.
   */
  work(
    taskQueue: string,
    other?: (own: Activities, deps: Dependencies) => Partial<Activities>,
    dataConverter?: WorkerOptions['dataConverter'],
  ): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

export interface StartOptions {
  input?: Record<string, Json>;
  settings?: Partial<RunSettings>;
  /** The run's limits; none by default. */
  lease?: Partial<Lease>;
  id?: string;
  /** Of another worker than the harness's own, on the same store: the folder `state`. */
  taskQueue?: string;
  /** Of one workflow task; a task that waits for a local activity looks for messages a little more often than this. */
  taskTimeout?: '5s' | '2m';
  /** Steps after which it continues as new: fewer than of runs that people start, so that a test comes to it sooner. */
  linkSteps?: number;
  /** As runs of before: calls are looked at by themselves, before they are made. */
  looksBefore?: boolean;
}

let started = 0;

/** `env` has the variables by which models are reached; none by default. `server` are arguments of the server's. */
export async function openHarness(env: Record<string, string> = {}, server: string[] = []): Promise<Harness> {
  Runtime.install({
    logger: new DefaultLogger('ERROR'),
    telemetryOptions: { logging: { filter: makeTelemetryFilterString({ core: 'ERROR' }), forward: {} } },
  });
  const folder = await mkdtemp(join(tmpdir(), 'perdure-workflows-'));
  const temporal = await startTemporal(server);
  const store = await openStore(join(folder, 'state'));
  const code = await readFile(new URL('../../../dist/workflow-bundle.js', import.meta.url), 'utf8');
  // As of our workers: it stands in every third event.
  const { buildId } = workflowBundle();
  const deps: Dependencies = {
    store,
    credentials: () => env,
    boardProgram: fileURLToPath(new URL('../../../dist/activities/devices/board/main.js', import.meta.url)),
    compile: createMadeCompiler(store),
    ...createMakers(store),
  };
  const activities = createActivities(deps);
  const work: Harness['work'] = async (taskQueue, other, dataConverter) => {
    const worker = await InterpreterWorker.create({
      connection: temporal.nativeConnection,
      taskQueue,
      buildId,
      workflowBundle: { code },
      activities: { ...activities, ...other?.(activities, deps) },
      maxHeartbeatThrottleInterval: '500ms',
      ...(dataConverter === undefined ? {} : { dataConverter }),
      // The SDK takes it, and does not declare it.
      ...{ isolateExecutionTimeout: WORKER_OPTIONS.isolateExecutionTimeout },
    });
    const running = worker.run();
    return async () => {
      worker.shutdown();
      await running;
    };
  };
  const stop = await work('test');
  const { client, address } = temporal;
  return {
    client,
    store,
    folder,
    address,
    start: (plan, options) => startRun({ client, store, folder }, plan, options),
    results: (outcome) => resultsOf(store, outcome),
    json: (value) => jsonOf(store, value),
    events: (run) => eventsOf(client, run),
    work,
    close: async () => {
      await stop();
      await temporal.close();
      // What may be used again is written beside the run, which does not wait for it.
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** The same for the tests of one file: it is closed after the last of them. */
export async function harnessOfFile(...setting: Parameters<typeof openHarness>): Promise<Harness> {
  const harness = await openHarness(...setting);
  afterAll(() => harness.close());
  return harness;
}

/** Starts a run of a Plan, as a command does, with links of any length. */
export async function startRun(
  { client, store, folder }: Pick<Harness, 'client' | 'store' | 'folder'>,
  plan: Plan,
  {
    input = {},
    settings = {},
    lease = {},
    id,
    taskQueue = 'test',
    taskTimeout,
    linkSteps = 500,
    looksBefore = false,
  }: StartOptions = {},
): Promise<RunHandle> {
  await store.putPlan(plan);
  const runInput: RunInput = {
    plan: shortPlan(plan),
    input: Object.fromEntries(Object.entries(input).map(([name, value]) => [name, inline(value)])),
    root: null,
    path: '',
    lease: { ...UNLIMITED, ...lease },
    settings: {
      models: {},
      rehearsal: false,
      submitted_by: 'tester',
      gates: 'ask',
      ...(looksBefore ? {} : WAYS_OF_TODAY),
      search_attributes: false,
      budget: DEFAULT_BUDGETS,
      workspace: folder,
      caller: settings.workspace ?? folder,
      ...settings,
    },
    link_steps: linkSteps,
    carried: null,
  };
  started += 1;
  return client.workflow.start<(input: RunInput) => Promise<RunOutcome>>(INTERPRETER, {
    taskQueue,
    workflowId: id ?? `run-${started}`,
    args: [runInput],
    ...(taskTimeout === undefined ? {} : { workflowTaskTimeout: taskTimeout }),
  });
}

/** All step results of an ended run, by id or index. */
export async function resultsOf(store: Store, outcome: RunOutcome): Promise<Record<string, StepResult>> {
  const pages = await Promise.all(outcome.pages.map((page) => jsonOf(store, page)));
  const results = pages.flat() as unknown as StepResult[]; // pages hold what the interpreter wrote
  return Object.fromEntries(results.map((result) => [result.id ?? String(result.step_index), result]));
}

/** What a value of a run is. */
export async function jsonOf(store: Store, value: Value | null): Promise<Json> {
  if (value === null) return null;
  return isStored(value) ? store.get(value.ref) : value.value;
}

async function eventsOf(client: Client, run: string): Promise<{ type: string; bytes: number }[]> {
  const { events } = await client.workflow.getHandle(run).fetchHistory();
  return (events ?? []).map((event) => ({
    type:
      Object.keys(event)
        .find((key) => key.endsWith('EventAttributes'))
        ?.replace('EventAttributes', '') ?? '',
    bytes: JSON.stringify(event).length,
  }));
}
