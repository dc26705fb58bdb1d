import type { Template } from '../plan/expression.js';
import type { Json } from '../plan/json.js';
import type { Plan } from '../plan/plan.js';
import type { Agent, AgentStep, ApprovalStep, CommandStep, InputSpec, OnError, Retry, Step, StepBase, WorkflowStep } from '../plan/step.js';
import type { Hash } from '../plan/value.js';
import { checkJsonSchema } from './check-schema.js';
import type { AgentCompiler, AgentDefinition } from './compile-agent.js';
import { agentInputs } from './compile-agent.js';
import type { AuthoredStep } from './formats/step.js';
import { millisecondsOf } from './formats/values.js';
import type { Texts } from './hash.js';
import { keepText } from './hash.js';
import type { Node } from './node.js';
import { keyOf, memberOf } from './node.js';
import { didYouMean } from './nearest.js';
import type { Report } from './problem.js';
import type { Mode } from './scope.js';
import type { TemplateContext } from './template.js';
import { compileCondition, compileTemplate } from './template.js';

const MINUTE_MS = 60_000;
const DEFAULT_TRY_MS = 5 * MINUTE_MS;
/** A nested run and a gate last as long as they do; their own limits hold inside. */
const NO_LIMIT_MS = 0;
const DEFAULT_BACKOFF_MS = 2_000;
/** Of model calls, transient failures are tried again without being asked (decision 13). */
const MODEL_ATTEMPTS = 3;
const DEFAULT_OUTPUT_KB = 100;

/** What compiling one step needs to know of its surroundings. */
export interface StepContext {
  index: number;
  mode: Mode;
  node: Node;
  templates: TemplateContext;
  report: Report;
  texts: Texts;
  /** Inputs that a workflow declares and nobody refers to: every agent is shown them. */
  shown: string[];
  findAgent: (name: string, at: Node) => AgentDefinition | null;
  findWorkflow: (name: string, at: Node) => Plan | null;
  compileAgent: AgentCompiler;
  keepAgent: (hash: Hash, agent: Agent) => void;
  keepNested: (plan: Plan) => void;
  /** Takes a required input of a nested workflow from the caller's input of the same name; null when that cannot be. */
  hoist: (name: string, spec: InputSpec) => Template | null;
}

/** A step in normal form but for its edges. Null when it has problems. */
export function compileStep(authored: AuthoredStep, context: StepContext): Step | null {
  switch (authored.kind) {
    case 'agent':
      return compileAgentStep(authored, context);
    case 'command':
      return compileCommandStep(authored, context);
    case 'workflow':
      return compileWorkflowStep(authored, context);
    case 'approval':
      return compileApprovalStep(authored, context);
  }
}

type Authored<K extends AuthoredStep['kind']> = AuthoredStep & { kind: K };

const ON_ERROR: Record<Mode, OnError> = { sequential: 'stop', parallel: 'continue', dag: 'skip_dependents' };

function baseOf(authored: AuthoredStep, { index, mode, node, templates }: StepContext): Omit<StepBase, keyof Policy> {
  const when = memberOf(node, 'when');
  return {
    index,
    id: authored.id ?? null,
    needs: [],
    parallel_group: authored.parallel_group ?? null,
    when: when && compileCondition(when, templates),
    on_error: authored.on_error ?? ON_ERROR[mode],
    deadline_ms: authored.deadline === undefined ? null : millisecondsOf(authored.deadline),
  };
}

type Policy = Pick<StepBase, 'timeout_ms' | 'retry' | 'effect'>;
type Acting = Authored<'agent' | 'command' | 'workflow'>;

/** Limits of one try; the default differs by kind. */
function policyOf({ timeout, timeout_mins, retry, effect }: Acting, usual: Policy, { node, report }: StepContext): Policy {
  if (timeout !== undefined && timeout_mins !== undefined) {
    report({ code: 'conflicting-keys', at: keyOf(node, 'timeout_mins'), message: '`timeout` and `timeout_mins` say the same thing.', suggestion: 'keep one of them' });
  }
  const tries: Retry = {
    attempts: retry?.attempts ?? usual.retry.attempts,
    backoff_ms: retry?.backoff === undefined ? usual.retry.backoff_ms : millisecondsOf(retry.backoff),
  };
  const timeout_ms = timeout === undefined ? minutes(timeout_mins, usual.timeout_ms) : millisecondsOf(timeout);
  return { timeout_ms, retry: tries, effect: effect ?? usual.effect };
}

function minutes(amount: number | undefined, otherwise: number): number {
  return amount === undefined ? otherwise : Math.ceil(amount * MINUTE_MS);
}

/** What a step with this agent does where the step says nothing else. */
export function agentPolicy({ authored }: AgentDefinition): Policy {
  return usualPolicy(MODEL_ATTEMPTS, minutes(authored.timeout_mins, DEFAULT_TRY_MS));
}

function usualPolicy(attempts: number, timeout_ms: number): Policy {
  return { timeout_ms, retry: { attempts, backoff_ms: DEFAULT_BACKOFF_MS }, effect: 'workspace' };
}

function templateAt(key: string, { node, templates }: StepContext): Template | null {
  const member = memberOf(node, key);
  return member && compileTemplate(member, templates);
}

function mapAt(key: string, { node, templates }: StepContext): Record<string, Template> {
  const members = memberOf(node, key)?.members ?? new Map<string, never>();
  return Object.fromEntries([...members].map(([name, member]) => [name, compileTemplate(member.node, templates)]));
}

function schemaAt({ node, report }: StepContext): Json {
  const schema = memberOf(node, 'schema');
  if (schema === null) return null;
  checkJsonSchema(schema, report);
  return schema.value;
}

function compileAgentStep(authored: Authored<'agent'>, context: StepContext): AgentStep | null {
  const { node, report, shown, texts } = context;
  const at = memberOf(node, 'agent') ?? node;
  const definition = context.findAgent(authored.agent, at);
  const inputs = mapAt('inputs', context);
  const prompt = templateAt('prompt', context);
  const rehearsal = templateAt('rehearsal', context);
  const base = baseOf(authored, context);
  const schema = schemaAt(context);
  if (definition === null) return null;
  for (const name of shown) inputs[name] ??= { kind: 'expression', expression: { kind: 'reference', root: `input:${name}`, path: [], source: name } };
  for (const [name, spec] of Object.entries(agentInputs(definition, { texts, report }))) {
    if (Object.hasOwn(inputs, name)) continue;
    if (spec.default !== undefined) inputs[name] = literalTemplate(spec.default, texts);
    else if (spec.required) {
      report({ code: 'missing-input', at, message: `Agent \`${definition.name}\` needs the input \`${name}\`.`, suggestion: `add it under \`inputs:\` of the step` });
    }
  }
  const { hash, agent } = context.compileAgent(definition, Object.keys(inputs));
  context.keepAgent(hash, agent);
  const policy = policyOf(authored, agentPolicy(definition), context);
  return { kind: 'agent', ...base, ...policy, agent: hash, prompt, inputs, model: authored.model ?? null, schema, rehearsal };
}

function literalTemplate(value: Json, texts: Texts): Template {
  if (typeof value !== 'string') return { kind: 'literal', value };
  const text = keepText(value, texts);
  return typeof text === 'string' ? { kind: 'literal', value: text } : { kind: 'text', parts: [text] };
}

function compileCommandStep(authored: Authored<'command'>, context: StepContext): CommandStep {
  const { node, templates, report } = context;
  const command = memberOf(node, 'command');
  const argv = (command?.items ?? []).map((item, index) => {
    if (index === 0) checkExecutable(item, report);
    return asText(index === 0 ? { kind: 'literal', value: item.value } : compileTemplate(item, templates));
  });
  for (const item of memberOf(node, 'reads')?.items ?? []) {
    if (String(item.value).includes('${')) report({ code: 'invalid-value', at: item, message: 'Expected a path, got a template: files that a result depends on are written out.' });
  }
  return {
    kind: 'command',
    ...baseOf(authored, context),
    ...policyOf(authored, usualPolicy(1, DEFAULT_TRY_MS), context),
    argv,
    cwd: templateAt('cwd', context),
    env: Object.fromEntries(Object.entries(mapAt('env', context)).map(([name, value]) => [name, asText(value)])),
    stdin: templateAt('stdin', context),
    reads: authored.reads ?? [],
    max_output_kb: authored.max_output_kb ?? DEFAULT_OUTPUT_KB,
    schema: schemaAt(context),
  };
}

/** Decision 3: what runs is decided by the person who wrote the definition, never by a value. */
function checkExecutable(node: Node, report: Report): void {
  const { value } = node;
  if (typeof value !== 'string' || value.trim() === '') {
    report({ code: 'invalid-value', at: node, message: 'Expected the name or the path of an executable.' });
  } else if (value.includes('${')) {
    report({ code: 'command-not-literal', at: node, message: 'Expected an executable, got a template.', suggestion: 'write the executable out; the arguments after it may be templates' });
  } else if (/\s/.test(value)) {
    const words = value.trim().split(/\s+/).slice(0, 8);
    report({ code: 'command-not-list', at: node, message: `Expected one executable, got \`${words.join(' ')}\`.`, suggestion: `write [${words.join(', ')}]` });
  }
}

/** Arguments are texts: `5` is `"5"`. */
function asText(template: Template): Template {
  if (template.kind !== 'literal' || typeof template.value === 'string') return template;
  return { kind: 'literal', value: String(template.value) };
}

function compileWorkflowStep(authored: Authored<'workflow'>, context: StepContext): WorkflowStep | null {
  const { node, report, texts } = context;
  const at = memberOf(node, 'workflow') ?? node;
  const plan = context.findWorkflow(authored.workflow, at);
  const inputs = mapAt('inputs', context);
  const base = baseOf(authored, context);
  const policy = policyOf(authored, usualPolicy(1, NO_LIMIT_MS), context);
  if (plan === null) return null;
  context.keepNested(plan);
  const given = memberOf(node, 'inputs');
  for (const name of given === null ? [] : Object.keys(inputs)) {
    if (given !== null && !Object.hasOwn(plan.inputs, name)) {
      const message = `Workflow \`${plan.name}\` neither declares nor uses an input \`${name}\`.`;
      report({ code: 'unknown-input', severity: 'warning', at: keyOf(given, name), message, suggestion: didYouMean(name, Object.keys(plan.inputs)) });
    }
  }
  for (const [name, spec] of Object.entries(plan.inputs)) {
    if (Object.hasOwn(inputs, name)) continue;
    const value = spec.default !== undefined ? literalTemplate(spec.default, texts) : spec.required ? context.hoist(name, spec) : null;
    if (value !== null) inputs[name] = value;
  }
  return { kind: 'workflow', ...base, ...policy, deadline_ms: nestedDeadline(base, policy), workflow: plan.name, plan: plan.hash, inputs };
}

/** Where a nested run is tried once, the limit of a try is that of the step: the interpreter cancels the child by it. */
function nestedDeadline({ deadline_ms }: Pick<StepBase, 'deadline_ms'>, { timeout_ms, retry }: Policy): number | null {
  if (timeout_ms === NO_LIMIT_MS || retry.attempts > 1) return deadline_ms;
  return Math.min(timeout_ms, deadline_ms ?? timeout_ms);
}

function compileApprovalStep(authored: Authored<'approval'>, context: StepContext): ApprovalStep {
  const { node, report, templates } = context;
  const approval = memberOf(node, 'approval') ?? node;
  const inside = typeof authored.approval === 'string' ? null : authored.approval;
  const pick = (key: 'content' | 'fallback'): Node | null => {
    const beside = memberOf(node, key);
    const within = inside === null ? null : memberOf(approval, key);
    if (beside !== null && within !== null) {
      report({ code: 'conflicting-keys', at: keyOf(node, key), message: `\`${key}\` is written twice: beside \`approval\` and inside it.`, suggestion: 'keep one of them' });
    }
    return within ?? beside;
  };
  const content = pick('content');
  pick('fallback');
  return {
    kind: 'approval',
    ...baseOf(authored, context),
    ...usualPolicy(1, NO_LIMIT_MS),
    effect: 'none',
    message: compileTemplate(inside === null ? approval : (memberOf(approval, 'message') ?? approval), templates),
    content: content && compileTemplate(content, templates),
    fallback: inside?.fallback ?? authored.fallback ?? 'abort',
  };
}
