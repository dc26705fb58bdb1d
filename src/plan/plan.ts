import type { Budgets, Limit } from './budget/budgets.js';
import type { Autonomy } from './gates/autonomy.js';
import type { ExhaustionPolicy } from './budget/exhaustion.js';
import type { WorkTreeSpec } from './worktree.js';
import type { Agent, Block, Body, InputSpec, Step } from './step.js';
import { everyStep } from './step.js';
import type { Hash, Text } from './values/value.js';

/** Raised by one when a Plan of the old form can no longer be run. */
export const PLAN_VERSION = 1;

/** A Plan's JSON may have at most this many bytes; above it is a problem (I2). */
export const PLAN_BYTES = 1024 * 1024;

/** A definition that is a text only, until a person promotes it. */
export interface MadeText {
  kind: 'agent' | 'workflow' | 'tool';
  name: string;
  /** How its file would end. */
  ending: 'yml' | 'agent';
  text: Text;
}

/** One workflow in normal form: every mode and group has become `needs` (I3). */
export interface PlanBody extends Block {
  name: string;
  description: Text | null;
  /** Everything the workflow may be given, declared or found; `undeclared` ones carry type `any`. */
  inputs: Record<string, InputSpec>;
  budgets: Budgets;
  /** Limits that stay unset where nobody sets them; absent where every default applies (workflow files). */
  no_default?: Limit[];
  /** What happens at these limits, where the definition chooses. */
  on_exhausted?: ExhaustionPolicy;
  /** When its steps, and those that it nests, wait for a person, beside what the project says. */
  autonomy?: Autonomy;
  /** Steps of its runs wait until what they came to is on the disk. */
  durability?: 'synced';
  /** Where its runs work, when that is not the project's folder. */
  workspace?: WorkTreeSpec;
  /** Whoever watches a run is told of it in a few words. */
  narrate?: true;
  /** What a client made of it, word for word: its first gate shows just that. */
  made?: MadeText[];
  /**
   * The graph that the authored format draws of itself, as JSON: flows have one. Beside `nodes`, `edges` and
   * `variables` it has `steps`: by a node's id the indexes that lead to its step, through the loops around it.
   */
  graph?: Text;
}

/**
 * Closed and versioned: every agent and nested workflow it may use is inside (I2).
 * `hash` is the SHA-256 of the canonical JSON of all other fields. A nested body's key is the hash of the Plan that
 * compiling its file alone would give, so the same workflow has one name wherever it is used.
 */
export interface Plan extends PlanBody {
  planVersion: typeof PLAN_VERSION;
  hash: Hash;
  agents: Record<Hash, Agent>;
  nested: Record<Hash, PlanBody>;
}

/** Every step of a Plan: its own and those of all that it nests, with the bodies inside. */
export function* everyStepOf(plan: Plan): Generator<Step> {
  for (const body of [plan, ...Object.values(plan.nested)]) yield* everyStep(body);
}

/** The Plan that a nested run gets: its own body, and only what that reaches. */
export function nestedPlan(plan: Plan, hash: Hash): Plan {
  const agents: Plan['agents'] = {};
  const nested: Plan['nested'] = {};
  const body = plan.nested[hash];
  if (body === undefined) throw new Error(`The plan has no nested workflow ${hash}`);
  const reach = (reached: PlanBody): void => {
    for (const step of everyStep(reached)) {
      if (step.kind === 'agent') keepAgent(step.agent);
      if (step.kind === 'workflow' && copy(plan.nested, nested, step.plan)) reach(nested[step.plan] as PlanBody);
    }
  };
  // An agent's toolsets may be other agents.
  const keepAgent = (key: Hash): void => {
    if (!copy(plan.agents, agents, key)) return;
    const { toolsets = [], uses = [] } = plan.agents[key] ?? {};
    for (const tool of uses) if (tool.kind === 'agent') keepAgent(tool.agent);
    // a key of `agents`
    for (const [other, { name }] of Object.entries(plan.agents)) if (toolsets.includes(name)) keepAgent(other as Hash);
  };
  reach(body);
  return { planVersion: plan.planVersion, hash, ...body, agents, nested };
}

/** Copies one entry; false when it was there already. */
function copy<T>(from: Record<string, T>, to: Record<string, T>, key: string): boolean {
  const value = from[key];
  if (value === undefined) throw new Error(`The plan does not contain ${key}`);
  if (Object.hasOwn(to, key)) return false;
  to[key] = value;
  return true;
}

/** Tells whether the one step of a block adds no segment to its path, which is that of its item or round. */
export function isSingle(block: Block | Body): boolean {
  return 'single' in block && block.single;
}

/** The step of a block that a segment of a path names. */
export function stepNamed(block: Block | Body, segment: string): Step | undefined {
  return isSingle(block) ? block.steps[0] : block.steps.find((step) => segmentOf(step) === segment);
}

/** The segment that stands for a step in paths: its id, else its index (decision 1). */
export function segmentOf(step: Pick<Step, 'id' | 'index'>): string {
  return step.id ?? String(step.index);
}

/** A step's path below its root run: `report`, `review/report`. */
export function joinPath(path: string, segment: string): string {
  return path === '' ? segment : `${path}/${segment}`;
}
