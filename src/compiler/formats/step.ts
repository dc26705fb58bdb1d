import { z } from 'zod';
import { ROLES } from '../../plan/builds/build-spec.js';
import { SEVERITIES } from '../../plan/gates/autonomy.js';
import { permissionsSchema } from './permissions.js';
import { approvalKeys, approvalMap, askKeys, askMap } from './gate.js';
import {
  anyJson,
  budgets,
  count,
  duration,
  filledText,
  id,
  jsonSchema,
  minuteCount,
  positive,
  template,
  text,
} from './values.js';
import { commit, commitOf } from './commit.js';
import { repeats } from './repeats.js';
import { requires } from './requires.js';

const target = z.union([id, z.number().int().nonnegative()], { error: "a step's id or index" });

/** What every step may say. */
const common = {
  ...repeats,
  id: id.optional().describe('Name of the step: `${steps.ID.output}`, and its segment in paths.'),
  needs: z
    .union([target, z.array(target)], { error: 'a list of ids or indexes of steps' })
    .optional()
    .describe('Steps that must have ended before, by id or index. A reference is an edge by itself.'),
  after: z
    .union([target, z.array(target)], { error: 'a list of ids or indexes of steps' })
    .optional()
    .describe('Steps that must have ended before, however they ended, by id or index.'),
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
  timeout_mins: minuteCount.optional().describe('Limit of one try in minutes.'),
  retry: z
    .strictObject(
      {
        attempts: count
          .max(100, { error: 'a whole number from 1 to 100' })
          .optional()
          .describe('Tries in all, the first one included.'),
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
  severity: z
    .enum(SEVERITIES, { error: `one of ${SEVERITIES.join(', ')}` })
    .optional()
    .describe('How bad it is when the step goes wrong: with `autonomy` it says whether a person is asked first.'),
  type: id.optional().describe('What kind of action it is, for `require_approval_for`: `deploy`, `commit`.'),
  commit,
};

const inputs = z
  .record(id, template, { error: 'a map from names to values' })
  .optional()
  .describe('Values by name; a text may hold `${…}`.');

const schema = jsonSchema.optional().describe('JSON Schema of the output, which then is JSON.');

const taskAgent = z.union(
  [
    filledText,
    z.strictObject({
      agent: filledText.describe('Name of an agent.'),
      role: z
        .enum(ROLES, { error: `one of ${ROLES.join(', ')}` })
        .optional()
        .describe('What it does with tasks; builder when left out.'),
    }),
  ],
  { error: 'the name of an agent, or a map with agent and role' },
);

export const agentStep = z.strictObject({
  agent: filledText.describe('Name of the agent that does the step.'),
  prompt: filledText.optional().describe('The instruction; the agent sees its inputs under their names.'),
  inputs,
  model: filledText.optional().describe('Model for this step: an alias, a full id, or `provider:model`.'),
  schema,
  rehearsal: template.optional().describe('What a rehearsal answers in place of the model.'),
  quick: z
    .boolean({ error: 'true or false' })
    .optional()
    .describe('An answer, or a turn, takes a moment: it is asked for at once. Without tools `timeout` is at most 10s.'),
  tasks: z
    .array(taskAgent, { error: 'a list of agents' })
    .min(1, { error: 'a list with an agent' })
    .max(20, { error: 'at most 20 agents' })
    .optional()
    .describe('The answer is tasks for these agents, which a `plan` step then has carried out.'),
  ...common,
  ...acting,
  requires,
});

const files = z.array(filledText, { error: 'a list of files' }).optional();
const argument = z.union([z.string(), z.number(), z.boolean()], { error: 'a text, a number, true or false' });

export const commandStep = z.strictObject({
  command: z
    .array(argument, { error: 'a list' })
    .min(1, { error: 'a list with an executable' })
    .describe('The executable, then its arguments. No shell stands between.'),
  cwd: filledText.optional().describe("Folder it runs in, from the project's root."),
  env: z
    .record(
      z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, { error: 'a variable name: letters, digits and `_`' }),
      argument,
      {
        error: 'a map from variable names to texts',
      },
    )
    .optional()
    .describe('Variables beside PATH, HOME, LANG, TZ and TMPDIR.'),
  stdin: template.optional().describe('What the command reads from its standard input.'),
  reads: files.describe('Files that the result depends on.'),
  writes: files.describe('Files that it writes: a rerun takes the result over only while they are as it left them.'),
  max_output_kb: positive
    .max(102_400, { error: 'a number of at most 102400' })
    .optional()
    .describe('Beyond this the output is cut in the middle; 100 when left out.'),
  schema,
  ...common,
  ...acting,
  requires,
});

export const toolStep = z.strictObject({
  tool: filledText.describe(
    'The tool: one that comes with Perdure, one of a `tool.yml`, or `server__tool` of an MCP server.',
  ),
  inputs: z
    .record(filledText, template, { error: 'a map from names to values' })
    .optional()
    .describe('What it is called with; a text may hold `${…}`.'),
  permissions: permissionsSchema
    .optional()
    .describe('What the call may do, before what perdure.yml and the shipped rules say.'),
  schema,
  ...common,
  ...acting,
  requires,
});

export const workflowStep = z.strictObject({
  workflow: filledText.describe('A workflow by name, or by a path relative to this file.'),
  inputs,
  ...common,
  ...acting,
});

export const planStep = z.strictObject({
  plan: z
    .union([filledText, z.record(z.string(), anyJson)], { error: 'one `${…}`, a text, or a map' })
    .describe(
      'A workflow, or tasks, made while the run runs: what a step before yields. People approve exactly that ' +
        'before it starts.',
    ),
  inputs,
  message: filledText.optional().describe('What people are asked.'),
  fallback: z
    .enum(['approve', 'skip', 'abort'], { error: 'approve, skip or abort' })
    .optional()
    .describe('What an unattended run does; abort when left out.'),
  budgets: budgets
    .optional()
    .describe('Limits of the tasks; of a workflow that an agent made where they are smaller than its own.'),
  commit,
  ...common,
});

export const approvalStep = z.strictObject({
  approval: z
    .union([filledText, approvalMap], { error: 'a question, or a map with message' })
    .describe('The question, or a map with `message` and any of the keys of a gate.'),
  ...approvalKeys,
  ...common,
});
/** The long form alone: a fault inside it is reported where it is. */
export const approvalGateStep = z.strictObject({ ...approvalStep.shape, approval: approvalMap });

export const askStep = z.strictObject({
  ask: z
    .union([filledText, askMap], { error: 'a question, or a map with question' })
    .describe('The question, or a map with `question` and any of the keys of a gate.'),
  ...askKeys,
  ...common,
});

export const setStep = z.strictObject({
  set: z
    .record(id, template, { error: 'a map from names to values' })
    .describe('Values by name; operators may stand in their `${…}`. The output is the map of them.'),
  require: z
    .union([text, z.boolean()], { error: 'one `${…}`, or true or false' })
    .optional()
    .describe('One `${…}`; the step fails unless it holds, with its value `message` as its words.'),
  commit: commitOf,
  ...common,
});

const waitMap = z.strictObject({
  for: duration.optional().describe('How long, such as `90s` or `2d`.'),
  until: filledText.optional().describe('An ISO 8601 time with its offset, or one `${…}` that gives one.'),
});

export const waitStep = z.strictObject({
  wait: z
    .union([duration, waitMap], { error: 'a duration, or a map with for or until' })
    .describe('How long to wait, or `{until: …}` a moment.'),
  ...common,
});

const device = id.describe('Name of the device under `devices` of perdure.yml.');
const boot = z.strictObject(
  {
    expect: filledText.describe('A text that it says when it has started.'),
    timeout: duration.optional().describe('How long it may take; 10s when left out.'),
  },
  { error: 'a map with expect and timeout' },
);

export const compileStep = z.strictObject({
  compile: z
    .strictObject(
      {
        device,
        sources: z
          .array(filledText, { error: 'a list of files' })
          .min(1, { error: 'at least one file' })
          .describe("Source files, from the project's root."),
      },
      { error: 'a map with device and sources' },
    )
    .describe('Builds an image for a device; the output is the image.'),
  ...common,
  ...acting,
  requires,
});

/** One binary of several, with its place in flash memory. */
export const placedImage = z.strictObject(
  {
    offset: z
      .union([filledText, z.number().int().nonnegative()], { error: 'a place in flash memory' })
      .describe('Where it begins: `0x1000`, or a place that the board knows, such as `bootloader` or `app`.'),
    image: filledText.describe('A file of the project, or what a `compile` step made.'),
  },
  { error: 'a map with offset and image' },
);

export const flashStep = z.strictObject({
  flash: z
    .strictObject(
      {
        device,
        image: template
          .optional()
          .describe('What a `compile` step made, the text of an Intel HEX file, or a file of the project.'),
        images: z
          .array(placedImage, { error: 'a list of maps with offset and image' })
          .min(1, { error: 'at least one image' })
          .optional()
          .describe('In place of `image`: binaries, each with its place in flash memory, written in one go.'),
        files: z
          .union([filledText, z.array(filledText).min(1, { error: 'at least one file' })], {
            error: 'a list of files, or one `${…}` that gives it',
          })
          .optional()
          .describe("Files of the project that are put into the board's own file system, after its images."),
        ready: filledText
          .optional()
          .describe("Asked before the device is touched; whoever approves, approves this image's hash."),
        boot: boot.optional().describe('What the board must say once it is flashed.'),
        fallback: z
          .enum(['restore', 'skip', 'abort'], { error: 'restore, skip or abort' })
          .optional()
          .describe('What an unattended run does when the device is left in doubt; abort when left out.'),
      },
      { error: 'a map with device and image' },
    )
    .describe('Writes an image to a device, reads it back and compares.'),
  ...common,
  ...acting,
});

export const serialStep = z.strictObject({
  serial: z
    .strictObject(
      {
        device,
        expect: filledText
          .optional()
          .describe('The text to wait for; without it all that comes within `timeout` is read.'),
        timeout: duration.optional().describe('How long to listen; 10s when left out.'),
        write: filledText.optional().describe('What is sent.'),
        after: filledText.optional().describe('The text after which it is sent; at once when left out.'),
        capture: z
          .enum(['all', 'line'], { error: 'all or line' })
          .optional()
          .describe('The output: all that was read (when left out), or the line with the expected text.'),
      },
      { error: 'a map with device, expect and timeout' },
    )
    .describe("Listens on a device's serial line."),
  rehearsal: template.optional().describe('What a rehearsal reads in place of the device.'),
  ...common,
  ...acting,
});

/** A step whose body is steps of its own. They are read one by one, so that each fault is reported where it is. */
export const blockStep = z.strictObject({
  steps: z
    .array(z.unknown(), { error: 'a list of steps' })
    .min(1, { error: 'at least one step' })
    .describe('The steps that `foreach` or `loop` runs.'),
  execution: z
    .enum(['sequential', 'parallel', 'dag'], { error: 'sequential, parallel or dag' })
    .optional()
    .describe('How these steps are ordered; sequential when left out.'),
  yields: template.optional().describe("What one item or round yields; its last step's output when left out."),
  commit,
  ...common,
});

export type AuthoredAgentStep = z.infer<typeof agentStep>;
export type AuthoredCommandStep = z.infer<typeof commandStep>;
export type AuthoredToolStep = z.infer<typeof toolStep>;
export type AuthoredWorkflowStep = z.infer<typeof workflowStep>;
export type AuthoredApprovalStep = z.infer<typeof approvalStep>;
export type AuthoredAskStep = z.infer<typeof askStep>;
export type AuthoredSetStep = z.infer<typeof setStep>;
export type AuthoredWaitStep = z.infer<typeof waitStep>;
export type AuthoredPlanStep = z.infer<typeof planStep>;
type AuthoredCompileStep = z.infer<typeof compileStep>;
type AuthoredFlashStep = z.infer<typeof flashStep>;
type AuthoredSerialStep = z.infer<typeof serialStep>;
export type AuthoredBlockStep = z.infer<typeof blockStep>;

/** A step as it is written, with its kind. */
export type AuthoredStep =
  | ({ kind: 'agent' } & AuthoredAgentStep)
  | ({ kind: 'command' } & AuthoredCommandStep)
  | ({ kind: 'tool' } & AuthoredToolStep)
  | ({ kind: 'workflow' } & AuthoredWorkflowStep)
  | ({ kind: 'plan' } & AuthoredPlanStep)
  | ({ kind: 'approval' } & AuthoredApprovalStep)
  | ({ kind: 'ask' } & AuthoredAskStep)
  | ({ kind: 'set' } & AuthoredSetStep)
  | ({ kind: 'wait' } & AuthoredWaitStep)
  | ({ kind: 'compile' } & AuthoredCompileStep)
  | ({ kind: 'flash' } & AuthoredFlashStep)
  | ({ kind: 'serial' } & AuthoredSerialStep);

export const STEP_KINDS = [
  'agent',
  'command',
  'tool',
  'workflow',
  'plan',
  'approval',
  'ask',
  'set',
  'wait',
  'compile',
  'flash',
  'serial',
] as const;
