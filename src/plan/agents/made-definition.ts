import { OUTER, rootsOf } from '../values/expression.js';
import type { JsonObject } from '../values/json.js';
import { canonicalJson } from '../values/json.js';
import type { Permissions } from '../tools/permission.js';
import type { Plan } from '../plan.js';
import type { Budgets } from '../budget/budgets.js';
import type { Agent, Block, PlanStep, Step } from '../step.js';
import type { StepKind } from '../names.js';
import { isBlockStep } from '../step.js';
import { rootsOfStep } from '../references/step-references.js';
import type { CustomTool, MadeWorkflowTool, Tool } from '../tools/tool.js';
import { BUILTIN_TOOLS } from '../tools/tool.js';
import type { Hash } from '../values/value.js';

/** What may be in a workflow that was made while a run runs (docs/agents.md). */
export interface MadeRules {
  kinds: StepKind[];
  /** Limits that hold beside its own: the smaller of both. */
  budgets: Budgets;
  /** Tools that its agents may have and its steps may call; null where no agent made it. */
  tools: Tool[] | null;
  /** Names of the models that the run has chosen (`modelKeyOf`). */
  models: string[];
  /** Inputs that it is given; null where whoever calls it gives them. */
  inputs: string[] | null;
  /** What those may do who made it: its agents and tools do no more. */
  within?: Permissions[];
}

/** A definition that was made while a run runs: by an agent, or from what an agent planned. */
export interface Made {
  /**
   * What its file would be called, from the project's root: `definitions/workflows/review.yml`. Its ending says how it
   * is read.
   */
  file: string;
  text: string;
  /**
   * Agents made before that it may name, by what their files would be called. A file of the project that has such a
   * name wins, unless they are `own`.
   */
  agents?: Record<string, string>;
  /** They go before files of the project: nobody else may play them. */
  own?: true;
  rules?: MadeRules;
}

/** Its Plan, or all that is wrong with it, one problem a line as people and models read it. */
export type MadePlan = { plan: Plan } | { problems: string };

/** Planned tasks that a run is to carry out with agents of its own Plan. */
export interface MadeTasks {
  name: string;
  tasks: MadeTask[];
  /** Those of the Plan. */
  agents: Record<Hash, Agent>;
  budgets: Budgets;
}

export interface MadeTask {
  id: string;
  name: string;
  agent: Hash;
  prompt: string;
  /** Ids of the tasks that come before it. */
  after: string[];
}

/** An agent that another one wants to make while a run runs, as it says it. */
export interface AgentRequest {
  name: string;
  instructions: string;
  description: string;
  model?: string;
  /** Names of tools, and of sets of tools: of those that its maker has. */
  tools?: string[];
  toolsets?: string[];
}

/** What bounds an agent that is made: it can do no more than who makes it. */
export interface AgentBounds {
  maker: Agent;
  /** Names that others have: agents of the Plan. Those of tools are taken as well, whatever the case. */
  taken: string[];
  /** Names of the models that the run has chosen (`modelKeyOf`), and the one that its maker speaks with. */
  models: string[];
  model: string;
}

/** An agent as it was made: its file, word for word, and what it is in the run; or all that is wrong with it. */
export type AgentMade = { text: string; agent: Agent } | { problems: string };

/** A tool as it was made: its text, and what it is in the run; or all that is wrong with it. */
export type ToolMade = { text: string; tool: CustomTool } | { problems: string };

/**
 * A workflow that an agent wants to make while a run runs: its name, and the rest of it as a map or as YAML.
 */
export interface WorkflowRequest {
  name: string;
  definition: JsonObject | string;
}

/** What bounds a workflow that is made. */
export interface WorkflowBounds extends Omit<AgentBounds, 'model'> {
  rules: Pick<MadeRules, 'kinds' | 'budgets'>;
  /** Agents that were made in the run before, by what their files would be called: it may name them. */
  agents: Record<string, string>;
}

/** A workflow as it was made: its text, its Plan, and the tool as which it is called; or all that is wrong with it. */
export type WorkflowMade = { text: string; plan: Plan; tool: MadeWorkflowTool } | { problems: string };

/** An agent that was made in a run, as it is stored; its hash names it. */
export interface MadeAgent {
  agent: Agent;
  /** The agent of the Plan that made it, itself or through others: what that may do bounds it. */
  by: Hash;
  /** Its file, from the project's root, and what that says. */
  file: string;
  text: string;
}

/** Where a step stands that runs what is made. */
export interface MakingPlace {
  /** The steps beside it, itself included. */
  block: Block;
  /** Another run gives its run the inputs. */
  isNested: boolean;
}

/**
 * What those may do, all of them together, who made what a step runs; `tools` is null where it is no agent's work. What
 * comes from another run or from around the block may be anybody's: then there are none.
 */
export function powersOfMakers(
  place: MakingPlace,
  step: PlanStep,
  agents: Record<string, Agent>,
): Pick<MadeRules, 'tools' | 'within'> {
  const makers = [...makersOf(place, rootsOf([step.source]), new Set())];
  if (makers.length === 0) return { tools: null };
  const sets = makers.map((hash) => toolsOf(agents[hash]));
  return {
    tools: (sets[0] ?? []).filter((tool) => sets.every((tools) => isAmong(tool, tools))),
    within: makers.flatMap((hash) => agents[hash]?.permissions ?? []),
  };
}

/**
 * Those that an agent uses; of a program, which has tools of its own, ours that it names without holding them to
 * commands.
 */
function toolsOf(agent: Agent | undefined): Tool[] {
  if (agent === undefined) return [];
  return agent.program === null
    ? (agent.uses ?? [])
    : BUILTIN_TOOLS.filter((name) => agent.tools.includes(name)).map((name) => ({ kind: 'builtin', name }));
}

/**
 * Tells whether a tool is one of these. A name says nothing: what is made may have been given that of any tool, and a
 * file or a server may have come to say something else.
 */
export function isAmong(tool: Tool, tools: Tool[]): boolean {
  return tools.some((other) => identityOf(other) === identityOf(tool));
}

/**
 * What tells a tool from others. Of agents and makers it is the name: what they may do is looked at by itself, and
 * another hash may be no more than other bounds.
 */
function identityOf(tool: Tool): string {
  switch (tool.kind) {
    case 'agent':
    case 'made':
      return `agent ${tool.name}`;
    case 'maker':
      return `maker ${tool.name}`;
    case 'builtin':
    case 'defined':
    case 'mcp':
    case 'provider':
    case 'custom':
    case 'workflow':
      return canonicalJson({ ...tool });
  }
}

/** Stands for somebody who is not known: has no tools. */
const ANYBODY = '';

/** Agents that said what these references come to; gates and computed values hand on what others said. */
function makersOf(place: MakingPlace, roots: string[], seen: Set<number>): Set<string> {
  const makers = new Set<string>();
  for (const root of roots) {
    if (isFromElsewhere(root, place)) makers.add(ANYBODY);
    for (const index of stepsNamed(root, place.block)) {
      const step = place.block.steps[index];
      if (step === undefined || seen.has(index)) continue;
      seen.add(index);
      const behind = step.kind === 'agent' ? [] : makersOf(place, rootsOfStep(step), seen);
      for (const hash of [...saidBy(step), ...behind]) makers.add(hash);
    }
  }
  return makers;
}

/** An item is of a list from around its body. */
function isFromElsewhere(root: string, { isNested }: MakingPlace): boolean {
  return root.startsWith(OUTER) || root === 'item' || (isNested && root.startsWith('input:'));
}

/** The steps of a block that a root names: one, one as it was in the round before, or the members of a group. */
function stepsNamed(root: string, { groups }: Block): number[] {
  const [, index] = /^(?:step|last):(\d+)/.exec(root) ?? [];
  if (index !== undefined) return [Number(index)];
  const [, group] = /^group:([^.]*)/.exec(root) ?? [];
  return group !== undefined && Object.hasOwn(groups, group) ? (groups[group] ?? []) : [];
}

function saidBy(step: Step): string[] {
  if (step.kind === 'agent') return [step.agent];
  if (step.kind === 'workflow' || step.kind === 'plan') return [ANYBODY];
  return isBlockStep(step) ? step.body.steps.flatMap(saidBy) : [];
}
