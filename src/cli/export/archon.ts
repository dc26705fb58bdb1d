import type { Expression, Template } from '../../plan/values/expression.js';
import type { Json, JsonObject } from '../../plan/values/json.js';
import { toText } from '../../plan/values/json.js';
import { LIMITS } from '../../plan/budget/budgets.js';
import type { Plan } from '../../plan/plan.js';
import type { AgentStep, ApprovalStep, CommandStep, Step } from '../../plan/step.js';
import type { Text } from '../../plan/values/value.js';
import type { Triggers } from '../../compiler/triggers/compile-triggers.js';
import { findReferences } from '../../compiler/import/archon/references.js';
import type { LostField } from '../../compiler/agents/import-losses.js';
import { claudeTools, inTheirs } from '../agents/claude-text.js';
import { refusal } from '../exit-codes.js';
import { planLosses, stepLosses } from './archon-losses.js';
import { yamlText } from '../../compiler/text/yaml-text.js';

/** A workflow as Archon has it, and what of it has no place there. */
export interface ArchonFile {
  text: string;
  lost: (LostField & { of: string })[];
}

/** What means something to Archon in a text: a literal text that holds it would be read as a reference. */
const THEIR_REFERENCE = /\$(?:[A-Za-z_][\w-]*\.|[A-Z][A-Z_]+\b)/;
/** What was asked for: to a script Archon hands it over in the environment. */
const REQUEST = '$ARGUMENTS';
const MODEL_ATTEMPTS = 3;

interface Exporting {
  plan: Plan;
  getText: (text: Text) => Promise<string>;
  lost: ArchonFile['lost'];
  /** What cannot be exported, each by its step. */
  refused: string[];
}

/**
 * A Plan of agents, commands and approvals as a workflow of Archon, whose import comes to the same steps. Throws
 * a refusal that names all that Archon has no place for and without which the workflow would do something else.
 */
export async function archonText(plan: Plan, triggers: Triggers, getText: Exporting['getText']): Promise<ArchonFile> {
  const exporting: Exporting = { plan, getText, lost: [], refused: [] };
  const nodes: JsonObject[] = [];
  for (const step of plan.steps) {
    const node = await nodeOf(step, exporting);
    if (node !== null) nodes.push(node);
  }
  const returns = returnsOf(plan, exporting);
  if (exporting.refused.length > 0)
    throw refusal(
      `\`${plan.name}\` cannot be exported to Archon:\n${exporting.refused.map((why) => `  ${why}`).join('\n')}`,
    );
  for (const limit of LIMITS)
    if (plan.budgets[limit] !== null) lose(exporting, plan.name, `budgets.${limit}`, 'Archon has no such limit');
  for (const [field, reason] of planLosses(plan, triggers)) lose(exporting, plan.name, field, reason);
  const description = plan.description === null ? '' : (await getText(plan.description)).trim();
  const workflow = {
    name: plan.name,
    ...(description === '' ? {} : { description }),
    ...inputsOf(plan),
    worktree: { enabled: plan.workspace !== undefined },
    nodes,
    ...returns,
  };
  return { text: yamlText(workflow, { blockQuote: 'literal' }), lost: exporting.lost };
}

function lose({ lost }: Exporting, of: string, field: string, reason: string): void {
  lost.push({ of, field, reason, changes_behaviour: true });
}

function idOf({ id, index }: Pick<Step, 'id' | 'index'>): string {
  return id ?? `step-${index + 1}`;
}

async function nodeOf(step: Step, exporting: Exporting): Promise<JsonObject | null> {
  const id = idOf(step);
  const refuse = (why: string): null => {
    exporting.refused.push(`step \`${id}\`: ${why}`);
    return null;
  };
  if (step.when !== null) return refuse('its `when` has no counterpart that is sure to mean the same');
  if (step.always) return refuse('Archon has no `finally`');
  if (step.commit !== undefined) return refuse('Archon has no commits of steps');
  const does = await doesOf(step, exporting, refuse);
  if (does === null) return null;
  const agent = step.kind === 'agent' ? exporting.plan.agents[step.agent] : undefined;
  for (const [field, reason] of stepLosses(step, agent)) lose(exporting, id, field, reason);
  const needs = step.needs.flatMap(({ step: index }) => {
    const other = exporting.plan.steps[index];
    return other === undefined ? [] : [idOf(other)];
  });
  return { id, ...does, ...(needs.length === 0 ? {} : { depends_on: needs }) };
}

type Refuse = (why: string) => null;

function doesOf(step: Step, exporting: Exporting, refuse: Refuse): Promise<JsonObject | null> {
  switch (step.kind) {
    case 'agent':
      return promptNode(step, exporting, refuse);
    case 'command':
      return bashNode(step, exporting, refuse);
    case 'approval':
      return approvalNode(step, exporting, refuse);
    default:
      return Promise.resolve(refuse(`a \`${step.kind}\` step is not exported`));
  }
}

async function promptNode(step: AgentStep, exporting: Exporting, refuse: Refuse): Promise<JsonObject | null> {
  const agent = exporting.plan.agents[step.agent];
  if (agent === undefined) return refuse('its agent is not in the Plan');
  if (Object.keys(step.inputs).length > 0)
    return refuse('an agent of Archon has no inputs: write them into the prompt');
  if (step.attachments !== undefined) return refuse('files that an agent is shown are not exported');
  if (step.tasks !== undefined) return refuse('tasks that an agent plans are not exported');
  const system = await textOf(agent.prompt, exporting, refuse);
  const prompt = step.prompt === null ? 'Do your part.' : await textOf(step.prompt, exporting, refuse);
  if (system === null || prompt === null) return null;
  if (step.prompt === null) lose(exporting, idOf(step), 'prompt', 'it says nothing, so the node says `Do your part.`');
  const tools = claudeTools(agent, (field, reason) => lose(exporting, idOf(step), field, reason));
  const model = step.model ?? agent.model;
  return {
    prompt: prompt.trim(),
    systemPrompt: system.trim(),
    ...(model === null ? {} : { model: model.replace(/^(?:default|anthropic):/, '') }),
    allowed_tools: tools,
    ...(agent.disallowed === undefined ? {} : { denied_tools: agent.disallowed.map(inTheirs) }),
    ...(step.schema === null ? {} : { output_format: step.schema }),
    ...retryOf(step, MODEL_ATTEMPTS),
  };
}

async function bashNode(step: CommandStep, exporting: Exporting, refuse: Refuse): Promise<JsonObject | null> {
  if (step.cwd !== null || step.stdin !== null)
    return refuse('a script of Archon has no `cwd` and no `stdin` of its own');
  const lines: string[] = [];
  for (const [name, value] of Object.entries(step.env)) {
    const word = await shellWord(value, exporting, refuse);
    if (word === null) return null;
    lines.push(`export ${name}=${word}`);
  }
  const [first, flag, script] = step.argv.map((word) => (word.kind === 'literal' ? toText(word.value) : null));
  if (step.argv.length === 3 && first === 'bash' && flag === '-c' && typeof script === 'string') {
    if ((await partsOf(step.argv[2] as Template, exporting, refuse)) === null) return null; // of three words
    lines.push(script);
  } else {
    const words: string[] = [];
    for (const one of step.argv) {
      const word = await shellWord(one, exporting, refuse);
      if (word === null) return null;
      words.push(word);
    }
    lines.push(words.join(' '));
  }
  return { bash: lines.join('\n'), timeout: step.timeout_ms, ...retryOf(step, 1) };
}

/**
 * A template as one word of bash. Archon puts values into a script in single quotes of their own, so that none may
 * stand within ours: there bash would run what a model has answered. What was asked for stands in a variable instead.
 */
async function shellWord(template: Template, exporting: Exporting, refuse: Refuse): Promise<string | null> {
  const parts = await partsOf(template, exporting, refuse);
  if (parts === null) return null;
  const whole = parts.length === 1;
  const word = parts.map(({ text, isReference }) => {
    if (isReference) return text === REQUEST ? `"${text}"` : text;
    return whole && /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
  });
  return word.length === 0 ? "''" : word.join('');
}

async function approvalNode(step: ApprovalStep, exporting: Exporting, refuse: Refuse): Promise<JsonObject | null> {
  if (step.rework !== undefined) return refuse('`rework` is not exported');
  if (step.default !== undefined) return refuse('Archon has no decision for when nobody answers');
  const message = await textOf(step.message, exporting, refuse);
  if (message === null) return null;
  const [only] = step.needs;
  const shows = step.content?.kind === 'expression' && step.content.expression.kind === 'reference';
  if (step.content !== null && !(shows && step.needs.length === 1 && only !== undefined))
    lose(exporting, idOf(step), 'content', 'Archon shows what the one node before it answered');
  const decisions = step.options?.map((id) => ({ id }));
  return { approval: { message: message.trim(), ...(decisions === undefined ? {} : { decisions }) } };
}

function retryOf({ retry }: Step, usual: number): JsonObject {
  if (retry.attempts <= 1 || retry.attempts === usual) return {};
  return { retry: { max_attempts: Math.min(retry.attempts - 1, 5), delay_ms: retry.backoff_ms } };
}

/** A template in Archon's words; null where it has none for it, which is refused. */
async function textOf(template: Template, exporting: Exporting, refuse: Refuse): Promise<string | null> {
  const parts = await partsOf(template, exporting, refuse);
  if (parts === null) return null;
  let whole = '';
  const references: string[] = [];
  for (const { text, isReference } of parts) {
    if (isReference) references.push(`${text} at ${whole.length}`);
    whole += text;
  }
  // What stands beside a reference may make it another one: `$a.output` and `.md`.
  const read = findReferences(whole).map(({ start, end }) => ({ start, text: whole.slice(start, end) }));
  const other = read.find(({ start, text }, at) => references[at] !== `${text} at ${start}`);
  return other === undefined && read.length === references.length
    ? whole
    : refuse(`what stands beside \`${parts.find((one) => one.isReference)?.text ?? ''}\` would be part of it there`);
}

interface Part {
  text: string;
  /** What Archon puts a value in place of. */
  isReference: boolean;
}

async function partsOf(template: Template, exporting: Exporting, refuse: Refuse): Promise<Part[] | null> {
  const parts: (Text | Json | { expression: Expression })[] =
    template.kind === 'text'
      ? template.parts
      : template.kind === 'literal'
        ? [toText(template.value)]
        : template.kind === 'expression'
          ? [{ expression: template.expression }]
          : [];
  if (template.kind === 'list' || template.kind === 'map') return refuse('a list or a map is no text');
  const written: Part[] = [];
  for (const part of parts) {
    const isReference = typeof part === 'object' && part !== null && 'expression' in part;
    const text = isReference
      ? referenceOf((part as { expression: Expression }).expression, exporting.plan)
      : await exporting.getText(part as Text);
    if (text === null) return refuse('Archon has no expression for one of its `${…}`');
    if (!isReference && THEIR_REFERENCE.test(text))
      return refuse(`\`${THEIR_REFERENCE.exec(text)?.[0] ?? ''}\` in its text would be a reference there`);
    written.push({ text, isReference });
  }
  return written;
}

function referenceOf(expression: Expression, plan: Plan): string | null {
  if (expression.kind === 'coalesce')
    return expression.right.kind === 'literal' && expression.right.value === ''
      ? referenceOf(expression.left, plan)
      : null;
  if (expression.kind !== 'reference') return null;
  const { root, path } = expression;
  if (root.startsWith('input:')) {
    if (path.length > 0) return null;
    const name = root.slice('input:'.length);
    return name === 'request' ? REQUEST : `$INPUTS.${name}`;
  }
  const [, index = '', first] = /^step:(\d+)\.(\w+)$/.exec(root) ?? [];
  const step = index === '' ? undefined : plan.steps[Number(index)];
  const [field, ...deeper] = path;
  if (step === undefined || first !== 'output' || deeper.length > 0) return null;
  return `$${idOf(step)}.output${field === undefined ? '' : `.${field}`}`;
}

function inputsOf({ inputs }: Plan): JsonObject {
  const own = Object.entries(inputs).filter(([name]) => name !== 'request');
  if (own.length === 0) return {};
  return {
    inputs: Object.fromEntries(
      own.map(([name, { required, default: usual, description }]) => [
        name,
        {
          ...(required ? { required } : {}),
          ...(usual === undefined ? {} : { default: usual }),
          ...(description == null || typeof description !== 'string' ? {} : { description }),
        },
      ]),
    ),
  };
}

/** Archon yields what one node has answered. */
function returnsOf(plan: Plan, exporting: Exporting): JsonObject {
  const { output, steps } = plan;
  const last = steps.at(-1);
  if (output === null) return last === undefined ? {} : { returns: idOf(last) };
  const said = output.kind === 'expression' ? referenceOf(output.expression, plan) : null;
  const id = said === null ? undefined : /^\$([\w-]+)\.output$/.exec(said)?.[1];
  if (id !== undefined) return { returns: id };
  exporting.refused.push('`output`: Archon yields the whole output of one node');
  return {};
}
