import { chooseModels } from '../../../src/activities/models/choice/choose.js';
import type { Json } from '../../../src/plan/values/json.js';
import type { RunOutcome, StepResult } from '../../../src/plan/result.js';
import type { RunSettings } from '../../../src/plan/run-input.js';
import { compileFlowText } from '../../compiler/helpers/flow-compile.js';
import type { ModelEndpoint } from '../../fakes/model-endpoint.js';
import { startModelEndpoint } from '../../fakes/model-endpoint.js';
import type { Harness, RunHandle } from './harness.js';
import { openHarness } from './harness.js';

/**
 * What each agent answers, by words of its instruction; several answers are given in order, and `null` is a refusal.
 */
export type Answers = Record<string, string | null | (string | null)[]>;

export interface FlowRun {
  status: RunOutcome['status'];
  output: Json;
  error: string | null;
  /** The instructions that models got, in order. */
  asked: string[];
  steps: Record<string, StepResult>;
}

interface FlowOptions {
  answers?: Answers;
  input?: Record<string, Json>;
  gates?: RunSettings['gates'];
  /** What people do while the run waits. */
  meanwhile?: (handle: RunHandle) => Promise<void>;
}

/** A server and a worker on which flows run, and a model that answers from each run's own script. */
export interface FlowSetting {
  harness: Harness;
  run(text: string, options?: FlowOptions): Promise<FlowRun>;
  close(): Promise<void>;
}

export async function openFlowSetting(): Promise<FlowSetting> {
  let answers: Answers = {};
  const given = new Map<string, number>();
  const endpoint: ModelEndpoint = await startModelEndpoint(({ prompt }) => {
    const words = Object.keys(answers).find((one) => prompt.includes(one));
    const script = words === undefined ? undefined : answers[words];
    if (words === undefined || script === undefined)
      return { status: 400, message: `no answer for: ${prompt.slice(0, 200)}` };
    const number = given.get(words) ?? 0;
    given.set(words, number + 1);
    const text = Array.isArray(script) ? (script[number] ?? script.at(-1) ?? null) : script;
    return text === null ? { status: 400, message: 'told to refuse' } : { text };
  });
  const env = { ANTHROPIC_API_KEY: 'test-key', ANTHROPIC_BASE_URL: endpoint.url };
  const harness = await openHarness(env);
  return {
    harness,
    run: async (text, { answers: script = {}, input, gates = 'approve', meanwhile } = {}) => {
      const { plan, texts, problems } = compileFlowText(text);
      if (plan === null)
        throw new Error(problems.map(({ line, column, message }) => `${line}:${column} ${message}`).join('\n'));
      for (const long of texts.values()) await harness.store.putAlways(long);
      const chosen = await chooseModels({ plan, options: {}, env, rehearse: false });
      if ('failure' in chosen) throw new Error(chosen.failure);
      answers = script;
      given.clear();
      const before = endpoint.requests.length;
      const handle = await harness.start(plan, {
        ...(input === undefined ? {} : { input }),
        settings: { models: chosen.models, gates },
      });
      await meanwhile?.(handle);
      const outcome = await handle.result().catch((error: unknown) => outcomeOf(error));
      return {
        status: outcome.status,
        output: await harness.json(outcome.output),
        error: outcome.error,
        asked: endpoint.requests.slice(before).map(({ prompt }) => prompt),
        steps: await harness.results(outcome),
      };
    },
    close: async () => {
      await harness.close();
      await endpoint.close();
    },
  };
}

/** A run that fails has its outcome as the failure's detail (decision 12). */
function outcomeOf(error: unknown): RunOutcome {
  const details = (error as { cause?: { details?: RunOutcome[] } }).cause?.details;
  if (details?.[0] === undefined) throw error;
  return details[0];
}
