import type { Hook } from './tools/hook.js';
import type { Effort, Requirement } from './names.js';
import type { TaskRules } from './builds/task-rules.js';
import type { Attachment } from './values/attachment.js';
import type { StepKind } from './names.js';
import type { DeviceRef } from './devices/device.js';
import type { Fallback } from './gates/gate.js';
import type { Expression, Template } from './values/expression.js';
import type { Json, JsonObject } from './values/json.js';
import type { Checkpoint } from './gates/autonomy.js';
import type { Budgets } from './budget/budgets.js';
import type { Permissions } from './tools/permission.js';
import type { CallableTool, Tool } from './tools/tool.js';
import type { InputType } from './values/input-type.js';
import type { Hash, Text } from './values/value.js';

/** What a failed step does to the rest. The compiler fills in the mode's default. */
export type OnError = 'continue' | 'stop' | 'skip_dependents';

/**
 * An edge: this step starts after `step` ended. With `skip` it is a dependent in the sense of `skip_dependents`:
 * when that step failed so, or was itself skipped for that reason, this one is skipped.
 */
export interface Need {
  step: number;
  skip: boolean;
}

/** How often a step is tried, and how long the interpreter waits in between (doubling, at most five minutes). */
export interface Retry {
  attempts: number;
  backoff_ms: number;
  /** Of an agent for which tries were asked for: one that comes to its limit of turns is followed by another. */
  anew?: true;
}

export interface StepBase {
  /** Position in its own `steps:`, from 0. */
  index: number;
  /** The author's id; without one the index stands for it in paths. */
  id: string | null;
  needs: Need[];
  parallel_group: string | null;
  when: Expression | null;
  on_error: OnError;
  retry: Retry;
  /** Limit of one try, in milliseconds. */
  timeout_ms: number;
  /** Limit of the whole step, all tries and waits together; null for none. */
  deadline_ms: number | null;
  effect: 'none' | 'workspace' | 'external';
  /** Subject of the commit of what it has changed; until that it has a work tree of its own. Absent for none. */
  commit?: string;
  /** Id of the step beside it whose work tree it commits, of a `set` step with `commit`. */
  commit_of?: string;
  /** How severe it is, of a step whose author says so: a person may have to allow it before it acts. */
  checkpoint?: Checkpoint;
  /** What the worker that does it must have; absent where any of the store's will do. */
  requires?: Requirement;
  /** A step of `finally:`: it runs also when the run was stopped or cancelled. Only in a workflow's own steps. */
  always: boolean;
}

/**
 * Steps that run together as one scope with its own references: a workflow's own, those of a `foreach` for each item,
 * those of a `loop` in each round.
 */
export interface Block {
  steps: Step[];
  /** Members of each parallel group, by step index. */
  groups: Record<string, number[]>;
  /** What the block yields; null for its last step's output. */
  output: Template | null;
}

/** The body of a step that runs steps. */
export interface Body extends Block {
  /** The body is the authored step itself: its one step adds no segment to paths (decision 1). */
  single: boolean;
}

/** What becomes of an output of text: its outer white space is dropped; `number` reads the rest, or fails the step. */
export type OutputConversion = 'trimmed' | 'number';

/** One answer of a model in a role. */
export interface AgentStep extends StepBase {
  kind: 'agent';
  /** Key into `Plan.agents`. */
  agent: Hash;
  /** The request. Null: it is told to do its part. An empty text: the agent's instruction is all that is said. */
  prompt: Template | null;
  /** Shown to the agent under their names, and values of `${name}` in the agent's own prompt. */
  inputs: Record<string, Template>;
  /** Files that it is shown as they are; absent for none. */
  attachments?: Attachment[];
  /** As written at the step; null leaves the choice to the agent, then to the run's settings. */
  model: string | null;
  /** JSON Schema that the output must satisfy; then the output is JSON, else it is text. */
  schema: Json;
  /** The output is tasks for others: what they must satisfy beside the schema. */
  tasks?: TaskRules;
  output_as?: OutputConversion;
  /** It, or each turn of an agent with tools, is asked within the workflow task as long as that takes a moment. */
  quick?: true;
  /** What a rehearsal answers (decision 10). */
  rehearsal: Template | null;
}

/** A program, given as argv: no shell stands between (decision 3). */
export interface CommandStep extends StepBase {
  kind: 'command';
  /** At least one; the first is a literal. */
  argv: Template[];
  cwd: Template | null;
  /** What relative paths start from: the folder that the run was submitted from. Absent: the project's root. */
  from?: 'caller';
  env: Record<string, Template>;
  stdin: Template | null;
  /** Files whose content the result depends on (decision 14). */
  reads: string[];
  /** Files that it leaves: its result is reused only while they are as it left them. Absent: none named. */
  writes?: string[];
  max_output_kb: number;
  schema: Json;
  output_as?: OutputConversion;
}

/** One call of a tool, without an agent around it. */
export interface ToolStep extends StepBase {
  kind: 'tool';
  tool: CallableTool;
  /** What the call may do: those of the step, of the project and the shipped ones. */
  permissions: Permissions;
  /** What the tool is called with, by name. */
  inputs: Record<string, Template>;
  /** JSON Schema that the output must satisfy beside the tool's own; a text is then read as JSON. */
  schema: Json;
}

/** A nested workflow: a child workflow with its own Plan (decision 1). */
export interface WorkflowStep extends StepBase {
  kind: 'workflow';
  /** The nested workflow's name. */
  workflow: string;
  /** Key into `Plan.nested`. */
  plan: Hash;
  inputs: Record<string, Template>;
}

/**
 * A workflow that is made while the run runs: by an agent, or from the tasks that one planned. It is compiled from what
 * `source` yields, shown to people as exactly that, and runs as a nested run once it is approved.
 */
export interface PlanStep extends StepBase {
  kind: 'plan';
  /** A workflow as a map or as its text; tasks where a step planned such, or with `build`. */
  source: Template;
  inputs: Record<string, Template>;
  /** Kinds of steps that it may have. */
  kinds: StepKind[];
  /** What it may use, beside what its own definition says. */
  budgets: Budgets;
  /** What the step itself says of that: tasks have these, and none of workflows that agents make. */
  limits?: Budgets;
  /** Asked before it starts; null where a step before has asked. */
  message: Template | null;
  /** What an unattended run does. */
  fallback: Fallback;
  /** Spec of the build whose tasks are carried out, as JSON. */
  build?: Text;
}

/** Who may say what at a gate, and what happens while nobody does. What is absent is not asked for. */
export interface GateRules {
  /** Names of those who may decide: a text, or a list of them. */
  approvers?: Template;
  /** Whoever submitted the run may not. */
  not_submitter?: boolean;
  /** Those who decided these steps may not: a list of references to their `decided_by`. */
  not_deciders?: Template;
  /** How many people must say the same. */
  quorum?: number;
  /** A reminder after so long, and again after each such time. */
  reminder_ms?: number;
  /** After so long these people may decide as well. */
  escalate?: { after_ms: number; to: Template };
}

/** A gate: the run waits here until a person decided (decision 4). */
export interface ApprovalStep extends StepBase {
  kind: 'approval';
  /** The question. */
  message: Template;
  /** The exact content that is approved; null when the question is all there is. */
  content: Template | null;
  /** What an unattended run does; `by` a value, where another step says so. */
  fallback: Fallback | { by: Template };
  /** What may be chosen beside rejecting; the choice is then the output. */
  options?: string[];
  /** The content may not be changed before it is approved. */
  fixed?: true;
  /**
   * What counts when the deadline passes: `approve`, `reject` or an option. Absent: the gate expires, which is a
   * failure.
   */
  default?: string;
  /** A rejection makes this step and all that depends on it run again, at most `max` times; then it is a failure. */
  rework?: { step: number; max: number };
  rules?: GateRules;
}

/** A person's answer: the run waits here until someone gave it. */
export interface AskStep extends StepBase {
  kind: 'ask';
  question: Template;
  /** JSON Schema of the answer; null for a text. */
  schema: Json;
  /** What may be answered; null where anything that fits the schema may. */
  choices: Json[] | null;
  /** What an unattended run answers, and what counts when the deadline passes; absent where that is a failure. */
  default?: Json;
  rules?: GateRules;
}

/** Values by name, computed from what there is. Its output is the object of them. */
export interface SetStep extends StepBase {
  kind: 'set';
  values: Record<string, Template>;
  /** The step fails unless it holds; its value `message` says why. */
  require?: Expression;
}

/** Lets time pass: so long, or until a moment. */
export interface WaitStep extends StepBase {
  kind: 'wait';
  for_ms: number | null;
  /** An ISO 8601 time, with its offset or in UTC. */
  until: Template | null;
}

/**
 * Its body once for each item of a list, windowed (I11); its output is the list of the outputs, in order. `on_error`
 * holds for the items too: `continue` lets the others go on, and a failed item's output is null (the step fails only
 * when all did); `skip_dependents` lets the others go on, then the step fails; `stop` cancels the others.
 */
export interface ForeachStep extends StepBase {
  kind: 'foreach';
  items: Template;
  /** At most so many items at once, beside `max_parallel` of the run; null for no further limit. */
  max_parallel: number | null;
  body: Body;
}

/** Its body again and again, until the condition holds in the scope of the round that has just ended. */
export interface LoopStep extends StepBase {
  kind: 'loop';
  until: Expression;
  /** Rounds at most. */
  max: number;
  /** What it is when the condition does not hold after the last round: a failure, or the last round's output. */
  at_max: 'error' | 'continue';
  body: Body;
}

/** Sources become an image for a device; the device itself is not needed. Its output is an `Image`. */
export interface CompileStep extends StepBase {
  kind: 'compile';
  device: DeviceRef;
  /** Files from the project's root. */
  sources: Template[];
}

/** An image is written to a device, read back and compared. */
export interface FlashStep extends StepBase {
  kind: 'flash';
  device: DeviceRef;
  /** What `compile` made, a HEX text, a file of the project, a list of `{offset, image}`; null for `files` alone. */
  image: Template | null;
  files: Template | null; // of the project, for the board's own file system
  /** Asked before the device is touched; whoever approves, approves this image's hash. */
  ready: Template | null;
  /** What the board must say on its serial line once it is flashed. */
  boot: { expect: Template; timeout_ms: number } | null;
  /** What a run without people does when the device is left in doubt. */
  fallback: 'restore' | 'skip' | 'abort';
}

/** What a device says on its serial line. */
export interface SerialStep extends StepBase {
  kind: 'serial';
  device: DeviceRef;
  /** The text to wait for; null to listen for the whole time. */
  expect: Template | null;
  /** What is sent, once `after` was read. */
  write: Template | null;
  after: Template | null;
  listen_ms: number;
  /** The output: all that was read up to what was expected, or the line that holds it. */
  capture: 'all' | 'line';
  /** What a rehearsal answers (decision 10). */
  rehearsal: Template | null;
}

export type Step =
  | AgentStep
  | CommandStep
  | ToolStep
  | WorkflowStep
  | PlanStep
  | ApprovalStep
  | AskStep
  | SetStep
  | WaitStep
  | ForeachStep
  | LoopStep
  | CompileStep
  | FlashStep
  | SerialStep;

/** Steps with a body. */
export type BlockStep = ForeachStep | LoopStep;

/** Steps that have a device to themselves while they run. */
export type DeviceStep = FlashStep | SerialStep;

export function isDeviceStep(step: Step): step is DeviceStep {
  return step.kind === 'flash' || step.kind === 'serial';
}

export function isBlockStep(step: Step): step is BlockStep {
  return step.kind === 'foreach' || step.kind === 'loop';
}

/** Every step of a block, those of inner bodies too, outer ones first. */
export function* everyStep(block: Pick<Block, 'steps'>): Generator<Step> {
  for (const step of block.steps) {
    yield step;
    if (isBlockStep(step)) yield* everyStep(step.body);
  }
}

/** An agent inside a Plan: a named role. */
export interface Agent {
  name: string;
  description: string | null;
  /** The instruction; `${name}` in it is one of the step's inputs. */
  prompt: Template;
  model: string | null;
  /** The program that plays the role (`claude`, `codex`, `gemini`), or null for a model provider. */
  program: string | null;
  tools: string[];
  /** Names of tools that it does not get; absent for none. Those of `uses` are without them. */
  disallowed?: string[];
  /** The tools it uses; absent where it answers without any. */
  uses?: Tool[];
  /** What these may do, and what a program must not write; there where `uses` or `program` is. */
  permissions?: Permissions;
  inputs: Record<string, InputSpec>;
  max_output_kb: number;
  max_turns: number;
  /** Written for this definition alone (`$name := {…}`, `temp-agents/`); `agents promote` makes it a shared one. */
  temporary?: true;
  /** Where its model is reached, when the definition says so. */
  base_url?: string;
  /** Settings of its model, in the provider's own words. */
  params?: JsonObject;
  /** How much its model thinks before it answers; absent where the model's own measure holds. */
  effort?: Effort;
  /** Sets of tools, and other agents of the Plan, that it may use. */
  toolsets?: string[];
  /** Patterns (`*`, `?`) of which the model that is chosen for it must match one. */
  compatible_models?: string[];
  /** How many agents may be inside each other's calls, itself included; absent where the usual holds. */
  max_depth?: number;
  /** Commands around its calls of tools; absent for none. One that it makes has the same. */
  hooks?: Hook[];
}

/** How many agents may be inside each other's calls where no project says it. */
export const USUAL_AGENT_DEPTH = 5;

/** The name under which a run's settings hold the model of an agent step. */
export function modelKeyOf(
  step: Pick<AgentStep, 'model'>,
  agent: Pick<Agent, 'model' | 'base_url'> | undefined,
): string {
  const { model = null, base_url } = agent ?? {};
  const name = step.model ?? model ?? '';
  return step.model !== null || base_url === undefined ? name : `${name} ${base_url}`;
}

/** A declared or discovered input of a workflow or an agent. */
export interface InputSpec {
  type: InputType;
  required: boolean;
  description: Text | null;
  /** Absent when there is none. */
  default?: Json;
}
