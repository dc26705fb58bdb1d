import type { AskedBy, StepOutput, WholeTurn } from '../contract.js';
import type { Dependencies } from '../dependencies.js';
import type { LoadedStep } from '../values/load-step.js';
import type { Template } from '../../plan/values/expression.js';
import { isObject, toText } from '../../plan/values/json.js';
import { longHash } from '../../plan/packing/short-hash.js';
import type { AgentStep } from '../../plan/step.js';
import type { Attachment } from '../../plan/values/attachment.js';
import type { Hash } from '../../plan/values/value.js';
import { filesAtStart, toldBefore } from '../agents/attempt-before.js';
import type { ModelMessage } from '../models/protocol/message.js';
import { filesIn, textOf } from '../models/protocol/message.js';
import type { Store } from '../../store/store.js';
import { leftInTranscript } from './left-in-transcript.js';
import { createRequest } from '../models/request.js';
import { contentKey, modelContent, reusedOutput } from '../reuse/content-key.js';
import type { Turn } from './turn.js';
import type { Asker } from './asker.js';
import { askerOf } from './asker.js';
import { remarkText } from './remarks.js';
import { addMessage, callAt, openTranscript } from './transcript.js';
import { placeOf } from '../../store/folders/places.js';

/** The agent of a turn, and the step as it is asked: one that another agent calls answers in text, as itself. */
export async function agentAsked(
  deps: Dependencies,
  { plan, step }: Pick<LoadedStep<AgentStep>, 'plan' | 'step'>,
  call: WholeTurn,
): Promise<Asker & { step: AgentStep }> {
  const { asked } = call;
  const hash = asked === undefined ? step.agent : longHash(asked.agent);
  const asker = await askerOf(deps, plan, hash, call);
  return {
    ...asker,
    step:
      asked === undefined
        ? step
        : { ...step, agent: hash, prompt: null, inputs: {}, model: null, schema: null, rehearsal: null },
  };
}

/**
 * Writes the beginning of the transcript: the instruction and the first message. `known` is what an earlier run came
 * to.
 */
export async function openConversation(turning: Turn): Promise<{ head: Hash } | { known: StepOutput }> {
  const { deps, call, step, agent, body, tools } = turning;
  const { store } = deps;
  const asked = call.asked === undefined ? step : { ...step, ...(await questionOf(turning, call.asked)) };
  const { system, messages, ...request } = await createRequest(store, {
    body,
    step: asked,
    agent,
    environment: call.environment,
    model: call.model.model,
    context: call.context,
    asked: call.asked !== undefined,
  });
  const key = contentKey('agent', modelContent(step, call.model.provider, { ...request, system, messages, tools }));
  const known = call.asked === undefined ? await reusedOutput(store, call, key) : null;
  if (known !== null) return { known };
  const isOwn = call.asked === undefined;
  const files = isOwn ? await filesAtStart(store, call, step) : null;
  const opening = { system, key, model: call.model, workspace: placeOf(store, call.workspace) };
  let head = await openTranscript(store, { ...opening, ...(files === null ? {} : { files }) });
  const told = [isOwn ? await beforeOf(store, turning) : null, remarkText(call.said)].filter((text) => text !== null);
  for (const message of withTold(messages, told.length === 0 ? null : told.join('\n\n')))
    head = await addMessage(store, head, message);
  return { head };
}

function beforeOf(store: Store, { call, agent }: Turn): Promise<string | null> {
  return toldBefore(store, call, { agent, leftBy: () => leftInTranscript(store, call.before?.head) });
}

/**
 * The first message with what the attempt before came to, and what people said before the first turn: results are found
 * by what is asked without that.
 */
function withTold(messages: ModelMessage[], told: string | null): ModelMessage[] {
  if (told === null) return messages;
  const [first] = messages;
  const prompt = first === undefined ? told : `${textOf(first)}\n\n${told}`;
  const files = first !== undefined && 'blocks' in first ? filesIn(first.blocks) : [];
  const opening: ModelMessage =
    files.length === 0
      ? { role: 'user', text: prompt }
      : { role: 'user', blocks: [...files, { kind: 'text', text: prompt }] };
  return [opening, ...messages.slice(1)];
}

/** What another agent says to this one, and the files that it attaches. */
async function questionOf(
  { deps: { store } }: Turn,
  { head, call, question }: AskedBy,
): Promise<Pick<AgentStep, 'prompt' | 'inputs' | 'attachments'>> {
  const said =
    question === undefined ? (await callAt(store, longHash(head), call)).input : await store.get(longHash(question));
  const { input, attachments, files: shown } = isObject(said) ? said : {};
  const files = question !== undefined && isObject(attachments) ? Object.entries(attachments) : [];
  // `agent_call` put them there; what the step itself is shown is not its callee's.
  const whole = question !== undefined && Array.isArray(shown) ? (shown as unknown as Attachment[]) : [];
  return {
    prompt: literal(toText(input)),
    inputs: Object.fromEntries(files.map(([path, text]) => [path, literal(toText(text))])),
    attachments: whole,
  };
}

function literal(value: string): Template {
  return { kind: 'literal', value };
}
