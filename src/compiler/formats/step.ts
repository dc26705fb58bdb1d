import { z } from 'zod';
import { count, duration, filledText, id, jsonSchema, positive, template, text } from './values.js';

const target = z.union([id, z.number().int().nonnegative()], { error: "a step's id or index" });

/** What every step may say. */
const common = {
  id: id.optional().describe('Name of the step: `${steps.ID.output}`, and its segment in paths.'),
  needs: z
    .union([target, z.array(target)], { error: 'a list of ids or indexes of steps' })
    .optional()
    .describe('Steps that must have ended before, by id or index. A reference is an edge by itself.'),
  parallel_group: id.optional().describe('Group whose members start together; `${parallel_group.NAME.outputs}`.'),
  when: z
    .union([text, z.boolean()], { error: 'one `${…}`, or true or false' })
    .optional()
    .describe('Condition: one `${…}`. When it is false the step is skipped.'),
  output: id.optional().describe('Name under which later steps read the output: `${NAME}`.'),
  on_error: z
    .enum(['continue', 'stop', 'skip_dependents'], { error: 'continue, stop or skip_dependents' })
    .optional()
    .describe("What a failure does to the rest; the mode's default when left out."),
  deadline: duration.optional().describe('Limit of the whole step, all tries and waits together.'),
};

const acting = {
  timeout: duration.optional().describe('Limit of one try, such as `90s` or `5m`.'),
  timeout_mins: positive.optional().describe('Limit of one try in minutes.'),
  retry: z
    .strictObject(
      {
        attempts: count.max(100, { error: 'a whole number from 1 to 100' }).optional().describe('Tries in all, the first one included.'),
        backoff: duration.optional().describe('Wait before the second try; it doubles, up to five minutes.'),
      },
      { error: 'a map with attempts and backoff' },
    )
    .optional()
    .describe('How often a failed step is tried.'),
  effect: z
    .enum(['none', 'workspace', 'external'], { error: 'none, workspace or external' })
    .optional()
    .describe('What the step changes; `external` is never repeated silently.'),
};

const inputs = z
  .record(id, template, { error: 'a map from names to values' })
  .optional()
  .describe('Values by name; a text may hold `${…}`.');

const schema = jsonSchema.optional().describe('JSON Schema of the output, which then is JSON.');

export const agentStep = z.strictObject({
  agent: filledText.describe('Name of the agent that does the step.'),
  prompt: filledText.optional().describe('The instruction; the agent sees its inputs under their names.'),
  inputs,
  model: filledText.optional().describe('Model for this step: an alias, a full id, or `provider:model`.'),
  schema,
  rehearsal: template.optional().describe('What a rehearsal answers in place of the model.'),
  ...common,
  ...acting,
});

const argument = z.union([z.string(), z.number(), z.boolean()], { error: 'a text, a number, true or false' });

export const commandStep = z.strictObject({
  command: z.array(argument, { error: 'a list' }).min(1, { error: 'a list with an executable' }).describe('The executable, then its arguments. No shell stands between.'),
  cwd: filledText.optional().describe("Folder it runs in, from the project's root."),
  env: z
    .record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, { error: 'a variable name: letters, digits and `_`' }), argument, {
      error: 'a map from variable names to texts',
    })
    .optional()
    .describe('Variables beside PATH, HOME, LANG, TZ and TMPDIR.'),
  stdin: template.optional().describe('What the command reads from its standard input.'),
  reads: z.array(filledText, { error: 'a list of files' }).optional().describe('Files that the result depends on.'),
  max_output_kb: positive.max(102_400, { error: 'a number of at most 102400' }).optional().describe('Beyond this the output is cut in the middle; 100 when left out.'),
  schema,
  ...common,
  ...acting,
});

export const workflowStep = z.strictObject({
  workflow: filledText.describe('A workflow by name, or by a path relative to this file.'),
  inputs,
  ...common,
  ...acting,
});

const content = template.optional().describe('The exact content that is approved.');
const fallback = z
  .enum(['approve', 'skip', 'abort'], { error: 'approve, skip or abort' })
  .optional()
  .describe('What an unattended run does; abort when left out.');

const gate = z.strictObject(
  { message: filledText.describe('The question.'), content, fallback },
  { error: 'a question, or a map with message, content and fallback' },
);

export const approvalStep = z.strictObject({
  approval: z
    .union([filledText, gate], { error: 'a question, or a map with message, content and fallback' })
    .describe('The question, or a map with `message`, `content` and `fallback`.'),
  content,
  fallback,
  ...common,
});
/** The long form alone: a fault inside it is reported where it is. */
export const approvalGateStep = z.strictObject({ ...approvalStep.shape, approval: gate });

export type AuthoredAgentStep = z.infer<typeof agentStep>;
export type AuthoredCommandStep = z.infer<typeof commandStep>;
export type AuthoredWorkflowStep = z.infer<typeof workflowStep>;
export type AuthoredApprovalStep = z.infer<typeof approvalStep>;

/** A step as it is written, with its kind. */
export type AuthoredStep =
  | ({ kind: 'agent' } & AuthoredAgentStep)
  | ({ kind: 'command' } & AuthoredCommandStep)
  | ({ kind: 'workflow' } & AuthoredWorkflowStep)
  | ({ kind: 'approval' } & AuthoredApprovalStep);

export const STEP_KINDS = ['agent', 'command', 'workflow', 'approval'] as const;
