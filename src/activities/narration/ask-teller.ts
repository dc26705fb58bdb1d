import type { ModelChoice } from '../../plan/agents/model-choice.js';
import type { Allowances } from '../../plan/narration/allowance.js';
import { isAllowed } from '../../plan/narration/allowance.js';
import type { Teller } from '../../plan/narration/record.js';
import type { Json } from '../../plan/values/json.js';
import type { Store } from '../../store/store.js';
import { timeLimit } from '../../store/time-limit.js';
import { credentialsFor, mostIn, requestBytes } from '../agents/ask-model.js';
import type { Credentials } from '../dependencies.js';
import { costAt } from '../models/choice/prices.js';
import { acceptedParams } from '../../plan/agents/model-rules.js';
import { cutUsage, nothingSoFar } from '../models/cut-usage.js';
import { believedUsage } from '../models/believed-usage.js';
import { lineOf } from '../models/http/admitted.js';
import { bareJson } from '../models/judge.js';
import type { CallContext, ModelAnswer, ModelRequest, Usage } from '../models/protocol/provider.js';
import { tokensOf } from '../models/protocol/provider.js';
import { plainProviders } from '../models/providers.js';
import { checkOutput } from '../values/output-schema.js';
import type { Tellers } from './choose-tellers.js';

/** One question of narrator or teacher. */
export interface Question {
  by: Teller;
  /** What it is about: nothing is asked twice. */
  key: string;
  system: string;
  prompt: string;
  /** JSON Schema of the answer. */
  schema: Json;
  /** Tokens of the answer at most. */
  maxTokens: number;
  timeoutMs: number;
}

/**
 * Gives the answer; null where there is none: no model, nothing left of the allowance, a time-out, a failure, an answer
 * that does not fit. Never rejects for any of these.
 */
export type AskTeller = (question: Question, signal: AbortSignal) => Promise<Json>;

export interface Asking {
  store: Pick<Store, 'addNarration' | 'readNarration' | 'readPause'>;
  run: string;
  tellers: Tellers;
  credentials: Credentials;
  allowances: Allowances;
}

/**
 * The version of what both are asked with. A change of their words gets the next one, and new snapshots in
 * `test/activities/narration/prompts/`.
 */
export const PROMPTS_VERSION = 1;

/**
 * Asks for narrator and teacher of one run, on their own account. They stand in no line with the run's calls, ask
 * nobody who wants a pause, and what they are refused pauses nobody.
 */
export function createAskTeller({ store, run, tellers, credentials, allowances }: Asking): AskTeller {
  const providers = plainProviders();
  return async (question, signal) => {
    const { by, key, schema, timeoutMs } = question;
    const model = tellers[by];
    if (model === null) return null;
    const request = requestOf(question, model);
    const most = mostIn(model, request);
    const lines = await store.readNarration(run);
    const isAsked = lines.some((line) => line.kind === 'asked' && line.key === key);
    if (isAsked || !isAllowed(by, lines, most, allowances)) return null;
    const soFar = nothingSoFar();
    const context: CallContext = {
      signal: timeLimit(timeoutMs, signal),
      credentials: credentialsFor(model, credentials()),
      baseUrl: model.base_url ?? null,
      onAccepted: () => void (soFar.isAccepted = true),
      onUsage: (told) => void (soFar.told = told),
      onSaid: (bytes) => void (soFar.said += bytes),
      onText: () => undefined,
      rehearsal: { path: key, text: null, recorded: null },
    };
    if (model.provider !== 'rehearsal' && (await store.readPause(lineOf(model.provider, context))) !== null)
      return null;
    // Nobody waits for it any more: it is no call.
    if (context.signal.aborted) return null;
    await store.addNarration(run, { kind: 'asked', at: now(), key, by, most, prompts: PROMPTS_VERSION });
    soFar.isSent = true;
    const answered = (usage: Usage | null): Promise<void> =>
      store.addNarration(run, { kind: 'answered', at: now(), key, by, spend: spendIn(model, usage) });
    let answer: ModelAnswer;
    try {
      answer = await providers[model.provider].call(request, context);
    } catch (error) {
      await answered(cutUsage(soFar, error, () => requestBytes(request)));
      return null;
    }
    await answered(believedUsage(answer, () => requestBytes(request)));
    const checked = answer.stop === 'end' ? checkOutput(bareJson(answer.text), schema) : { errors: [] };
    return 'value' in checked ? checked.value : null;
  };
}

function now(): string {
  return new Date().toISOString();
}

/** Some models refuse a limit of their answer, or think within it; what may be said at most is reserved then. */
function requestOf({ system, prompt, schema, maxTokens }: Question, { provider, model }: ModelChoice): ModelRequest {
  const params = provider === 'ollama' ? {} : acceptedParams(provider, model, { max_tokens: maxTokens });
  return {
    model,
    system,
    messages: [{ role: 'user', text: prompt }],
    schema,
    ...(Object.keys(params).length === 0 ? {} : { params }),
  };
}

function spendIn(model: ModelChoice, usage: Usage | null): { usd: number | null; tokens: number } {
  if (usage === null) return { usd: 0, tokens: 0 };
  const { price = null, assumed } = model;
  return { usd: assumed === true ? null : price === null ? 0 : costAt(price, usage), tokens: tokensOf(usage) };
}
