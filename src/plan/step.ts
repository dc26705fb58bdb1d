import type { Expression, Template } from './expression.js';
import type { Json } from './json.js';
import type { Hash, Text } from './value.js';

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
}

/** One answer of a model in a role. */
export interface AgentStep extends StepBase {
  kind: 'agent';
  /** Key into `Plan.agents`. */
  agent: Hash;
  prompt: Template | null;
  /** Shown to the agent under their names, and values of `${name}` in the agent's own prompt. */
  inputs: Record<string, Template>;
  /** As written at the step; null leaves the choice to the agent, then to the run's settings. */
  model: string | null;
  /** JSON Schema that the output must satisfy; then the output is JSON, else it is text. */
  schema: Json;
  /** What a rehearsal answers (decision 10). */
  rehearsal: Template | null;
}

/** A program, given as argv: no shell stands between (decision 3). */
export interface CommandStep extends StepBase {
  kind: 'command';
  /** At least one; the first is a literal. */
  argv: Template[];
  cwd: Template | null;
  env: Record<string, Template>;
  stdin: Template | null;
  /** Files whose content the result depends on (decision 14). */
  reads: string[];
  max_output_kb: number;
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

/** A gate: the run waits here until a person decided (decision 4). */
export interface ApprovalStep extends StepBase {
  kind: 'approval';
  /** The question. */
  message: Template;
  /** The exact content that is approved; null when the question is all there is. */
  content: Template | null;
  /** What an unattended run does. */
  fallback: 'approve' | 'skip' | 'abort';
}

export type Step = AgentStep | CommandStep | WorkflowStep | ApprovalStep;
export type StepKind = Step['kind'];

/** Every template of a step: all that it can refer to. */
export function templatesOf(step: Step): Template[] {
  const when: Template[] = step.when === null ? [] : [{ kind: 'expression', expression: step.when }];
  switch (step.kind) {
    case 'agent':
      return [...when, ...present(step.prompt, step.rehearsal), ...Object.values(step.inputs)];
    case 'command':
      return [...when, ...step.argv, ...present(step.cwd, step.stdin), ...Object.values(step.env)];
    case 'workflow':
      return [...when, ...Object.values(step.inputs)];
    case 'approval':
      return [...when, step.message, ...present(step.content)];
  }
}

function present(...templates: (Template | null)[]): Template[] {
  return templates.filter((template) => template !== null);
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
  inputs: Record<string, InputSpec>;
  max_output_kb: number;
  max_turns: number;
}

/** A declared or discovered input of a workflow or an agent. */
export interface InputSpec {
  type: 'string' | 'number' | 'boolean' | 'list' | 'object' | 'any';
  required: boolean;
  description: Text | null;
  /** Absent when there is none. */
  default?: Json;
}

/** The word that stands for a step in results and pictures: agent, workflow, executable or kind. */
export function actorOf(step: Step, agents: Record<string, Agent>): string {
  switch (step.kind) {
    case 'agent':
      return agents[step.agent]?.name ?? 'agent';
    case 'command': {
      const executable = step.argv[0];
      return executable?.kind === 'literal' ? String(executable.value) : 'command';
    }
    case 'workflow':
      return step.workflow;
    case 'approval':
      return step.kind;
  }
}
