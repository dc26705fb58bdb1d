import type { BindingSource } from '../../plan/schedule/bindings.js';
import { bind } from '../../plan/schedule/bindings.js';
import { isTrue, render } from '../../plan/references/evaluate.js';
import { OUTER, rootsOf } from '../../plan/values/expression.js';
import type { Expression, Root, Template } from '../../plan/values/expression.js';
import type { Json } from '../../plan/values/json.js';
import type { Plan, PlanBody } from '../../plan/plan.js';
import type { RunSettings } from '../../plan/run-input.js';
import { createSchedule } from '../../plan/schedule/schedule.js';
import type { AgentStep, Block, CommandStep, Step, ToolStep } from '../../plan/step.js';
import type { Hash, Value } from '../../plan/values/value.js';
import type { Store } from '../../store/store.js';
import { createScope } from '../values/template-scope.js';

/**
 * What a rerun does about one step; `path` is below the root run. Of what nobody can look into before it runs, the path
 * of the whole stands: of a foreach whose items are not known, of a loop's later rounds, of a made workflow.
 */
export interface Forecast {
  path: string;
  /**
   * - `reuse`: the journal has its result for the same content.
   * - `run`: it has none.
   * - `may_run`: it depends on a step that runs, or on files that one may change, and is reused where that comes to the
   *   same; or its condition is not known.
   * - `ask`: people are asked anew.
   * - `refuse`: an external effect has happened there, and it is given something else now.
   */
  action: 'reuse' | 'run' | 'may_run' | 'ask' | 'refuse';
}

/** Where a rerun is foretold: nothing is started, nothing is written but values that are too big to be inline. */
export interface ForecastInput {
  store: Store;
  plan: Plan;
  input: Record<string, Value>;
  settings: RunSettings;
}

/** Steps that run together, with what is known of them from the journal. */
export interface KnownScope extends BindingSource, ForecastInput {
  told: Forecast[];
  /** What is told of steps that run, or may, and may change files then. */
  changing: Forecast[];
  outer: KnownScope | null;
  body: PlanBody;
  nested: Hash | null;
  path: string;
  /** Indexes of the blocks around it, as the interpreter finds its steps. */
  blockPath: number[];
  single: boolean;
  /** Steps and inputs whose value nobody knows before the rerun. */
  unknown: Set<number>;
  unknownInputs: Set<string>;
}

/** An output that the journal proves; null is none, undefined one that nobody knows. */
export type Known = Value | null | undefined;

/** A step that acts by itself: its result may be taken over. */
export type Acting = AgentStep | CommandStep | ToolStep;

/** A step and its path. */
export interface Placed<S extends Step> {
  step: S;
  path: string;
}

/** The part of a scope that begins with its block. */
export function startOf(block: Block): Pick<KnownScope, 'schedule' | 'unknown'> {
  return { schedule: createSchedule(block), unknown: new Set() };
}

/** Tells whether all that these references name is known. */
export function areKnown(roots: Iterable<Root>, scope: KnownScope): boolean {
  return [...roots].every((root) => isKnown(root, scope));
}

function isKnown(root: Root, scope: KnownScope): boolean {
  if (root.startsWith(OUTER)) return scope.outer === null || isKnown(root.slice(OUTER.length), scope.outer);
  if (root.startsWith('input:')) return !scope.unknownInputs.has(root.slice('input:'.length));
  const [, kind = '', name = ''] = /^(step|group):([^.]+)/.exec(root) ?? [];
  if (kind === 'group') return (scope.schedule.body.groups[name] ?? []).every((member) => !scope.unknown.has(member));
  return kind === '' || !scope.unknown.has(Number(name));
}

async function valueOf(scope: KnownScope, template: Template): Promise<Json> {
  const environment = await createScope(scope.store, bind(rootsOf([template]), scope), [template]);
  return render(template, environment);
}

/** The value of a template all of whose operands are known. */
export async function knownValue(scope: KnownScope, template: Template): Promise<Known> {
  return areKnown(rootsOf([template]), scope) ? scope.store.put(await valueOf(scope, template)) : undefined;
}

/** Tells whether a condition holds; undefined where nobody knows. */
export async function holds(scope: KnownScope, expression: Expression): Promise<boolean | undefined> {
  const template: Template = { kind: 'expression', expression };
  return areKnown(rootsOf([template]), scope) ? isTrue(await valueOf(scope, template)) : undefined;
}
