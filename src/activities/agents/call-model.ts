import type { AgentStep } from '../../plan/step.js';
import type { Hash } from '../../plan/values/value.js';
import type { Asking } from './ask-model.js';
import { answerTo, invalid, noteOf } from './ask-model.js';
import { spentIn } from '../attempt/account.js';
import type { Attempt, Outside } from '../attempt/attempt.js';
import { attempt } from '../attempt/attempt.js';
import type { ModelCall, StepOutput } from '../contract.js';
import { convert } from '../values/convert-output.js';
import type { Dependencies } from '../dependencies.js';
import { stepFailure } from '../failures.js';
import { ASK_AGAIN, judge } from '../models/judge.js';
import { createProviders } from '../models/providers.js';
import { askAgain, createRequest } from '../models/request.js';
import { resumeLog } from '../attempt/resumed-log.js';
import { contentKey, keepSoon, modelContent, reusedOutput } from '../reuse/content-key.js';

/** A single question is the whole conversation. */
const TURN = 0;

/** Asks a model in a role, and gives its answer. What was answered once is never paid again (I8). */
export function createCallModel(deps: Dependencies): (call: ModelCall, outside?: Outside) => Promise<StepOutput> {
  const providers = createProviders(deps.store, deps.prices);
  return (call, outside) => {
    const act = async (current: Attempt<AgentStep>): Promise<StepOutput> => {
      // What began within a workflow task is no second attempt for Temporal when its worker was lost.
      const mayBeAgain = current.step.quick === true || undefined;
      const resumed = await resumeLog(deps.store, current.log, { ...call, note: null }, mayBeAgain);
      return ask({ ...current, ...resumed, deps, call, provider: providers[call.model.provider] });
    };
    return attempt(deps.store, { ...call, outside }, 'agent', act);
  };
}

async function ask(asking: Asking): Promise<StepOutput> {
  const {
    plan,
    body,
    step,
    log,
    deps: { store },
    call,
  } = asking;
  const agent = plan.agents[step.agent];
  if (agent === undefined) throw stepFailure('internal', `The plan has no agent \`${step.agent}\`.`);
  let request = await createRequest(store, {
    body,
    step,
    agent,
    environment: call.environment,
    model: call.model.model,
    context: call.context,
  });
  const first = request;
  const key = (): Hash => contentKey('agent', modelContent(step, call.model.provider, first));
  const known = call.reuse === undefined ? null : await reusedOutput(store, call, key());
  if (known !== null) return known;
  for (let again = 0; ; again += 1) {
    const answer = await answerTo(asking, { request, part: [TURN, again] });
    const verdict = judge(answer, step, agent, request.model);
    if ('value' in verdict) {
      const { account } = asking;
      return keepSoon(store, call, key, {
        output: await store.put(convert(verdict.value, step.output_as)),
        spend: { ...spentIn(account), steps: 1 },
        note: noteOf(call, account.spent, answer),
        reused: false,
      });
    }
    if (again === ASK_AGAIN || call.model.provider === 'rehearsal')
      throw stepFailure('answer-invalid', invalid(asking, verdict.errors));
    log.write('note', `asked again: ${verdict.errors.join('; ')}`);
    request = askAgain(request, answer.text, verdict.errors);
  }
}
