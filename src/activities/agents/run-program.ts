import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { Json } from '../../plan/values/json.js';
import { canonicalJson, utf8Bytes } from '../../plan/values/json.js';
import { mostOf } from '../../plan/budget/price.js';
import { accessOf } from '../../plan/agents/program-access.js';
import type { Spend } from '../../plan/budget/spend.js';
import { tokensText } from '../../plan/calls/step-output.js';
import type { Agent, AgentStep } from '../../plan/step.js';
import { sha256 } from '../../store/hash.js';
import type { Claim } from '../../store/journal/entry.js';
import type { Paid } from '../attempt/account.js';
import { book, countedIn, paidFor, spentIn } from '../attempt/account.js';
import type { Attempt } from '../attempt/attempt.js';
import { attempt } from '../attempt/attempt.js';
import type { ProgramCall, StepOutput } from '../contract.js';
import { convert } from '../values/convert-output.js';
import type { Dependencies } from '../dependencies.js';
import { stepFailure } from '../failures.js';
import { askOnce, whileHeld } from '../attempt/call-journal.js';
import { cutCalls } from '../attempt/cut-calls.js';
import { ASK_AGAIN, faultOf, judge } from '../models/judge.js';
import { textOf } from '../models/protocol/message.js';
import { inAndOut } from '../models/protocol/provider.js';
import { correction, createRequest } from '../models/request.js';
import type { ProgramQuestion, ProgramReply } from '../programs/converse.js';
import { converse } from '../programs/converse.js';
import type { ProgramSpend } from '../programs/program.js';
import { spendBy } from '../programs/usage.js';
import { settleQuota, takeQuota } from '../attempt/quota.js';
import { endingSignal } from '../attempt/single-start.js';
import { refuseIfShort } from '../attempt/reservation.js';
import { filesAtStart, leftByProgram, toldBefore } from './attempt-before.js';
import { contentKey, keepOutput, programContent, reusedOutput } from '../reuse/content-key.js';

interface Playing extends Attempt<AgentStep> {
  deps: Dependencies;
  call: ProgramCall;
  agent: Agent;
}

/**
 * Has a program play an agent: a whole conversation with tools of its own, whose last answer is the output. After a
 * lost worker the program's own session is resumed; what was answered once is never asked again (I8).
 */
export function createRunProgram(deps: Dependencies): (call: ProgramCall) => Promise<StepOutput> {
  return (call) =>
    attempt(deps.store, call, 'agent', (current) => {
      const agent = current.plan.agents[current.step.agent];
      if (agent === undefined) throw stepFailure('internal', `The plan has no agent \`${current.step.agent}\`.`);
      return run({ ...current, deps, call, agent });
    });
}

async function run(playing: Playing): Promise<StepOutput> {
  const {
    deps: { store },
    call,
    step,
    agent,
    body,
  } = playing;
  const { program, model } = call.program;
  const request = await createRequest(store, {
    body,
    step,
    agent,
    environment: call.environment,
    model: model ?? '',
    context: call.context,
  });
  const access = accessOf(agent);
  const key = contentKey('agent', programContent(step, program, request, access));
  const known = await reusedOutput(store, call, key);
  if (known !== null) return known;
  await filesAtStart(store, call, step);
  const before = await toldBefore(store, call, { agent, leftBy: () => leftByProgram(store, call) });
  const prompt = [...request.messages.map(textOf), ...(before === null ? [] : [before])].join('\n\n');
  const question = {
    system: request.system,
    prompt,
    model,
    schema: step.schema,
    access,
    after: null,
    ...(agent.effort === undefined ? {} : { effort: agent.effort }),
  };
  refuseIfShort(needsOf(call, question), call.most);
  const { answer, note } = await askUntilValid(playing, question);
  const spend = { ...spentIn(playing.account), steps: 1 };
  return keepOutput(store, call, key, { output: await store.put(answer), spend, note, reused: false });
}

/** Asks until the answer is as it shall be, so often and no more: then this throws `answer-invalid`. */
async function askUntilValid(playing: Playing, first: ProgramQuestion): Promise<{ answer: Json; note: string | null }> {
  const { call, step, agent, log, account } = playing;
  let question = first;
  for (let again = 0; ; again += 1) {
    const reply = await replyTo(playing, question, { again, task: first.prompt });
    const verdict = judge(
      { text: reply.text, stop: 'end', usage: reply.spent.usage },
      step,
      agent,
      reply.model ?? call.program.program,
    );
    if ('value' in verdict)
      return { answer: convert(verdict.value, step.output_as), note: noteOf(call, reply, account.spent) };
    if (again === ASK_AGAIN) throw stepFailure('answer-invalid', faultOf(step, verdict.errors));
    log.write('note', `asked again: ${verdict.errors.join('; ')}`);
    question = {
      ...question,
      prompt: correction(step.schema, verdict.errors),
      after: { session: reply.session, total: reply.total },
    };
  }
}

/**
 * The journal's answer, or what the program answers now. What it has used is booked while it works: it may be ended at
 * any moment.
 */
async function replyTo(
  playing: Playing,
  question: ProgramQuestion,
  { again, task }: { again: number; task: string },
): Promise<ProgramReply> {
  const { deps, call, agent, signal, log, progress, account } = playing;
  const request = { program: call.program.program, ...question } as unknown as Json; // plain data
  const asked = { system: question.system, messages: [{ role: 'user' as const, text: question.prompt }] };
  const about = {
    what: 'program' as const,
    name: call.program.program,
    // `ask` below gave it
    usd: (answer: Json) => spendBy(call, (answer as unknown as ProgramReply).spent).usd,
    tokens: (answer: Json) => inAndOut((answer as unknown as ProgramReply).spent.usage),
  };
  const journalled = { call, part: ['program', again], request, asked, about };
  const cut = cutCalls(deps.store, journalled, 0);
  book(account, await cut.read());
  const before = { ...account };
  const onSpent = (spent: ProgramSpend): void => {
    Object.assign(account, before);
    book(account, paidBy(call, spent));
  };
  const quota = { call, part: journalled.part, terms: call.most?.quota };
  // It is told to use no more than was reserved for it.
  const least = needsOf(call, question);
  const needs = { usd: Math.max(least.usd, call.most?.usd ?? 0), tokens: least.tokens };
  const paid = (answer: Json): Paid => paidBy(call, (answer as unknown as ProgramReply).spent);
  const late = (answer: Json): Promise<void> => cut.add(paid(answer));
  const ask = async (claim: Claim): Promise<Json> => {
    try {
      return (await converse({
        deps,
        call,
        question,
        again,
        task,
        request: sha256(canonicalJson(request)),
        maxTurns: agent.max_turns,
        permissions: agent.permissions,
        signal: whileHeld(signal, claim),
        log,
        onSpent,
        leftUsd: () => (call.most?.usd === undefined ? null : call.most.usd - countedIn(account).usd),
        onBegin: () => takeQuota(deps.store, quota, { needs, before: account.counted.usd ?? 0, signal }),
        onProgress: (now) => void Object.assign(progress, now),
      })) as unknown as Json; // so is a reply
    } catch (error) {
      throw error instanceof ApplicationFailure ? finalWhenLate(error, playing) : error;
    }
  };
  try {
    const reply = await askOnce(deps.store, journalled, ask, { signal, cost: (answer) => paid(answer).spent, late });
    const told = reply as unknown as ProgramReply; // nothing else is under such a key
    onSpent(told.spent);
    // An answer may have come before the program was ended: it is kept, and the step's time is not over for it (I9).
    endingSignal(Context.current()).throwIfAborted();
    return told;
  } finally {
    await settleQuota(deps.store, quota, account.spent.usd === null ? null : account.counted.usd);
  }
}

/** Temporal tries again for as long as the step may take; then what was wrong is final. */
function finalWhenLate(failure: ApplicationFailure, { step, call }: Playing): ApplicationFailure {
  const { scheduledTimestampMs } = Context.current().info;
  const delayMs = typeof failure.nextRetryDelay === 'number' ? failure.nextRetryDelay : 0;
  const tookMs = Date.now() + delayMs - scheduledTimestampMs + (call.paid?.ms ?? 0);
  if (failure.nonRetryable === true || tookMs <= step.timeout_ms) return failure;
  return ApplicationFailure.create({
    type: failure.type ?? 'internal',
    message: failure.message,
    nonRetryable: true,
    details: failure.details ?? [],
  });
}

/** What a conversation may need when it starts; it may use more, and is settled by what it has used. */
function needsOf(
  { program: { price, max_tokens } }: ProgramCall,
  { system, prompt }: ProgramQuestion,
): { usd: number; tokens: number } {
  return mostOf(price, { bytes: utf8Bytes(system) + utf8Bytes(prompt), max_tokens });
}

function paidBy(call: ProgramCall, spent: ProgramSpend): Paid {
  return paidFor(spendBy(call, spent), 0);
}

function noteOf({ program: { program } }: ProgramCall, { model }: ProgramReply, { tokens }: Spend): string {
  return `${program}${model === null ? '' : ` ${model}`}, ${tokensText(tokens)}`;
}
