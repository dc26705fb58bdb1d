import type { Expression, Template } from '../../plan/values/expression.js';
import type { ApprovalStep, Retry, StepBase } from '../../plan/step.js';
import type { AgentCall, Ask, Mark } from '../formats/flow/ast.js';
import { hashOf } from '../hash.js';
import { didYouMean } from '../problems/did-you-mean.js';
import { agentFor, policyFor } from './cast.js';
import type { Frame, Handle, Late } from './frame.js';
import { addStep, emptyBody, literal, refer } from './frame.js';
import { REQUEST } from './inputs.js';
import type { Lowering, Path } from './lowering.js';
import { schemaOf } from './names.js';
import { VERDICT_REQUEST } from './outcomes.js';
import type { Prior } from './tests.js';
import { templateOf } from './texts.js';
import { ownOf } from '../../plan/values/own.js';

/** Where a step goes. */
export interface Place {
  handle: Handle;
  path: Path;
  base: (frame: Frame) => Omit<StepBase, 'timeout_ms' | 'retry' | 'effect'>;
}

export const ONCE: Retry = { attempts: 1, backoff_ms: 2_000 };
const NO_LIMIT = { timeout_ms: 0, retry: ONCE, effect: 'none' } as const;
/** Rounds of a loop, where the language has no place to say how many. */
const MAX_ROUNDS = 10;

/** `name:"instruction"`. */
export function addAgent(
  call: AgentCall,
  { handle, path, base }: Place,
  lowering: Lowering & { verdict: boolean },
): void {
  const { cast, vocabulary, stage, verdict } = lowering;
  const { frame, prior } = path;
  const actor = cast.actorOf(call);
  const before = call.instruction === null && prior !== null ? previousOutputs(path) : {};
  const instruction = call.instruction === null ? null : templateOf(call.instruction, path.names, vocabulary);
  addStep(frame, () => {
    const inputs: Record<string, Template> = Object.fromEntries(
      Object.entries(before).map(([name, value]) => [name, expression(value(frame))]),
    );
    if (vocabulary.inputs.showsRequest())
      inputs[REQUEST] = {
        kind: 'expression',
        expression: { kind: 'reference', root: `input:${REQUEST}`, path: [], source: REQUEST },
      };
    const prompt = instruction?.(frame) ?? continuation(Object.keys(before));
    if (actor === null)
      return {
        kind: 'agent',
        ...base(frame),
        ...NO_LIMIT,
        agent: hashOf(null),
        prompt,
        inputs,
        model: null,
        schema: null,
        rehearsal: null,
      };
    const { hash, reached } = agentFor(actor, { inputs, verdict: verdict ? VERDICT_REQUEST : null }, stage.compile);
    stage.keep(reached);
    const schema = schemaOf(vocabulary.ledger.readings.get(handle) ?? []);
    return {
      kind: 'agent',
      ...base(frame),
      ...policyFor(actor),
      agent: hash,
      prompt,
      inputs,
      model: null,
      schema,
      rehearsal: null,
    };
  });
}

/** What stands directly before, by the names of its steps: all that an agent without an instruction has to go on. */
function previousOutputs({ prior, needs }: Path): Record<string, Late> {
  const names = needs.map(({ handle }) => handle.name);
  const outputs = prior?.outputs ?? (prior?.output == null ? [] : [prior.output]);
  return Object.fromEntries(
    outputs.map((output, index) => [
      outputs.length === 1 ? (names.at(-1) ?? 'before') : (names[index] ?? `before-${index}`),
      output,
    ]),
  );
}

function continuation(names: string[]): Template | null {
  return names.length === 0 ? null : { kind: 'literal', value: `Continue the flow after: ${names.join(', ')}.` };
}

function expression(value: Expression): Template {
  return { kind: 'expression', expression: value };
}

/** A fallback by which a model is asked in a person's place. */
export const AUTO_APPROVE = 'auto-approve';
const FALLBACKS: Record<string, ApprovalStep['fallback']> = {
  skip: 'skip',
  abort: 'abort',
  approve: 'approve',
};

/** `@name`, which shows what came before it. An unattended run does what `judge`, a step, says, where there is one. */
export function addGate(
  mark: Mark,
  { path, base, judge }: Place & { judge: Handle | null },
  { vocabulary }: Lowering,
): void {
  const { frame, prior, names } = path;
  const written = mark.fallback?.text;
  const known = ownOf(FALLBACKS, written);
  if (written !== undefined && known === undefined && judge === null && mark.fallback !== null) {
    vocabulary.report({
      code: 'invalid-value',
      at: mark.fallback.at,
      message: `Expected skip, abort, approve or auto-approve, got \`${written}\`.`,
      suggestion: didYouMean(written, [...Object.keys(FALLBACKS), AUTO_APPROVE]),
    });
  }
  if (mark.name.text === 'retry' && mark.question === null) {
    vocabulary.report({
      code: 'unexpected-text',
      severity: 'warning',
      at: mark.at,
      message: '`@retry` is a gate here: no label of that name stands before it.',
      suggestion: 'to repeat, put `@retry ->` before the first step of the loop',
    });
  }
  const question = mark.question === null ? null : templateOf(mark.question, names, vocabulary);
  addStep(frame, () => ({
    kind: 'approval',
    ...base(frame),
    ...NO_LIMIT,
    message: question?.(frame) ?? checkpointQuestion(mark),
    content: contentOf(prior, frame),
    fallback: judge === null ? (known ?? 'abort') : { by: expression(refer(judge, 'output')(frame)) },
  }));
}

/** What a checkpoint asks that has no question. */
export function checkpointQuestion({ name }: Mark): Template {
  return { kind: 'literal', value: `Go on after the checkpoint \`${name.text}\`?` };
}

/** What came before, as a gate or a judge is shown it. */
export function contentOf(prior: Prior | null, frame: Frame): Template | null {
  if (prior === null) return null;
  if (prior.output !== null) return expression(prior.output(frame));
  const { outputs = [] } = prior;
  return outputs.length === 0 ? null : { kind: 'list', items: outputs.map((output) => expression(output(frame))) };
}

/** `@ask-human:"question":name`. */
export function addAsk(ask: Ask, { path, base }: Place, { vocabulary }: Lowering): void {
  const { frame, names } = path;
  const question = templateOf(ask.question, names, vocabulary);
  addStep(frame, () => ({
    kind: 'ask',
    ...base(frame),
    ...NO_LIMIT,
    question: question(frame),
    schema: null,
    choices: null,
  }));
}

/** A loop whose steps are those of `body`; its condition is known when they are. */
export function addLoop(handle: Handle, body: Frame, base: Place['base']): { until: Late } {
  const inside = { until: literal(true) };
  addStep(
    handle.frame,
    () => ({
      kind: 'loop',
      ...base(handle.frame),
      ...NO_LIMIT,
      until: inside.until(body),
      max: MAX_ROUNDS,
      at_max: 'error',
      body: emptyBody(),
    }),
    body,
  );
  return inside;
}
