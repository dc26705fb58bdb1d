import type { Expression, Template } from '../../plan/values/expression.js';
import type { Agent, ApprovalStep, Retry, StepBase } from '../../plan/step.js';
import type { AgentCall, Ask, Condition, Mark } from '../formats/flow/ast.js';
import { hashOf } from '../hash.js';
import { didYouMean } from '../problems/did-you-mean.js';
import { agentFor, policyFor } from './cast.js';
import type { Frame, Handle, Late } from './frame.js';
import { addStep, emptyBody, literal } from './frame.js';
import { REQUEST } from './inputs.js';
import type { Lowering, Path } from './lowering.js';
import { schemaOf } from './names.js';
import { VERDICT_REQUEST } from './outcomes.js';
import type { Prior } from './tests.js';
import { templateOf } from './texts.js';

/** Where a step goes. */
export interface Place {
  handle: Handle;
  path: Path;
  base: (frame: Frame) => Omit<StepBase, 'timeout_ms' | 'retry' | 'effect'>;
}

const ONCE: Retry = { attempts: 1, backoff_ms: 2_000 };
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

const FALLBACKS: Record<string, ApprovalStep['fallback']> = {
  skip: 'skip',
  abort: 'abort',
  approve: 'approve',
  'auto-approve': 'approve',
};

/** `@name`, which shows what came before it. */
export function addGate(mark: Mark, { path, base }: Place, { vocabulary }: Lowering): void {
  const { frame, prior, names } = path;
  const written = mark.fallback?.text;
  const fallback = written === undefined ? 'abort' : Object.hasOwn(FALLBACKS, written) ? FALLBACKS[written] : undefined;
  if (fallback === undefined && mark.fallback !== null) {
    vocabulary.report({
      code: 'invalid-value',
      at: mark.fallback.at,
      message: `Expected skip, abort or approve, got \`${written ?? ''}\`.`,
      suggestion: didYouMean(written ?? '', Object.keys(FALLBACKS)),
    });
  }
  if (written === 'auto-approve' && mark.fallback !== null) {
    vocabulary.report({
      code: 'unsupported-key',
      severity: 'warning',
      at: mark.fallback.at,
      message: 'No model is asked for `auto-approve`: an unattended run approves here whatever came before.',
      suggestion: 'write `fallback=approve` if that is meant, `fallback=abort` if not',
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
    message: question?.(frame) ?? { kind: 'literal', value: `Go on after the checkpoint \`${mark.name.text}\`?` },
    content: contentOf(prior, frame),
    fallback: fallback ?? 'abort',
  }));
}

function contentOf(prior: Prior | null, frame: Frame): Template | null {
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

const JUDGE_PROMPT =
  'You judge whether a condition holds for a result. Go by what the result says, and by nothing else.';
const JUDGEMENT = {
  type: 'object',
  properties: { holds: { type: 'boolean' }, reason: { type: 'string' } },
  required: ['holds', 'reason'],
};
const TRY_MS = 5 * 60_000;

/** A condition in words that no rule knows: a model says whether it holds. */
export function addJudge(
  { text, near, condition, prior }: { text: string; near: string | null; condition: Condition; prior: Prior | null },
  { path, base }: Place,
  { vocabulary, stage }: Lowering,
): void {
  const { frame } = path;
  vocabulary.report({
    code: 'judged-condition',
    severity: 'warning',
    at: condition.at,
    message: `A model is asked whether the condition \`${text}\` holds.`,
    suggestion:
      near ?? 'conditions without a model are `passed`, `failed`, `all success`, `contains "x"`, or a variable',
  });
  addStep(frame, () => {
    const agent: Agent = {
      name: 'judge',
      description: null,
      prompt: { kind: 'literal', value: JUDGE_PROMPT },
      model: null,
      program: null,
      tools: [],
      inputs: {},
      max_output_kb: 100,
      max_turns: 1,
    };
    const hash = hashOf(agent);
    stage.keep({ [hash]: agent });
    const content = contentOf(prior, frame);
    return {
      kind: 'agent',
      ...base(frame),
      timeout_ms: TRY_MS,
      retry: { ...ONCE, attempts: 3 },
      effect: 'workspace',
      agent: hash,
      prompt: { kind: 'literal', value: `Does this condition hold for the result: ${text}` },
      inputs: content === null ? {} : { result: content },
      model: null,
      schema: JUDGEMENT,
      rehearsal: null,
    };
  });
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
