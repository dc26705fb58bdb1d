import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { Json } from '../../plan/values/json.js';
import { toText, utf8Bytes } from '../../plan/values/json.js';
import { mostAnswered } from '../../plan/agents/model-rules.js';
import { mostOf } from '../../plan/budget/price.js';
import { endOfStub, recordedAnswer, stubAt, turnIn, USUAL_FAILURE } from '../../plan/agents/recorded-answers.js';
import type { Recorded, RecordedAnswer } from '../../plan/agents/recorded-answers.js';
import type { Spend } from '../../plan/budget/spend.js';
import { spendSince } from '../../plan/budget/spend.js';
import { tokensText } from '../../plan/calls/step-output.js';
import type { PlanBody } from '../../plan/plan.js';
import type { AgentStep } from '../../plan/step.js';
import type { Hash } from '../../plan/values/value.js';
import type { Claim } from '../../store/journal/entry.js';
import type { Paid } from '../attempt/account.js';
import { book, countedIn, paidFor } from '../attempt/account.js';
import type { Attempt } from '../attempt/attempt.js';
import type { ModelCall } from '../contract.js';
import type { Dependencies } from '../dependencies.js';
import type { CutCalls } from '../attempt/cut-calls.js';
import { cutCalls } from '../attempt/cut-calls.js';
import { askOnce } from '../attempt/call-journal.js';
import { believedUsage } from '../models/believed-usage.js';
import type { CallSoFar } from '../models/cut-usage.js';
import { cutUsage, nothingSoFar } from '../models/cut-usage.js';
import type { Block } from '../models/protocol/message.js';
import { filesIn, messageBytes, textOf } from '../models/protocol/message.js';
import { takesFiles, unreadableBy } from '../models/files.js';
import { faultOf } from '../models/judge.js';
import { costAt, searchesCost } from '../models/choice/prices.js';
import { mostSearches } from '../models/provider-tools.js';
import type { CallContext, ModelAnswer, ModelProvider, ModelRequest, Usage } from '../models/protocol/provider.js';
import { inAndOut, tokensOf } from '../models/protocol/provider.js';
import { withoutKeys } from '../models/http/without-keys.js';
import { renderRehearsal } from '../models/request.js';
import { LONGEST_MS } from '../models/http/retry-after.js';
import { gatherText } from '../attempt/text-log.js';
import type { ResumedLog } from '../attempt/resumed-log.js';
import { settleQuota, takeQuota } from '../attempt/quota.js';
import { noStub } from '../attempt/recorded-end.js';
import { refuseIfShort } from '../attempt/reservation.js';
import { stepFailure } from '../failures.js';

export interface Asking extends Attempt<AgentStep>, ResumedLog {
  deps: Dependencies;
  call: ModelCall;
  provider: ModelProvider;
}

/** One question: what is asked, and how the journal tells it from others of the same try. */
export interface Question {
  request: ModelRequest;
  part: (string | number)[];
  /** Stands for the messages in the journal: the hash of a transcript's last one names them all (I7). */
  said?: Hash;
}

/**
 * What was answered once is the answer, and is not paid again (I8). What it cost is booked in the account, with that of
 * calls before it which came to no whole answer.
 */
export async function answerTo(asking: Asking, { request, part, said }: Question): Promise<ModelAnswer> {
  const {
    call,
    log,
    account,
    deps: { store },
  } = asking;
  const asked = said === undefined ? request : { ...request, messages: said };
  // Messages are JSON-safe.
  const question = {
    call,
    part,
    request: { provider: call.model.provider, ...asked } as unknown as Json,
    asked: said === undefined ? { system: request.system, messages: request.messages } : { transcript: said },
    about: {
      what: 'model' as const,
      name: request.model,
      provider: call.model.provider,
      // `ask` below gave it
      usd: (answer: Json) => costOf(asking, (answer as unknown as ModelAnswer).usage),
      tokens: (answer: Json) => inAndOut((answer as unknown as ModelAnswer).usage),
    },
  };
  const reserved = mostIn(call.model, request).usd;
  const cut = cutCalls(store, question, reserved);
  const before = await cut.read();
  book(account, before);
  const quota = { call, part, terms: call.most?.quota };
  let isKnown = true;
  let lost = 0;
  /** An answer that is paid and not booked: the store may have no room for it yet. */
  const came: { unbooked: ModelAnswer | null } = { unbooked: null };
  const ask = async (claim: Claim): Promise<Json> => {
    isKnown = false;
    came.unbooked = null;
    ({ lost } = claim);
    refuseIfShort(needsOf(call, request, countedIn(account)), call.most);
    const needs = mostIn(call.model, request);
    await takeQuota(store, quota, { needs, before: account.counted.usd ?? 0, signal: asking.signal });
    if (call.context !== undefined && part.at(-1) === 0)
      log.write('note', `asked:\n${request.messages.map(textOf).join('\n\n')}`);
    const answer = await callProvider(asking, { request, part, cut, reserved, claim });
    came.unbooked = answer;
    if (answer.stop !== 'refused' && answer.word !== undefined)
      log.write('note', `its provider ended it for \`${answer.word}\`: nobody here knows whether it is whole\n`);
    return answer as unknown as Json;
  };
  // `ask` gave it.
  const paid = (answer: Json): Paid => paidFor(spendOf(asking, (answer as unknown as ModelAnswer).usage), reserved);
  const late = (answer: Json): Promise<void> => cut.add(paid(answer));
  // So are answers, and nothing else is under such a key.
  try {
    const answer = (await askOnce(store, question, ask, {
      signal: asking.signal,
      cost: (answer) => paid(answer).spent,
      late,
    })) as unknown as ModelAnswer;
    // An owner before this one, which was taken for lost, may have been answered meanwhile.
    if (lost > 0) book(account, paidSince(before, await cut.read()));
    if (isKnown) asking.retell(answer.text);
    book(account, paidFor(spendOf(asking, answer.usage), reserved));
    came.unbooked = null;
    return answer;
  } finally {
    const all: Paid = { spent: account.spent, counted: account.counted };
    if (came.unbooked !== null) book(all, paidFor(spendOf(asking, came.unbooked.usage), reserved));
    await settleQuota(store, quota, all.counted.usd);
  }
}

function paidSince(before: Paid, now: Paid): Paid {
  return { spent: spendSince(before.spent, now.spent), counted: spendSince(before.counted, now.counted) };
}

function spendOf(asking: Asking, usage: Usage): Spend {
  return { usd: costOf(asking, usage), tokens: tokensOf(usage), steps: 0 };
}

/**
 * What all questions of a call may need with this one (I8). `counted` is what those before used of what was reserved
 * for the call.
 */
function needsOf(
  { model }: ModelCall,
  request: ModelRequest,
  counted: { usd: number; tokens: number },
): { usd: number; tokens: number } {
  const next = mostIn(model, request);
  return { usd: counted.usd + next.usd, tokens: counted.tokens + next.tokens };
}

/** What a request may use at most. */
export function mostIn(model: ModelCall['model'], request: ModelRequest): { usd: number; tokens: number } {
  const { price = null } = model;
  const most = mostOf(price, { bytes: requestBytes(request), max_tokens: mostAnswered(model, request.params) });
  return price === null ? most : { ...most, usd: most.usd + searchesCost(mostSearches(request.tools)) };
}

/** The size of a request in UTF-8 bytes of what the model reads: what is reserved for it follows from that. */
export function requestBytes({ system, messages, schema, tools = [] }: ModelRequest): number {
  const format = schema === null ? 0 : utf8Bytes(JSON.stringify(schema));
  return (
    utf8Bytes(system) +
    format +
    utf8Bytes(JSON.stringify(tools)) +
    messages.reduce((bytes, message) => bytes + messageBytes(message), 0)
  );
}

/** What an answer cost, by the price that was settled at submit; null where that is only assumed. */
function costOf({ call: { model }, provider }: Asking, usage: Usage): number | null {
  if (model.price === undefined) return provider.cost(model.model, usage);
  if (model.assumed === true) return null;
  return model.price === null ? 0 : costAt(model.price, usage);
}

interface Asked extends Pick<Question, 'request' | 'part'> {
  claim: Claim;
  cut: CutCalls;
  reserved: number;
}

async function callProvider(asking: Asking, { request, part, cut, reserved, claim }: Asked): Promise<ModelAnswer> {
  const { call, deps, provider, log, progress, said, account } = asking;
  const text = gatherText(
    log,
    (characters) => {
      progress['characters'] = characters;
    },
    said(),
  );
  const soFar = nothingSoFar();
  const context = await contextOf(asking, { part, soFar, claim, onText: text.add });
  try {
    const answer = await provider.call(await withFiles(deps.store, request, call.model.provider), context);
    return call.model.provider === 'rehearsal'
      ? answer
      : { ...answer, usage: believedUsage(answer, () => requestBytes(request)) };
  } catch (error) {
    const usage = cutUsage(soFar, error, () => requestBytes(request));
    if (usage !== null) {
      const paid = paidFor(spendOf(asking, usage), reserved);
      book(account, paid);
      await cut.add(paid);
    }
    throw error instanceof ApplicationFailure ? settle(error, asking, context.credentials) : error;
  } finally {
    text.end();
  }
}

/**
 * The request with the contents of its files in their places. Throws `request-refused` where the provider takes none:
 * nothing is asked without what it is about.
 */
async function withFiles(
  store: Dependencies['store'],
  request: ModelRequest,
  provider: ModelCall['model']['provider'],
): Promise<ModelRequest> {
  const files = request.messages.flatMap((message) => ('blocks' in message ? filesIn(message.blocks) : []));
  const [first] = files;
  if (first === undefined || provider === 'rehearsal') return request;
  if (!takesFiles(provider))
    throw stepFailure('request-refused', unreadableBy(first.name, `${provider}:${request.model}`));
  const placed = async (block: Block): Promise<Block> =>
    block.kind === 'file' ? { ...block, data: await store.getText(block.data) } : block;
  const messages = await Promise.all(
    request.messages.map(async (message) =>
      'blocks' in message ? { ...message, blocks: await Promise.all(message.blocks.map(placed)) } : message,
    ),
  );
  return { ...request, messages };
}

/** What a provider is given beside the request; what it tells meanwhile is noted in `soFar`. */
async function contextOf(
  { deps, call, step, body, signal }: Asking,
  { part, soFar, claim, onText }: Pick<Asked, 'part' | 'claim'> & { soFar: CallSoFar; onText: (piece: string) => void },
): Promise<CallContext> {
  return {
    signal: untilSent(signal, claim, soFar),
    credentials: credentialsFor(call.model, deps.credentials()),
    baseUrl: call.model.base_url ?? null,
    ...(call.model.concurrency === undefined ? {} : { concurrency: call.model.concurrency }),
    onSent: () => {
      soFar.isSent = true;
    },
    onAccepted: () => {
      soFar.isAccepted = true;
    },
    onUsage: (told) => {
      soFar.told = told;
    },
    onSaid: (bytes) => {
      soFar.said += bytes;
    },
    onText,
    rehearsal: {
      path: call.path,
      text: await renderRehearsal(deps.store, step, call.environment),
      recorded: call.model.provider === 'rehearsal' ? await recordedFor(deps.store, call, part) : null,
      ...(step.tasks === undefined ? {} : { tasks: step.tasks, ...(await specOf(deps.store, call, body)) }),
    },
  };
}

/** The spec of the build whose tasks a rehearsal plans. */
async function specOf(store: Dependencies['store'], call: ModelCall, { steps }: PlanBody): Promise<{ spec?: Json }> {
  const [build] = steps.flatMap((step) => (step.kind === 'plan' && step.build !== undefined ? [step.build] : []));
  if (build === undefined || call.model.provider !== 'rehearsal') return {};
  return { spec: JSON.parse(await store.getText(build)) as Json }; // `JSON.parse` makes nothing else
}

/** Who lost the question asks no more; what is on its way is paid, and its spend is worth knowing. */
function untilSent(signal: AbortSignal, { signal: lost }: Claim, soFar: CallSoFar): AbortSignal {
  if (lost === null) return signal;
  const stop = new AbortController();
  lost.addEventListener('abort', () => {
    if (!soFar.isSent) stop.abort(lost.reason);
  });
  return AbortSignal.any([signal, stop.signal]);
}

/**
 * What a test answers here (`perdure test`); null in other rehearsals. Fails where nothing was recorded: a stand-in
 * would test nothing.
 */
async function recordedFor(
  store: Dependencies['store'],
  { root, path, try: tried }: ModelCall,
  part: Question['part'],
): Promise<RecordedAnswer | null> {
  const recorded = await store.readRecorded(root.run);
  if (recorded === null) return null;
  const asked = { step: path, tried, turn: turnIn(part) };
  const answer = recordedAnswer(recorded.answers, asked) ?? stubbedAnswer(recorded, path);
  if (answer === null && recorded.stand_ins !== true)
    throw stepFailure(
      'request-refused',
      `No answer is recorded for ${turnIn(part) === null ? '' : `turn ${String(turnIn(part))} of `}\`${path}\`. ` +
        `Record a run of the definition as it is now.`,
    );
  if (answer?.failed !== undefined) throw stepFailure(answer.failure ?? USUAL_FAILURE.agent, answer.failed);
  return answer;
}

/** What an agent says by its stub. Throws the failure that it is to end with, or one that says that it has none. */
function stubbedAnswer({ stubs, stand_ins }: Recorded, path: string): RecordedAnswer | null {
  if (stubs === undefined) return null;
  const stub = stubAt(stubs, path);
  if (stub === null && stand_ins !== true) throw noStub(path);
  const end = stub === null ? null : endOfStub(stub, path);
  if (end === null || 'real' in end) return null;
  if ('failed' in end) throw stepFailure(end.failure ?? USUAL_FAILURE.agent, end.failed);
  return { step: path, text: toText(end.output) };
}

const KEY_VARIABLES = { anthropic: 'ANTHROPIC_API_KEY', openai: 'OPENAI_API_KEY' } as const;

/** With the key that the config names in the place of the provider's usual one. */
export function credentialsFor(
  { provider, key }: ModelCall['model'],
  known: CallContext['credentials'],
): CallContext['credentials'] {
  if (key === undefined || provider === 'ollama' || provider === 'rehearsal') return known;
  return { ...known, [KEY_VARIABLES[provider]]: known[key] };
}

/**
 * The failure as it may be told: without a key that the provider may have repeated, and final when Temporal has
 * tried again for as long as the step may take, or for a day at the provider's word. A missing key is waited for
 * without end: only a person can mend it.
 */
function settle(
  failure: ApplicationFailure,
  { step, call }: Asking,
  credentials: CallContext['credentials'],
): ApplicationFailure {
  const { scheduledTimestampMs } = Context.current().info;
  // `stepFailure` sets numbers only
  const delayMs = typeof failure.nextRetryDelay === 'number' ? failure.nextRetryDelay : null;
  const next = Date.now() + (delayMs ?? 0);
  // What the provider asked for is no time that the step took.
  const patience = delayMs === null ? step.timeout_ms : Math.max(step.timeout_ms, LONGEST_MS);
  const tookMs = next - scheduledTimestampMs + (call.paid?.ms ?? 0);
  const isLate = failure.type !== 'provider-missing' && tookMs > patience;
  return ApplicationFailure.create({
    type: failure.type ?? 'internal',
    message: withoutKeys(failure.message, credentials),
    nonRetryable: failure.nonRetryable === true || isLate,
    ...(delayMs === null ? {} : { nextRetryDelay: delayMs }),
  });
}

export function invalid({ call, step }: Pick<Asking, 'call' | 'step'>, errors: string[]): string {
  const hint = call.model.provider === 'rehearsal' ? ' Write an answer that does under `rehearsal:` of the step.' : '';
  return faultOf(step, errors) + hint;
}

/** What stands beside a step: what its answer took, and for what it ended where nobody knows that word. */
export function noteOf(call: ModelCall, { tokens }: Spend, { word }: Pick<ModelAnswer, 'word'>): string {
  if (call.model.provider === 'rehearsal') return 'rehearsal';
  return `${tokensText(tokens)}${word === undefined ? '' : `, ended for \`${word}\``}`;
}
