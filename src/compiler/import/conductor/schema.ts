import { z } from 'zod';
import { anyJson, count, filledText, positive, text } from '../../formats/values.js';

/* Workflows of microsoft/conductor as docs/import.md tells of them. What stands in no schema is named in a report. */
const texts = z.array(text, { error: 'a list of texts' });
const map = z.record(z.string(), anyJson, { error: 'a map' });
const textMap = z.record(z.string(), text, { error: 'a map of texts' });
const optionalNumber = positive.nullable().optional();

const route = z.object(
  { to: filledText, when: filledText.nullable().optional(), output: anyJson.optional() },
  { error: 'a map with to and when' },
);
const routes = z.array(route, { error: 'a list of routes' }).nullable().optional();

const option = z.object(
  {
    label: text.optional(),
    name: text.optional(),
    value: filledText.optional(),
    description: text.optional(),
    route: filledText.optional(),
    prompt_for: anyJson.optional(),
  },
  { error: 'a map with label, value and route' },
);

const question = z.object(
  {
    id: filledText.optional(),
    text: filledText,
    hint: text.nullable().optional(),
    choices: texts.nullable().optional(),
    default: anyJson.optional(),
  },
  { error: 'a question: a map with text' },
);

export const KINDS = ['agent', 'human_gate', 'script', 'set', 'wait', 'terminate', 'workflow', 'questions'] as const;

/** What agents say, those inside a `for_each` among them, which may have no name. */
const agentShape = {
  type: z.enum(KINDS, { error: `one of ${KINDS.join(', ')}` }).optional(),
  description: text.nullable().optional(),
  prompt: text.nullable().optional(),
  system_prompt: text.nullable().optional(),
  model: text.nullable().optional(),
  tools: texts.nullable().optional(),
  output: z.union([map, text], { error: 'a map of fields' }).nullable().optional(),
  reasoning: z.object({ effort: text.optional() }, { error: 'a map with effort' }).nullable().optional(),
  retry: z
    .object(
      { max_attempts: count.optional(), delay_seconds: z.number().min(0).optional() },
      { error: 'a map with max_attempts' },
    )
    .nullable()
    .optional(),
  timeout_seconds: optionalNumber,
  max_session_seconds: optionalNumber,
  max_agent_iterations: count.nullable().optional(),
  options: z.array(option, { error: 'a list of options' }).min(1, { error: 'at least one option' }).optional(),
  command: filledText.optional(),
  args: texts.optional(),
  env: textMap.optional(),
  stdin: text.nullable().optional(),
  working_dir: text.nullable().optional(),
  timeout: optionalNumber,
  value: anyJson.optional(),
  values: map.optional(),
  duration: z.union([filledText, positive], { error: 'a duration' }).optional(),
  source: filledText.optional(),
  questions: z.array(question, { error: 'a list of questions' }).min(1, { error: 'at least one question' }).optional(),
  workflow: filledText.optional(),
  input_mapping: map.nullable().optional(),
  status: z.enum(['success', 'failed'], { error: 'success or failed' }).optional(),
  reason: text.optional(),
};

export const conductorAgent = z.object(
  { name: filledText, ...agentShape, routes },
  { error: 'an agent: a map with name' },
);
const innerAgent = z.object({ name: filledText.optional(), ...agentShape }, { error: 'an agent: a map with prompt' });
export type ConductorAgent = z.infer<typeof innerAgent>;
export type ConductorRoute = z.infer<typeof route>;

const failureMode = z
  .enum(['fail_fast', 'continue_on_error', 'all_or_nothing'], {
    error: 'fail_fast, continue_on_error or all_or_nothing',
  })
  .optional();
export type FailureMode = z.infer<typeof failureMode>;

export const parallelGroup = z.object(
  {
    name: filledText,
    description: text.nullable().optional(),
    agents: z.array(filledText, { error: 'a list of names' }).min(1, { error: 'at least one name' }),
    failure_mode: failureMode,
    routes,
  },
  { error: 'a group: a map with name and agents' },
);

export const forEachGroup = z.object(
  {
    name: filledText,
    type: text.optional(),
    description: text.nullable().optional(),
    source: filledText,
    as: filledText,
    agent: innerAgent,
    max_concurrent: count.optional(),
    failure_mode: failureMode,
    key_by: text.nullable().optional(),
    routes,
  },
  { error: 'a group: a map with name, source, as and agent' },
);

const input = z
  .object(
    {
      type: z
        .enum(['string', 'number', 'integer', 'boolean', 'array', 'object'], {
          error: 'string, number, boolean, array or object',
        })
        .optional(),
      required: z.boolean({ error: 'true or false' }).optional(),
      default: anyJson.optional(),
      description: text.optional(),
    },
    { error: 'a map with type, required, default and description' },
  )
  .nullable();
export type ConductorInput = z.infer<typeof input>;

/** A workflow of conductor. */
export const conductorWorkflow = z.object(
  {
    workflow: z.object(
      {
        name: filledText,
        description: text.nullable().optional(),
        entry_point: filledText,
        runtime: z
          .object(
            {
              provider: anyJson.optional(),
              default_model: text.nullable().optional(),
              default_reasoning_effort: text.nullable().optional(),
              max_agent_iterations: count.nullable().optional(),
            },
            { error: 'a map with provider and default_model' },
          )
          .nullable()
          .optional(),
        input: z.record(z.string(), input, { error: 'a map of inputs' }).nullable().optional(),
        limits: z
          .object(
            {
              max_iterations: count.nullable().optional(),
              timeout_seconds: optionalNumber,
              budget_usd: optionalNumber,
              budget_mode: z.enum(['audit', 'enforce'], { error: 'audit or enforce' }).optional(),
            },
            { error: 'a map of limits' },
          )
          .nullable()
          .optional(),
      },
      { error: 'a map with name and entry_point' },
    ),
    tools: texts.nullable().optional(),
    agents: z.array(conductorAgent, { error: 'a list of agents' }).nullable().optional(),
    parallel: z.array(parallelGroup, { error: 'a list of groups' }).nullable().optional(),
    for_each: z.array(forEachGroup, { error: 'a list of groups' }).nullable().optional(),
    output: map.nullable().optional(),
  },
  { error: 'a workflow: a map with workflow and agents' },
);
export type ConductorWorkflow = z.infer<typeof conductorWorkflow>;
