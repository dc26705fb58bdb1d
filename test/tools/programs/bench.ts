import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { onTestFinished, vi } from 'vitest';
import type { ProgramCall, StepOutput } from '../../../src/activities/contract.js';
import { PROGRAMS } from '../../../src/plan/agents/program.js';
import type { ProgramName } from '../../../src/plan/agents/program.js';
import type { Agent, AgentStep } from '../../../src/plan/step.js';
import type { Hash } from '../../../src/plan/values/value.js';
import { AGENT, createBench, inFull, literal } from '../../activities/helpers/harness.js';
import type { Bench } from '../../activities/helpers/harness.js';
import { FULL, random } from '../../faults/seed.js';
import type { ProgramAnswer, ProgramEndpoint, ProgramRequest } from '../../fakes/program-endpoint.js';
import { startProgramEndpoint } from '../../fakes/program-endpoint.js';
import { plan, stepBase } from '../../plan/helpers/build-plan.js';
import { cacheFolder } from '../../../src/store/cache-folder.js';
import { agentPrograms } from './install.js';

/** Programs of a test: each takes seconds to start, so the commit draws whose turn it is. */
export function drawn(name: string): ProgramName[] {
  return FULL ? [...PROGRAMS] : PROGRAMS.slice(Math.floor(random(name)() * PROGRAMS.length)).slice(0, 1);
}

export const KEY = 'planted-secret-of-the-test-0123456789';
export const MODELS: Record<ProgramName, string> = {
  claude: 'claude-opus-4-6',
  codex: 'gpt-5.5',
  gemini: 'gemini-2.5-pro',
};
export const PRICE = { input: 5, output: 25, cache_read: 0.5, cache_write_5m: 6.25, cache_write_1h: 10 };

export interface ProgramBench extends Bench {
  endpoint: ProgramEndpoint;
  /** Its own `HOME`, with what the programs keep. */
  home: string;
  /** What a worker needs in its environment to have the real programs play, at the endpoint. */
  environment: Record<string, string>;
}

/** The real programs at an endpoint that says what the test says, with a home of their own. */
export async function openPrograms(
  script: (request: ProgramRequest) => ProgramAnswer,
  { keys = true }: { keys?: boolean } = {},
): Promise<ProgramBench> {
  const endpoint = await startProgramEndpoint(script);
  onTestFinished(() => endpoint.close());
  const home = await temporaryHome();
  // Before `HOME` is another: the programs are in the user's cache.
  const all = await programEnvironment(home, endpoint.url);
  const environment = keys ? all : Object.fromEntries(Object.entries(all).filter(([, value]) => value !== KEY));
  for (const name of ['HOME', 'PATH'] as const) vi.stubEnv(name, all[name]);
  onTestFinished(() => void vi.unstubAllEnvs());
  const bench = await createBench({ credentials: environment });
  return { ...bench, endpoint, home, environment };
}

/**
 * A folder that is gone when the test has ended. Not below the system's temporary folder: Codex does not put the helper
 * of its sandbox there.
 */
export async function temporaryHome(): Promise<string> {
  await mkdir(cacheFolder(), { recursive: true });
  const home = await mkdtemp(join(cacheFolder(), 'home-'));
  onTestFinished(() => rm(home, { recursive: true, force: true, maxRetries: 5 }));
  return home;
}

/** What has the real programs play at an endpoint, with what they keep in a home. */
export async function programEnvironment(home: string, url: string): Promise<Record<string, string>> {
  await mkdir(join(home, '.codex'), { recursive: true });
  await mkdir(join(home, '.gemini'), { recursive: true });
  const provider =
    `{name = "fake", base_url = "${url}/v1", env_key = "OPENAI_API_KEY", wire_api = "responses", ` +
    `request_max_retries = 0, stream_max_retries = 0}`;
  await writeFile(
    join(home, '.codex', 'config.toml'),
    `model_provider = "fake"\nmodel_providers = {fake = ${provider}}\n`,
  );
  await writeFile(join(home, '.gemini', 'settings.json'), '{"security": {"auth": {"selectedType": "gemini-api-key"}}}');
  return {
    HOME: home,
    PATH: `${agentPrograms()}${delimiter}${process.env['PATH'] ?? ''}`,
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: KEY,
    OPENAI_API_KEY: KEY,
    GEMINI_API_KEY: KEY,
    GOOGLE_GEMINI_BASE_URL: url,
  };
}

export type PlayOptions = Partial<Omit<AgentStep, 'kind' | 'prompt'>> & {
  prompt?: string;
  agentFields?: Partial<Agent>;
  call?: Partial<ProgramCall>;
};

/** The call by which the interpreter has a program play one step. */
export async function programCall(
  bench: Pick<Bench, 'store' | 'folder'>,
  program: ProgramName,
  options: PlayOptions = {},
): Promise<ProgramCall> {
  const { prompt = 'Look at it.', agentFields = {}, call = {}, ...fields } = options;
  const agent: Hash = `sha256:${'a'.repeat(64)}`;
  const step: AgentStep = {
    ...stepBase(0, { id: 'step' }),
    kind: 'agent',
    agent,
    prompt: literal(prompt),
    inputs: {},
    model: null,
    schema: null,
    rehearsal: null,
    ...fields,
  };
  const made = plan([step], { name: 'review', agents: { [agent]: { ...AGENT, program, ...agentFields } } });
  await bench.store.putPlan(made);
  return {
    root: { run: 'test-run', first: 'first-run-id', plan: made.hash },
    nested: null,
    step: 0,
    path: 'step',
    try: 1,
    environment: {},
    workspace: bench.folder,
    program: { program, model: MODELS[program], price: PRICE, max_tokens: 1_000 },
    ...call,
  };
}

/** Has a program play one agent step, as the interpreter would. */
export async function playStep(bench: Bench, program: ProgramName, options: PlayOptions = {}): Promise<StepOutput> {
  const call = await programCall(bench, program, options);
  return inFull(bench, (short) => bench.activities.runProgram(short), call);
}
