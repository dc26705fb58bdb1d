import { Context } from '@temporalio/activity';
import type { TurnAnswer } from '../../plan/agents/conversation.js';
import { MOST_CALLS } from '../../plan/agents/conversation.js';
import { NO_SPEND } from '../../plan/budget/spend.js';
import { longHash, shortHash } from '../../plan/packing/short-hash.js';
import { shortValue } from '../../plan/packing/short-value.js';
import type { Hash } from '../../plan/values/value.js';
import { answerTo, invalid, requestBytes } from '../agents/ask-model.js';
import { spentIn } from '../attempt/account.js';
import type { Outside } from '../attempt/attempt.js';
import { attempt } from '../attempt/attempt.js';
import type { StepOutput, TurnCall, WholeTurn } from '../contract.js';
import { convert } from '../values/convert-output.js';
import type { Store } from '../../store/store.js';
import type { Dependencies } from '../dependencies.js';
import { stepFailure } from '../failures.js';
import { fitWindow, windowBytes } from '../models/choice/context-window.js';
import type { Checked } from '../values/output-schema.js';
import { ASK_AGAIN, judge } from '../models/judge.js';
import type { Block } from '../models/protocol/message.js';
import { callsIn } from '../models/protocol/message.js';
import type { ModelAnswer, ModelRequest } from '../models/protocol/provider.js';
import { createProviders } from '../models/providers.js';
import { correction } from '../models/request.js';
import type { ResumedLog } from '../attempt/resumed-log.js';
import { resumeLog } from '../attempt/resumed-log.js';
import { keepOutput } from '../reuse/content-key.js';
import { agentAsked, openConversation } from './opening.js';
import { offeredTools, requestFor } from './offered-tools.js';
import { logRemarks } from './remarks.js';
import { addResults } from './results.js';
import { addMessage, readConversation } from './transcript.js';
import { tellCall, tellServed, turnNote } from './turn-log.js';
import { locatedCall } from '../workspace/located-call.js';
import type { Turn } from './turn.js';

/** How often a provider may pause within one turn, to go on by itself. */
const PAUSES = 10;

/** A turn while it is taken. */
type Turning = Turn & ResumedLog;

/**
 * One turn of an agent that uses tools: adds what its calls gave to the transcript, asks the model, and adds the
 * answer. What was answered once is never paid again (I8): the journal knows each question by the message that it
 * follows.
 */
export function createAskTurn(deps: Dependencies): (call: TurnCall, outside?: Outside) => Promise<TurnAnswer> {
  const providers = createProviders(deps.store, deps.prices);
  return (told, outside) =>
    attempt(deps.store, { ...told, outside }, 'agent', async (current) => {
      const call = await wholeTurn(deps.store, told);
      const asker = await agentAsked(deps, current, call);
      const tools = await offeredTools(deps.store, asker.agent);
      const answer = await takeTurn({
        ...current,
        ...asker,
        deps,
        call,
        tools,
        provider: providers[call.model.provider],
      });
      return { ...answer, ...waitedBefore() };
    });
}

function waitedBefore(): Pick<TurnAnswer, 'waited'> {
  const { attempt: tried, scheduledTimestampMs: from, currentAttemptScheduledTimestampMs: to } = Context.current().info;
  return tried === 1 ? {} : { waited: [from, to] };
}

/** The call with what the beginning of its transcript tells. */
async function wholeTurn(store: Store, call: TurnCall): Promise<WholeTurn> {
  const { model, workspace } =
    call.head === null || call.model !== undefined
      ? call
      : { ...(await readConversation(store, longHash(call.head))), ...call };
  if (model === undefined || workspace === undefined)
    throw stepFailure('internal', `Turn ${call.turn} of \`${call.path}\` has no model, and its transcript tells none.`);
  return locatedCall(store, { ...call, model, workspace });
}

async function takeTurn(turn: Turn): Promise<TurnAnswer> {
  const {
    call,
    log,
    progress,
    deps: { store },
  } = turn;
  const begun =
    call.head === null ? await openConversation(turn) : { head: await addResults(turn, longHash(call.head)) };
  if ('known' in begun)
    return { head: '', bytes: 0, usd: 0, tokens: 0, output: shortValue(begun.known.output), reused: true };
  progress['turn'] = call.turn;
  // What began within a workflow task is no second attempt for Temporal when its worker was lost.
  const mayBeAgain = turn.step.quick === true || undefined;
  const resumed = await resumeLog(store, log, { ...call, note: turnNote(call.turn) }, mayBeAgain);
  logRemarks(resumed.log, call.said);
  const answer = await converse({ ...turn, ...resumed }, begun.head);
  return call.head === null ? { ...answer, opened: true } : answer;
}

/** How far a turn has come. */
interface Course {
  /** Questions so far: what tells them apart in the journal. */
  asked: number;
  /** Answers that did not fit, and pauses. */
  invalid: number;
  pauses: number;
  /** What the model has said before it paused: its answer is that with what comes after. */
  said: string;
}

/** Asks until there is an answer that fits, or calls. */
async function converse(turning: Turning, start: Hash): Promise<TurnAnswer> {
  const course: Course = { asked: 0, invalid: 0, pauses: 0, said: '' };
  for (let head = start; ;) {
    const ended = await endOf(turning, await ask(turning, head, course));
    if ('turn' in ended) return ended.turn;
    head = ended.head;
  }
}

interface Answered {
  request: ModelRequest;
  answer: ModelAnswer;
  /** The answer's message. */
  head: Hash;
  course: Course;
}

async function ask(turning: Turning, head: Hash, course: Course): Promise<Answered> {
  const {
    deps: { store },
    call,
    agent,
    step,
    tools,
  } = turning;
  const { system, messages } = await readConversation(store, head);
  const request: ModelRequest = {
    model: call.model.model,
    system,
    messages: fitWindow(messages, windowBytes(call.model)),
    schema: step.schema,
    tools,
    ...(agent.params === undefined ? {} : { params: agent.params }),
    ...(agent.effort === undefined ? {} : { effort: agent.effort }),
  };
  const answer = await answerTo(turning, { request, part: ['turn', call.turn, course.asked], said: head });
  course.asked += 1;
  // Who paused before a word goes on from where it was.
  if (answer.stop === 'paused' && blocksIn(answer).length === 0) return { request, answer, head, course };
  return {
    request,
    answer,
    head: await addMessage(store, head, { role: 'assistant', blocks: blocksIn(answer) }),
    course,
  };
}

/** What was said; a call that the limit of tokens has cut is marked, since what is there of it may look whole. */
function blocksIn({ blocks, text, stop }: ModelAnswer): Block[] {
  const said: Block[] = blocks ?? (text === '' ? [] : [{ kind: 'text', text }]);
  const last = said.at(-1);
  return stop === 'truncated' && last?.kind === 'call' ? [...said.slice(0, -1), { ...last, cut: true }] : said;
}

/** What an answer makes of the turn: its end, or the message after which the model is asked again. */
async function endOf(turning: Turning, answered: Answered): Promise<{ turn: TurnAnswer } | { head: Hash }> {
  const { deps, step } = turning;
  const { answer, head, course } = answered;
  tellServed(turning.log, answer.served ?? []);
  if (answer.stop === 'paused' && course.pauses < PAUSES) {
    course.pauses += 1;
    course.said += answer.text;
    return { head };
  }
  const calls = callsIn(blocksIn(answer));
  if ((answer.stop === 'tools' || answer.stop === 'truncated') && calls.length > 0)
    return { turn: await callingTurn(turning, answered, calls) };
  const verdict =
    answer.unreadable === undefined ? verdictOn(turning, answer, course) : { errors: [answer.unreadable] };
  if (!('value' in verdict)) return { head: await askAgain(turning, answered, verdict.errors) };
  const value = await deps.store.put(convert(verdict.value, step.output_as));
  return { turn: { ...turnOf(turning, head), output: shortValue((await keep(turning, head, value)).output) } };
}

/** The end of a turn in which the model called tools. */
async function callingTurn(
  turning: Turning,
  { request, answer, head }: Answered,
  calls: ReturnType<typeof callsIn>,
): Promise<TurnAnswer> {
  const { deps, call, log } = turning;
  calls.forEach((one, index) => tellCall(log, { turn: call.turn, call: index }, one));
  const taken = calls.slice(0, MOST_CALLS);
  return {
    ...turnOf(turning, head),
    bytes: requestBytes(request) + Buffer.byteLength(JSON.stringify(answer.blocks)),
    calls: await Promise.all(taken.map((one) => requestFor(deps.store, turning, one, call.workspace))),
  };
}

/** Tells the model what is wrong with its answer, so often and no more: then this throws `answer-invalid`. */
async function askAgain(turning: Turning, { answer, head, course }: Answered, errors: string[]): Promise<Hash> {
  const { deps, call, step, log } = turning;
  if (course.invalid === ASK_AGAIN || call.model.provider === 'rehearsal')
    throw stepFailure(
      'answer-invalid',
      answer.unreadable === undefined
        ? invalid(turning, errors)
        : `\`${call.model.model}\` made calls that cannot be read, again and again: ${answer.unreadable}`,
    );
  course.invalid += 1;
  course.said = '';
  log.write('note', `asked again: ${errors.join('; ')}`);
  const told =
    answer.unreadable === undefined
      ? correction(step.schema, errors)
      : `Your call could not be read: ${answer.unreadable}\n\nNothing was done. Make the call again, with ` +
        `arguments that are JSON.`;
  return addMessage(deps.store, head, { role: 'user', text: told });
}

/** An answer is all that was said since the question. Where JSON is wanted, it may be what came after a pause alone. */
function verdictOn({ step, agent, call }: Turning, answer: ModelAnswer, { said }: Course): Checked {
  const whole = judge({ ...answer, text: said + answer.text }, step, agent, call.model.model);
  return 'value' in whole || said === '' || step.schema === null ? whole : judge(answer, step, agent, call.model.model);
}

function turnOf({ account }: Turning, head: Hash): TurnAnswer {
  const { usd, tokens } = spentIn(account);
  return { head: shortHash(head), bytes: 0, usd, tokens };
}

/**
 * Lets runs to come reuse what the whole conversation came to. What an agent says to another is no step's result; one
 * that did without a part of what it had started is run again with that.
 */
async function keep({ deps: { store }, call }: Turning, head: Hash, output: StepOutput['output']): Promise<StepOutput> {
  const result: StepOutput = {
    output,
    spend: NO_SPEND,
    note: call.model.provider === 'rehearsal' ? 'rehearsal' : null,
    reused: false,
  };
  if (call.asked !== undefined || call.partial === true) return result;
  const { key } = await readConversation(store, head);
  return keepOutput(store, call, key, result);
}
