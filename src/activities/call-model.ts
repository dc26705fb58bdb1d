import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { Json } from '../plan/json.js';
import type { Spend } from '../plan/result.js';
import { addSpend } from '../plan/result.js';
import type { AgentStep } from '../plan/step.js';
import type { Attempt } from './attempt.js';
import { attempt } from './attempt.js';
import type { Activities, ModelCall, StepOutput } from './contract.js';
import type { Dependencies } from './dependencies.js';
import { stepFailure } from './failures.js';
import { askOnce } from './journal.js';
import { judge } from './models/judge.js';
import type { CallContext, ModelAnswer, ModelProvider, ModelRequest } from './models/provider.js';
import { tokensOf } from './models/provider.js';
import { createProviders } from './models/providers.js';
import { askAgain, createRequest, renderRehearsal } from './models/request.js';
import { gatherText } from './models/text-log.js';

/** How often a model is told what is wrong with its answer before the step fails. */
const ASK_AGAIN = 2;
/** A conversation has one turn so far; agents with tools will have more. */
const TURN = 0;

interface Asking extends Attempt<AgentStep> {
  deps: Dependencies;
  call: ModelCall;
  provider: ModelProvider;
}

/** Asks a model in a role, and gives its answer. What was answered once is never paid again (I8). */
export function createCallModel(deps: Dependencies): Activities['callModel'] {
  const providers = createProviders(deps.prices);
  return (call) => attempt(deps.store, call, 'agent', (current) => ask({ ...current, deps, call, provider: providers[call.model.provider] }));
}

async function ask(asking: Asking): Promise<StepOutput> {
  const { plan, body, step, log, deps: { store }, call, provider } = asking;
  const agent = plan.agents[step.agent];
  if (agent === undefined) throw stepFailure('internal', `The plan has no agent \`${step.agent}\`.`);
  let request = await createRequest(store, { body, step, agent, environment: call.environment, model: call.model.model });
  let spend: Spend = { usd: 0, tokens: 0, steps: 1 };
  try {
    for (let again = 0; ; again += 1) {
      const asked = request;
      const answer = await answerTo(asking, asked, again);
      spend = addSpend(spend, { usd: provider.cost(request.model, answer.usage), tokens: tokensOf(answer.usage), steps: 0 });
      const verdict = judge(answer, step, agent, request.model);
      if ('value' in verdict) return { output: await store.put(verdict.value), spend, note: noteOf(call, spend), reused: false };
      if (again === ASK_AGAIN || call.model.provider === 'rehearsal') throw stepFailure('answer-invalid', invalid(call, verdict.errors));
      log.write('note', `asked again: ${verdict.errors.join('; ')}`);
      request = askAgain(request, answer.text, verdict.errors);
    }
  } catch (error) {
    throw withSpend(error, spend);
  }
}

/** What was answered once is the answer, and is not paid again (I8). */
async function answerTo(asking: Asking, request: ModelRequest, again: number): Promise<ModelAnswer> {
  const { call, deps: { store } } = asking;
  const question = { call, part: [TURN, again], request: { provider: call.model.provider, ...request } as unknown as Json }; // Messages are JSON-safe.
  const answer = await askOnce(store, question, async () => (await callProvider(asking, request)) as unknown as Json); // So are answers,
  return answer as unknown as ModelAnswer; // and nothing else is under such a key.
}

/** Answers that were of no use were paid for all the same: a final failure carries what was spent as its detail. */
function withSpend(error: unknown, spend: Spend): unknown {
  if (!(error instanceof ApplicationFailure) || error.nonRetryable !== true || spend.tokens === 0) return error;
  return ApplicationFailure.create({ type: error.type ?? 'internal', message: error.message, nonRetryable: true, details: [spend] });
}

async function callProvider({ deps, call, provider, step, signal, log, progress }: Asking, request: ModelRequest): Promise<ModelAnswer> {
  const credentials = deps.credentials();
  const text = gatherText(log, (characters) => {
    progress['characters'] = characters;
  });
  const context: CallContext = {
    signal,
    credentials,
    baseUrl: call.model.base_url ?? null,
    onText: text.add,
    rehearsal: { path: call.path, text: await renderRehearsal(deps.store, step, call.environment) },
  };
  try {
    return await provider.call(request, context);
  } catch (error) {
    throw error instanceof ApplicationFailure ? settle(error, step, credentials) : error;
  } finally {
    text.end();
  }
}

/**
 * The failure as it may be told: without a key that the provider may have repeated (S48), and final when Temporal has
 * tried again for as long as the step may take. A missing key is waited for without end: only a person can mend it.
 */
function settle(failure: ApplicationFailure, step: AgentStep, credentials: CallContext['credentials']): ApplicationFailure {
  const { scheduledTimestampMs } = Context.current().info;
  const delayMs = typeof failure.nextRetryDelay === 'number' ? failure.nextRetryDelay : null; // `stepFailure` sets numbers only
  const next = Date.now() + (delayMs ?? 0);
  const isLate = failure.type !== 'provider-missing' && next - scheduledTimestampMs > step.timeout_ms;
  const secrets = [credentials['ANTHROPIC_API_KEY'], credentials['ANTHROPIC_AUTH_TOKEN'], credentials['OPENAI_API_KEY']];
  return ApplicationFailure.create({
    type: failure.type ?? 'internal',
    message: secrets.reduce<string>((text, secret) => (secret ? text.replaceAll(secret, '…') : text), failure.message),
    nonRetryable: failure.nonRetryable === true || isLate,
    ...(delayMs === null ? {} : { nextRetryDelay: delayMs }),
  });
}

function invalid(call: ModelCall, errors: string[]): string {
  const hint = call.model.provider === 'rehearsal' ? ' Write an answer that does under `rehearsal:` of the step.' : '';
  return `The answer does not satisfy \`schema\`: ${errors.join('; ')}.${hint}`;
}

function noteOf(call: ModelCall, { tokens }: Spend): string {
  return call.model.provider === 'rehearsal' ? 'rehearsal' : `${tokens.toLocaleString('en-US')} tokens`;
}
