import type { DeviceRef } from '../../plan/devices/device.js';
import type { Template } from '../../plan/values/expression.js';
import type { Json } from '../../plan/values/json.js';
import type { Plan } from '../../plan/plan.js';
import type { Budgets } from '../../plan/budget/budgets.js';
import type { Agent, InputSpec, OnError, Retry, StepBase } from '../../plan/step.js';
import type { StepKind } from '../../plan/names.js';
import { requirementOf } from '../../plan/placement/requirement.js';
import type { Hash } from '../../plan/values/value.js';
import { checkJsonSchema } from '../text/check-schema.js';
import type { AgentCompiler } from '../agents/compile-agent.js';
import type { AgentDefinition } from '../agents/agent-definition.js';
import type { AuthoredStep } from '../formats/step.js';
import type { StepTool } from '../agents/step-tools.js';
import { millisecondsOf } from '../formats/values.js';
import type { Texts } from '../hash.js';
import { keepText } from '../hash.js';
import type { Node } from '../text/node.js';
import { keyOf, memberOf } from '../text/node.js';
import type { Report } from '../problems/problem.js';
import type { createScope, Mode } from '../expressions/scope.js';
import type { TemplateContext } from '../expressions/template.js';
import { compileCondition, compileTemplate } from '../expressions/template.js';

const MINUTE_MS = 60_000;
export const DEFAULT_TRY_MS = 5 * MINUTE_MS;
/** A nested run, a gate and a body last as long as they do; their own limits hold inside. */
export const NO_LIMIT_MS = 0;
const DEFAULT_BACKOFF_MS = 2_000;

/** What compiling one step needs to know of its surroundings. */
export interface StepContext {
  index: number;
  mode: Mode;
  node: Node;
  /** Keys of the step whose faults were reported: nothing follows from what they lack. */
  faulty: ReadonlySet<string>;
  templates: TemplateContext;
  /** What references mean at a place of a scope. */
  scope: typeof createScope;
  report: Report;
  texts: Texts;
  /** What workflows that agents make may have, and use (`workflows.ai_generated` of the config). */
  generated: { kinds: StepKind[]; budgets: Budgets };
  /** The workflow works in a work tree, so that steps can have trees of their own. */
  workTree: boolean;
  /** Inputs that a workflow declares and nobody refers to: every agent is shown them. */
  shown: string[];
  findAgent: (name: string, at: Node) => AgentDefinition | null;
  findWorkflow: (name: string, at: Node, given?: readonly string[]) => Plan | null;
  /** The tool of that name as steps call it; null when there is none, which is reported at `at`. */
  findTool: (name: string, at: Node) => StepTool | null;
  /** The device of that name as steps name it; null when there is none, which is reported at `at`. */
  findDevice: (name: string, at: Node) => DeviceRef | null;
  compileAgent: AgentCompiler;
  keepAgents: (agents: Record<Hash, Agent>) => void;
  keepNested: (plan: Plan) => void;
  /** Takes a required input of a nested workflow from the caller's input of the same name; null when that cannot be. */
  hoist: (wanted: WantedInput) => Template | null;
}

/** An input that a nested workflow must be given. */
export interface WantedInput {
  workflow: string;
  name: string;
  spec: InputSpec;
}

export type Authored<K extends AuthoredStep['kind']> = AuthoredStep & { kind: K };

const ON_ERROR: Record<Mode, OnError> = { sequential: 'stop', parallel: 'continue', dag: 'skip_dependents' };

/** What steps of every kind say. */
export function baseOf(
  authored: Pick<AuthoredStep, 'id' | 'parallel_group' | 'on_error' | 'deadline'> & {
    commit?: string | { of: string; subject: string } | undefined;
  },
  { index, mode, node, templates }: StepContext,
): Omit<StepBase, keyof Policy> {
  const when = memberOf(node, 'when');
  return {
    index,
    id: authored.id ?? null,
    needs: [],
    parallel_group: authored.parallel_group ?? null,
    when: when && compileCondition(when, templates),
    on_error: authored.on_error ?? ON_ERROR[mode],
    deadline_ms: authored.deadline === undefined ? null : millisecondsOf(authored.deadline),
    ...commitOf(authored.commit),
    always: false,
  };
}

function commitOf(
  commit: string | { of: string; subject: string } | undefined,
): Pick<StepBase, 'commit' | 'commit_of'> {
  if (commit === undefined) return {};
  return typeof commit === 'string' ? { commit } : { commit: commit.subject, commit_of: commit.of };
}

export type Policy = Pick<StepBase, 'timeout_ms' | 'retry' | 'effect' | 'checkpoint' | 'requires'>;
type Acting = Authored<'agent' | 'command' | 'tool' | 'workflow' | 'compile' | 'flash' | 'serial'>;

/** Limits of one try; the default differs by kind. */
export function policyOf(authored: Acting, usual: Policy, context: StepContext): Policy {
  const { kind, timeout, timeout_mins, retry, effect } = authored;
  const { node, report } = context;
  if (timeout !== undefined && timeout_mins !== undefined) {
    report({
      code: 'conflicting-keys',
      at: keyOf(node, 'timeout_mins'),
      message: '`timeout` and `timeout_mins` say the same thing.',
      suggestion: 'keep one of them',
    });
  }
  const tries: Retry = {
    attempts: retry?.attempts ?? usual.retry.attempts,
    backoff_ms: retry?.backoff === undefined ? usual.retry.backoff_ms : millisecondsOf(retry.backoff),
    ...(kind === 'agent' && retry?.attempts !== undefined ? { anew: true } : {}),
  };
  const timeout_ms = timeout === undefined ? minutes(timeout_mins, usual.timeout_ms) : millisecondsOf(timeout);
  return {
    timeout_ms,
    retry: tries,
    effect: effect ?? usual.effect,
    ...checkpointOf(authored, context),
    ...requiresOf(authored),
  };
}

/** What its worker must have; nothing where any worker will do. */
function requiresOf(authored: Acting): Pick<StepBase, 'requires'> {
  const requires = 'requires' in authored ? requirementOf(authored.requires ?? {}) : [];
  return requires.length === 0 ? {} : { requires };
}

/** How severe a step says that it is; a type alone would go on as if it were not. */
function checkpointOf(
  { severity, type }: Pick<Acting, 'severity' | 'type'>,
  { node, faulty, report }: StepContext,
): Pick<StepBase, 'checkpoint'> {
  if (severity !== undefined) return { checkpoint: { severity, ...(type === undefined ? {} : { type }) } };
  if (type !== undefined && !faulty.has('severity'))
    report({
      code: 'missing-key',
      at: keyOf(node, 'type'),
      message: 'Expected `severity` beside `type`: how bad it is when this action goes wrong.',
      suggestion: 'write `severity: high` beside it, or low, medium, critical',
    });
  return {};
}

/** Minutes in milliseconds. */
export function minutes(amount: number | undefined, otherwise: number): number {
  return amount === undefined ? otherwise : Math.ceil(amount * MINUTE_MS);
}

/** So many tries, each of at most so many milliseconds. */
export function usualPolicy(attempts: number, timeout_ms: number): Policy {
  return { timeout_ms, retry: { attempts, backoff_ms: DEFAULT_BACKOFF_MS }, effect: 'workspace' };
}

/** The template under a key; null when the key is not written. */
export function templateAt(key: string, { node, templates }: StepContext): Template | null {
  const member = memberOf(node, key);
  return member && compileTemplate(member, templates);
}

/** The templates of a map under a key. */
export function mapAt(key: string, { node, templates }: StepContext): Record<string, Template> {
  const members = memberOf(node, key)?.members ?? new Map<string, never>();
  return Object.fromEntries([...members].map(([name, member]) => [name, compileTemplate(member.node, templates)]));
}

/** The checked JSON Schema under `schema`. */
export function schemaAt({ node, report }: StepContext): Json {
  const schema = memberOf(node, 'schema');
  if (schema === null) return null;
  checkJsonSchema(schema, report);
  return schema.value;
}

/** A value as a template that is nothing but that value. */
export function literalTemplate(value: Json, texts: Texts): Template {
  if (typeof value !== 'string') return { kind: 'literal', value };
  const text = keepText(value, texts);
  return typeof text === 'string' ? { kind: 'literal', value: text } : { kind: 'text', parts: [text] };
}
