import type { Template } from '../../plan/values/expression.js';
import type { JsonObject } from '../../plan/values/json.js';
import type { Plan } from '../../plan/plan.js';
import { NO_BUDGETS } from '../../plan/budget/budgets.js';
import type { Agent, AgentStep, CommandStep, InputSpec, OutputConversion, Step, StepBase } from '../../plan/step.js';
import type { Hash } from '../../plan/values/value.js';
import { hasReference, parseChainText } from './chain-template.js';
import type { Lookup } from './chain-template.js';
import type { OrderedStep } from './chain-order.js';
import { orderSteps, USER_REQUEST } from './chain-order.js';
import { checkChainModels, modelOf } from './chain-models.js';
import type { Shared } from '../workflow/compile-workflow.js';
import { isSmallEnough, seal } from '../workflow/compile-workflow.js';
import { edgesOf } from '../workflow/edges.js';
import type { AuthoredChainStep, AuthoredModel } from '../formats/chain.js';
import type { Texts } from '../hash.js';
import { hashOf } from '../hash.js';
import type { ChainDefinition } from '../load.js';
import type { Node } from '../text/node.js';
import { memberOf, placesIn, startOf } from '../text/node.js';
import type { Report } from '../problems/problem.js';
import { warnOfCode } from '../text/value-as-code.js';
import { checkExecutable } from '../steps/command.js';
import { ofParts } from '../expressions/template.js';
import { usesOfStep } from '../expressions/references.js';

const TRY_MS = 5 * 60_000;
const BACKOFF_MS = 2_000;
const MODEL_ATTEMPTS = 3;
/** Chains know no cap; this one is there against a program that writes without end. */
const OUTPUT_KB = 10 * 1024;

const INPUT: InputSpec = {
  type: 'string',
  required: true,
  description: 'What is asked for: the words after the file.',
};

interface ChainContext {
  definition: ChainDefinition;
  report: Report;
  texts: Texts;
  agents: Record<Hash, Agent>;
}

/** The Plan of a chain: its steps in the order of their numbers. Null when it has problems. */
export function compileChain(definition: ChainDefinition, shared: Pick<Shared, 'report' | 'texts'>): Plan | null {
  let failed = definition.authored.broken;
  const report: Report = (finding) => {
    if ((finding.severity ?? 'error') === 'error') failed = true;
    shared.report(finding);
  };
  const context: ChainContext = { definition, report, texts: shared.texts, agents: {} };
  checkChainModels(definition, report);
  const ordered = orderSteps(definition, report);
  const steps = ordered.map((step, index) => compileStep(step, index, context));
  const sound = steps.filter((step) => step !== null);
  if (failed || sound.length < definition.authored.steps.length) return null;
  edgesOf(
    sound.map((step) => ({ group: null, needs: [], uses: usesOfStep(step) })),
    { mode: 'sequential', groups: new Map(), ordinary: sound.length },
  ).forEach((needs, index) => {
    const step = sound[index];
    if (step !== undefined) step.needs = needs;
  });
  const plan = seal({
    name: definition.name,
    description: null,
    inputs: { [USER_REQUEST]: INPUT },
    steps: sound,
    groups: {},
    output: null,
    budgets: NO_BUDGETS,
    no_default: ['max_runtime_mins'],
    agents: context.agents,
    nested: {},
  });
  return isSmallEnough(plan, definition.node, report) ? plan : null;
}

function compileStep(ordered: OrderedStep, index: number, context: ChainContext): Step | null {
  const { authored, node } = ordered;
  if (authored === null) return null;
  const base = baseOf(authored.step, index);
  const output_as: OutputConversion = Object.values(authored.outputs)[0] === 'number' ? 'number' : 'trimmed';
  if (kindOf(authored, node, context.report) === 'command')
    return { ...compileCommand(ordered, base, context), output_as };
  const step = compileModelCall(ordered, base, context);
  return step && { ...step, output_as };
}

/** A step has a prompt or a command; null when it has none or both, which is reported. */
function kindOf(authored: AuthoredChainStep, node: Node, report: Report): 'model' | 'command' | null {
  const { step, systemPrompt, command, modelRef, model } = authored;
  if (command === undefined && systemPrompt !== undefined) return 'model';
  if (command === undefined) {
    report({
      code: 'step-kind',
      at: startOf(node),
      message: `Chain step ${step} has neither \`systemPrompt\` nor \`command\`.`,
      suggestion: 'add the one or the other',
    });
    return null;
  }
  if (systemPrompt !== undefined) {
    report({
      code: 'step-kind',
      at: memberOf(node, 'command') ?? node,
      message: `Chain step ${step} has both \`systemPrompt\` and \`command\`.`,
      suggestion: 'make two steps of it',
    });
  } else if (modelRef !== undefined || model !== undefined) {
    const at = memberOf(node, 'modelRef') ?? memberOf(node, 'model') ?? node;
    report({
      code: 'conflicting-keys',
      at,
      message: `Chain step ${step} is a command, which no model runs.`,
      suggestion: 'remove the model, or give it a `systemPrompt`',
    });
  }
  return 'command';
}

function compileModelCall(
  { authored, node, variables }: OrderedStep & { authored: AuthoredChainStep | null },
  base: StepBase,
  context: ChainContext,
): AgentStep | null {
  const prompt = memberOf(node, 'systemPrompt');
  if (authored === null || prompt === null) return null;
  const inputs: Record<string, Template> = {};
  warnOfTypedEscape(prompt, context.report);
  const parts = parseChainText(prompt, (name, at) => {
    const value = variables(name, at);
    if (value === null) return null;
    inputs[name] = { kind: 'expression', expression: value };
    return { kind: 'reference', root: `input:${name}`, path: [], source: name };
  });
  const model = modelOf(authored, node, context.definition, context.report);
  if (model === null) return null;
  const agent = agentOf(model, authored.modelRef ?? model.model, ofParts(parts, context.texts));
  const hash = hashOf(agent);
  context.agents[hash] = agent;
  const retry = { attempts: MODEL_ATTEMPTS, backoff_ms: BACKOFF_MS };
  // The system message is all there is to say: an empty request.
  return {
    kind: 'agent',
    ...base,
    retry,
    agent: hash,
    prompt: { kind: 'literal', value: '' },
    inputs,
    model: null,
    schema: null,
    rehearsal: null,
  };
}

function agentOf({ provider, model, baseUrl, params }: AuthoredModel, name: string, prompt: Template): Agent {
  return {
    name,
    description: null,
    prompt,
    model: `${provider}:${model}`,
    program: null,
    tools: [],
    inputs: {},
    max_output_kb: OUTPUT_KB,
    max_turns: 1,
    ...(baseUrl === undefined ? {} : { base_url: baseUrl }),
    ...(params === undefined ? {} : { params: params satisfies JsonObject }),
  };
}

function compileCommand(
  { node, variables }: OrderedStep,
  base: StepBase,
  { report, texts }: ChainContext,
): CommandStep {
  const argv = (memberOf(node, 'command')?.items ?? []).map((item, index): Template => {
    if (index > 0) return ofParts(parseChainText(item, variables satisfies Lookup), texts);
    const text = String(item.value);
    if (hasReference(text))
      report({
        code: 'command-not-literal',
        at: item,
        message: 'Expected an executable, got a template.',
        suggestion: 'write the executable out; the arguments after it may be templates',
      });
    else checkExecutable(item, report);
    return { kind: 'literal', value: text };
  });
  warnOfCode(memberOf(node, 'command')?.items ?? [], hasReference, report);
  return {
    kind: 'command',
    ...base,
    argv,
    cwd: null,
    from: 'caller',
    env: {},
    stdin: null,
    reads: [],
    max_output_kb: OUTPUT_KB,
    schema: null,
  };
}

function baseOf(number: number, index: number): StepBase {
  return {
    index,
    id: `step-${number}`,
    needs: [],
    parallel_group: null,
    when: null,
    on_error: 'stop',
    retry: { attempts: 1, backoff_ms: BACKOFF_MS },
    timeout_ms: TRY_MS,
    deadline_ms: null,
    effect: 'workspace',
    always: false,
  };
}

/** Prompts are copied from examples in which the backslash was doubled: a model then reads `\n`. */
function warnOfTypedEscape(prompt: Node, report: Report): void {
  const found = /\\[nt]/.exec(String(prompt.value));
  if (found === null) return;
  const [typed] = found;
  const message = `\`${typed}\` is typed as two characters here, and the model reads it so.`;
  const suggestion = prompt.source.file.endsWith('.json')
    ? `a new line in JSON is \`\\n\` with one backslash`
    : 'a new line in YAML is one in a block (`|`)';
  const meant = String(prompt.value).replaceAll('\\n', '\n').replaceAll('\\t', '\t');
  report({
    code: 'typed-escape',
    severity: 'warning',
    at: placesIn(prompt)(found.index, 2),
    message,
    suggestion,
    fix: prompt.style === 'double' ? { at: prompt, text: JSON.stringify(meant) } : null,
  });
}
