import { z } from 'zod';
import { anyJson, count, filledText, jsonSchema, positive, text } from '../../formats/values.js';

/*
 * Archon's workflows as docs/import.md tells of them. Keys that stand in no schema are kept out of what is read: a
 * report names them.
 */
const texts = z.array(text, { error: 'a list of texts' });
const flag = z.boolean({ error: 'true or false' });

export const TRIGGER_RULES = ['all_success', 'one_success', 'none_failed_min_one_success', 'all_done'] as const;

/** How a loop goes on and ends. */
const loopControl = {
  until: filledText.optional(),
  max_iterations: count,
  fresh_context: flag.optional(),
  until_bash: filledText.optional(),
  interactive: flag.optional(),
  gate_message: text.optional(),
  signal_completes: flag.optional(),
};

export const archonLoop = z.object(
  { ...loopControl, prompt: filledText.optional(), command: filledText.optional(), until_field: filledText.optional() },
  { error: 'a map with prompt or command, until and max_iterations' },
);
export type ArchonLoop = z.infer<typeof archonLoop>;

const loopGroup = z.object(
  { ...loopControl, nodes: z.array(z.unknown(), { error: 'a list of nodes' }).min(1, { error: 'at least one node' }) },
  { error: 'a map with nodes, until and max_iterations' },
);
export type ArchonLoopGroup = z.infer<typeof loopGroup>;

const approval = z.object(
  {
    message: filledText,
    capture_response: flag.optional(),
    decisions: z
      .array(z.object({ id: filledText, label: text.optional() }, { error: 'a map with id' }), {
        error: 'a list of decisions',
      })
      .min(1, { error: 'at least one decision' })
      .optional(),
    on_reject: z
      .object(
        {
          prompt: filledText,
          max_attempts: count.max(10, { error: 'a whole number from 1 to 10' }).optional(),
        },
        { error: 'a map with prompt' },
      )
      .optional(),
  },
  { error: 'a map with message' },
);
export type ArchonApproval = z.infer<typeof approval>;

const agent = z.object(
  {
    description: filledText,
    prompt: filledText,
    model: filledText.optional(),
    tools: texts.optional(),
    disallowedTools: texts.optional(),
    skills: texts.optional(),
    maxTurns: count.optional(),
  },
  { error: 'a map with description and prompt' },
);
export type ArchonSubAgent = z.infer<typeof agent>;

const fanOut = z.object(
  {
    items: filledText,
    as: filledText.optional(),
    max_parallel: count.optional(),
    join: z.enum(['all_success', 'all_done', 'first_success'], { error: 'all_success or all_done' }).optional(),
  },
  { error: 'a map with items' },
);

/** What a node does: exactly one of these stands at it. */
export const NODE_KINDS = [
  'command',
  'prompt',
  'bash',
  'script',
  'loop',
  'loop_group',
  'approval',
  'cancel',
  'include',
  'workflow',
] as const;
export type NodeKind = (typeof NODE_KINDS)[number];

const anything = anyJson.optional();

/** A node, of whatever kind. */
export const archonNode = z.object(
  {
    id: filledText,
    description: text.optional(),
    depends_on: texts.optional(),
    when: z.union([text, flag], { error: 'a condition' }).optional(),
    trigger_rule: z.enum(TRIGGER_RULES, { error: `one of ${TRIGGER_RULES.join(', ')}` }).optional(),
    command: text.optional(),
    prompt: text.optional(),
    bash: text.optional(),
    script: text.optional(),
    loop: archonLoop.optional(),
    loop_group: loopGroup.optional(),
    approval: approval.optional(),
    cancel: text.optional(),
    include: filledText.optional(),
    workflow: filledText.optional(),
    runtime: z.enum(['bun', 'uv'], { error: 'bun or uv' }).optional(),
    deps: texts.optional(),
    timeout: positive.optional(),
    input: text.optional(),
    with: z.record(z.string(), anyJson, { error: 'a map from names to values' }).optional(),
    isolation: z.enum(['inherit', 'worktree'], { error: 'inherit or worktree' }).optional(),
    fan_out: fanOut.optional(),
    model: text.optional(),
    provider: text.optional(),
    context: z
      .union([
        z.enum(['fresh', 'shared'], { error: 'fresh, shared, or a map with resume' }),
        z.object({ resume: filledText }),
      ])
      .optional(),
    output_format: jsonSchema.optional(),
    allowed_tools: texts.optional(),
    denied_tools: texts.optional(),
    systemPrompt: filledText.optional(),
    agents: z.record(z.string(), agent, { error: 'a map of agents' }).optional(),
    idle_timeout: positive.optional(),
    retry: z
      .object(
        {
          max_attempts: count.max(5, { error: 'a whole number from 1 to 5' }),
          delay_ms: positive.optional(),
          on_error: z.enum(['transient', 'all'], { error: 'transient or all' }).optional(),
        },
        { error: 'a map with max_attempts' },
      )
      .optional(),
    maxBudgetUsd: positive.optional(),
    output_type: text.optional(),
    always_run: flag.optional(),
    persist_session: flag.optional(),
    hooks: anything,
    mcp: anything,
    skills: anything,
    pi: anything,
    effort: anything,
    thinking: anything,
    fallbackModel: anything,
    settingSources: anything,
    betas: anything,
    sandbox: anything,
  },
  { error: 'a node: a map with id' },
);
export type ArchonNode = z.infer<typeof archonNode>;

/** A workflow file; its nodes are read one by one. */
export const archonWorkflow = z.object(
  {
    name: filledText,
    description: text.optional(),
    nodes: z.array(z.unknown(), { error: 'a list of nodes' }).min(1, { error: 'at least one node' }),
    provider: text.optional(),
    model: text.optional(),
    inputs: z
      .record(
        z.string(),
        z.object({ required: flag.optional(), default: anything, description: text.optional() }).nullable(),
        { error: 'a map of inputs' },
      )
      .optional(),
    returns: filledText.optional(),
    outcome_field: filledText.optional(),
    worktree: z.object({ enabled: flag.optional() }, { error: 'a map with enabled' }).optional(),
    interactive: flag.optional(),
    tags: anything,
    requires: anything,
    mutates_checkout: flag.optional(),
    evidence_policy: z.object({ required: flag.optional() }).optional(),
    container: anything,
    persist_sessions: flag.optional(),
    effort: anything,
    modelReasoningEffort: anything,
    webSearchMode: anything,
    thinking: anything,
    fallbackModel: anything,
    betas: anything,
    sandbox: anything,
  },
  { error: 'a workflow: a map with name and nodes' },
);
export type ArchonWorkflow = z.infer<typeof archonWorkflow>;
