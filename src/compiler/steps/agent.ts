import type { TaskRules } from '../../plan/builds/task-rules.js';
import type { Agent, AgentStep } from '../../plan/step.js';
import { QUICK_MS } from '../../plan/calls/quick.js';
import type { Template } from '../../plan/values/expression.js';
import type { Json } from '../../plan/values/json.js';
import { toText } from '../../plan/values/json.js';
import type { AgentDefinition } from '../agents/agent-definition.js';
import { agentInputs } from '../agents/compile-agent.js';
import { planningText, tasksSchema } from '../agents/task-planning.js';
import { compileTeam } from '../agents/team.js';
import { keepText } from '../hash.js';
import { checkPassed } from '../inputs/inputs.js';
import type { Node } from '../text/node.js';
import { keyOf, memberOf } from '../text/node.js';
import type { Authored, Policy, StepContext } from './base.js';
import {
  baseOf,
  DEFAULT_TRY_MS,
  literalTemplate,
  mapAt,
  minutes,
  policyOf,
  schemaAt,
  templateAt,
  usualPolicy,
} from './base.js';

/** Of model calls, transient failures are tried again without being asked (decision 13). */
const MODEL_ATTEMPTS = 3;

/** What a step with this agent does where the step says nothing else. */
export function agentPolicy({ authored }: AgentDefinition): Policy {
  return usualPolicy(MODEL_ATTEMPTS, minutes(authored.timeout_mins, DEFAULT_TRY_MS));
}

/** A step that an agent does; null when there is no such agent, or it lacks something. */
export function compileAgentStep(authored: Authored<'agent'>, context: StepContext): AgentStep | null {
  const { node, report, shown, texts } = context;
  const at = memberOf(node, 'agent') ?? node;
  const definition = context.findAgent(authored.agent, at);
  const inputs = mapAt('inputs', context);
  const prompt = templateAt('prompt', context);
  const rehearsal = templateAt('rehearsal', context);
  const base = baseOf(authored, context);
  const schema = schemaAt(context);
  const planning = planningAt(authored, context);
  if (definition === null || context.faulty.has('inputs')) return null;
  for (const name of shown)
    if (!Object.hasOwn(inputs, name))
      inputs[name] = {
        kind: 'expression',
        expression: { kind: 'reference', root: `input:${name}`, path: [], source: name },
      };
  const declared = agentInputs(definition, { texts, report });
  checkPassed(inputs, declared, memberOf(node, 'inputs'), report);
  for (const [name, spec] of Object.entries(declared)) {
    if (Object.hasOwn(inputs, name)) continue;
    if (spec.default !== undefined) inputs[name] = literalTemplate(spec.default, texts);
    else if (spec.required) {
      report({
        code: 'missing-input',
        at,
        message: `Agent \`${definition.name}\` needs the input \`${name}\`.`,
        suggestion: `add it under \`inputs:\` of the step`,
      });
    }
  }
  const { hash, reached } = context.compileAgent(definition, Object.keys(inputs));
  context.keepAgents(reached);
  const policy = policyOf(authored, agentPolicy(definition), context);
  return {
    kind: 'agent',
    ...base,
    ...isolationOf(definition, base, at, context),
    ...policy,
    agent: hash,
    prompt: planning === null ? prompt : withText(prompt, planning.told, texts),
    inputs,
    model: authored.model ?? null,
    ...quickOf(authored, policy, reached[hash], context),
    schema,
    ...(planning === null ? {} : { schema: planning.schema, tasks: planning.rules }),
    rehearsal,
  };
}

/** One short question, or turns that take a moment: what else the step says must let it be that. */
function quickOf(
  { quick }: Authored<'agent'>,
  { timeout_ms, requires }: Policy,
  agent: Agent | undefined,
  { node, report }: StepContext,
): Pick<AgentStep, 'quick'> {
  if (quick !== true) return {};
  const fault = (message: string, suggestion: string): void =>
    report({ code: 'conflicting-keys', at: keyOf(node, 'quick'), message, suggestion });
  const hasTools = agent !== undefined && (agent.uses ?? []).length > 0;
  // The time limit of an agent with tools is that of all its turns.
  if (!hasTools && timeout_ms > QUICK_MS)
    fault(
      `A quick step has a time limit of at most ${QUICK_MS / 1000} s, and this one has ${timeout_ms / 1000} s.`,
      'write `timeout: 10s` beside it',
    );
  if (requires !== undefined)
    fault('A quick step runs on whichever worker has its run, and `requires` asks for others.', 'leave `quick` out');
  return { quick };
}

/** An agent that asks for a work tree has one of its own, whose changes are a commit when it has ended well. */
function isolationOf(
  { authored, name }: AgentDefinition,
  { commit }: Pick<AgentStep, 'commit'>,
  at: Node,
  { workTree, report }: StepContext,
): Pick<AgentStep, 'commit'> {
  if (authored.isolation === undefined || commit !== undefined) return {};
  if (workTree) return { commit: `${name}: its part` };
  report({
    code: 'missing-key',
    severity: 'warning',
    at,
    message: `Agent \`${name}\` asks for a work tree, and this workflow has none: it works beside the others.`,
    suggestion: 'write `workspace: worktree` beside `steps`',
  });
  return {};
}

/** What `tasks` makes of a step: what its agent is told beside the prompt, and what its answer must be. */
interface Planning {
  told: string;
  schema: Json;
  rules: TaskRules;
}

function planningAt({ tasks, schema }: Authored<'agent'>, context: StepContext): Planning | null {
  const { node, report } = context;
  const at = memberOf(node, 'tasks');
  if (tasks === undefined || at === null) return null;
  if (schema !== undefined)
    report({
      code: 'conflicting-keys',
      at: keyOf(node, 'schema'),
      message: 'Tasks have a schema of their own.',
      suggestion: 'leave `schema` out',
    });
  const described = compileTeam(tasks, at, context);
  if (described === null) return null;
  const team = described.map(({ description: _told, ...member }) => member);
  const has = (role: string): boolean => team.some((member) => member.role === role);
  return {
    told: planningText(described),
    schema: tasksSchema(
      team.map(({ name }) => name),
      { commands: false },
    ),
    rules: {
      team,
      tested: has('tester'),
      reviewed: has('reviewer'),
      hardware: false,
      requirements: [],
      commands: null,
      fixed: {},
    },
  };
}

/** What is asked, with a text below it. */
function withText(prompt: Template | null, text: string, texts: StepContext['texts']): Template {
  const own: TextParts =
    prompt === null
      ? []
      : prompt.kind === 'text'
        ? prompt.parts
        : prompt.kind === 'expression'
          ? [{ expression: prompt.expression }]
          : [keepText(prompt.kind === 'literal' ? toText(prompt.value) : '', texts)];
  return { kind: 'text', parts: [...own, keepText(`${own.length === 0 ? '' : '\n\n'}${text}`, texts)] };
}

type TextParts = (Template & { kind: 'text' })['parts'];
