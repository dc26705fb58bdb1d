import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Info } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { onTestFinished } from 'vitest';
import type { Activities, CommandCall, ModelCall, ShortOutput, StepOutput } from '../../../src/activities/contract.js';
import { createActivities } from '../../../src/activities/create-activities.js';
import type { CallHead, ShortCall } from '../../../src/plan/calls/short-call.js';
import { shortCall } from '../../../src/plan/calls/short-call.js';
import { wholeOutput } from '../../../src/plan/calls/step-output.js';
import type { Environment } from '../../../src/plan/references/environment.js';
import type { Template } from '../../../src/plan/values/expression.js';
import type { Json } from '../../../src/plan/values/json.js';
import type { ModelChoice } from '../../../src/plan/agents/model-choice.js';
import type { Agent, AgentStep, CommandStep } from '../../../src/plan/step.js';
import type { Hash, Value } from '../../../src/plan/values/value.js';
import { isStored } from '../../../src/plan/values/value.js';
import { openStore } from '../../../src/store/local-store.js';
import type { Store } from '../../../src/store/store.js';
import type { LogLine } from '../../../src/store/logs/line.js';
import { plan, stepBase } from '../../plan/helpers/build-plan.js';

/** Real activities over a real store in a folder of its own, in the context that Temporal would give them. */
export interface Bench {
  store: Store;
  folder: string;
  activities: Activities;
  /** What Temporal's side of the activity can do: cancel it, see its heartbeats. */
  temporal: MockActivityEnvironment;
}

export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'perdure-test-'));
  // What is kept for later runs is written when the step's result is on its way: a folder may get a file while it goes.
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

/** What every provider needs to be reached at one endpoint of a test. */
export function credentialsAt(url: string): Record<string, string> {
  return {
    ANTHROPIC_API_KEY: 'k',
    ANTHROPIC_BASE_URL: url,
    OLLAMA_HOST: url,
    OPENAI_API_KEY: 'k',
    OPENAI_BASE_URL: `${url}/v1`,
  };
}

export async function createBench(
  options: { credentials?: Record<string, string>; info?: Partial<Info>; folder?: string } = {},
): Promise<Bench> {
  const folder = options.folder ?? (await temporaryFolder());
  const store = await openStore(join(folder, '.perdure'));
  onTestFinished(() => store.logsWritten()); // before the folder goes
  const activities = createActivities({ store, credentials: () => options.credentials ?? {} });
  const info = { scheduledTimestampMs: Date.now(), ...options.info };
  return {
    store,
    folder,
    activities,
    temporal: new MockActivityEnvironment(info, { logger: new DefaultLogger('ERROR') }),
  };
}

const ROOT = { run: 'test-run', first: 'first-run-id' };
export const RUN = ROOT.run;

export function literal(value: Json): Template {
  return { kind: 'literal', value };
}

/** A text with one reference in it. */
export function reference(root: string, path: string[] = []): Template {
  return { kind: 'expression', expression: { kind: 'reference', root, path, source: root } };
}

export type CommandOptions = Partial<Omit<CommandStep, 'argv' | 'kind'>> & {
  environment?: Environment;
  call?: Partial<CommandCall>;
};

/** Runs one command step as the interpreter would. */
export async function runCommand(
  bench: Bench,
  argv: (string | Template)[],
  options: CommandOptions = {},
): Promise<StepOutput> {
  const { environment = {}, call = {}, ...step } = options;
  const command: CommandStep = {
    ...stepBase(0, { id: 'step' }),
    kind: 'command',
    argv: argv.map((word) => (typeof word === 'string' ? literal(word) : word)),
    cwd: null,
    env: {},
    stdin: null,
    reads: [],
    max_output_kb: 100,
    schema: null,
    ...step,
  };
  const made = plan([command]);
  await bench.store.putPlan(made);
  const given: CommandCall = {
    root: { ...ROOT, plan: made.hash },
    nested: null,
    step: 0,
    path: 'step',
    try: 1,
    environment,
    workspace: bench.folder,
    ...call,
  };
  return inFull(bench, (short) => bench.activities.runCommand(short), given);
}

export function shell(bench: Bench, script: string, options: CommandOptions = {}): Promise<StepOutput> {
  return runCommand(bench, ['sh', '-c', script], options);
}

export const AGENT: Agent = {
  name: 'reviewer',
  description: 'Reviews code.',
  prompt: { kind: 'literal', value: 'You review.' },
  model: null,
  program: null,
  tools: [],
  inputs: {},
  max_output_kb: 100,
  max_turns: 20,
};

export type ModelOptions = Partial<Omit<AgentStep, 'kind'>> & {
  environment?: Environment;
  agentFields?: Partial<Agent>;
  call?: Partial<ModelCall>;
  model_choice?: ModelChoice;
};

/** Asks a model in one agent step as the interpreter would. */
export async function callModel(bench: Bench, options: ModelOptions = {}): Promise<StepOutput> {
  const {
    environment = {},
    agentFields = {},
    call = {},
    model_choice = { provider: 'anthropic', model: 'claude-sonnet-5-5' },
    ...fields
  } = options;
  const agent: Hash = `sha256:${'a'.repeat(64)}`;
  const step: AgentStep = {
    ...stepBase(0, { id: 'step' }),
    kind: 'agent',
    agent,
    prompt: literal('Look at it.'),
    inputs: {},
    model: null,
    schema: null,
    rehearsal: null,
    ...fields,
  };
  const made = plan([step], {
    name: 'review',
    description: 'Reviews a repository.',
    agents: { [agent]: { ...AGENT, ...agentFields } },
  });
  await bench.store.putPlan(made);
  const given: ModelCall = {
    root: { ...ROOT, plan: made.hash },
    nested: null,
    step: 0,
    path: 'step',
    try: 1,
    environment,
    model: model_choice,
    ...call,
  };
  return inFull(bench, (short) => bench.activities.callModel(short), given);
}

/** What an activity comes to that is called and answers in short, as history has it. */
export async function inFull<C extends CallHead>(
  { temporal }: Pick<Bench, 'temporal'>,
  activity: (call: ShortCall<C>) => Promise<ShortOutput>,
  call: C,
): Promise<StepOutput> {
  const short = shortCall(call, { workflowId: '', runId: '', activityId: null });
  return wholeOutput(await temporal.run(activity, short));
}

/** The JSON of an output, wherever it stands. */
export async function read({ store }: Bench, value: Value): Promise<Json> {
  return isStored(value) ? store.get(value.ref) : value.value;
}

export async function readLog({ store }: Bench, path = 'step'): Promise<LogLine[]> {
  await new Promise(setImmediate); // its last words come when the step's result is on its way
  const all: LogLine[] = [];
  for (let offset = 0; ;) {
    const { lines, next } = await store.readLog(RUN, path, offset);
    if (next === offset) return all;
    all.push(...lines);
    offset = next;
  }
}

/** What a promise was rejected with, as the failure that Temporal gets. */
export async function failureOf(promise: Promise<unknown>): Promise<ApplicationFailure> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof ApplicationFailure) return error;
    throw error;
  }
  throw new Error('Expected a failure; it succeeded.');
}
