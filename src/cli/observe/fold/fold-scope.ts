import { bind, isInline } from '../../../plan/schedule/bindings.js';
import type { BindingSource } from '../../../plan/schedule/bindings.js';
import { restoreSchedule } from '../../../plan/schedule/carried-schedule.js';
import type { Binding } from '../../../plan/references/environment.js';
import { evaluate, isTrue, render } from '../../../plan/references/evaluate.js';
import type { Scope } from '../../../plan/references/evaluate.js';
import { OUTER, rootsOf } from '../../../plan/values/expression.js';
import type { Expression, Root, Template } from '../../../plan/values/expression.js';
import type { GateEnd } from '../../../plan/gates/gate.js';
import { joinPath, segmentOf } from '../../../plan/plan.js';
import type { Failures } from '../../../plan/result.js';
import type { Spend } from '../../../plan/budget/spend.js';
import { addSpend, NO_SPEND } from '../../../plan/budget/spend.js';
import type { ReadRunInput } from '../../../plan/run-input.js';
import type { CarriedBlock } from '../../../plan/schedule/carried.js';
import { createSchedule } from '../../../plan/schedule/schedule.js';
import type { StepEnd } from '../../../plan/schedule/schedule-state.js';
import type { BlockStep, Step } from '../../../plan/step.js';
import { isBlockStep } from '../../../plan/step.js';
import type { Value } from '../../../plan/values/value.js';
import { inline, isStored } from '../../../plan/values/value.js';
import { ownOf } from '../../../plan/values/own.js';

/** The steps of a run, of an item or of a round, as far as events have told of them. */
export interface FoldScope extends BindingSource {
  outer: FoldScope | null;
  /** The foreach or loop whose item or round this is; null for a run's own steps. */
  owner: BlockStep | null;
  /** Path below the root run. */
  path: string;
  single: boolean;
  /** Steps that have started, by index. */
  started: Map<number, Started>;
  /** Items and rounds that events told of, by the index of their step and their own. */
  inner: Map<number, Map<number, FoldScope>>;
  /** Running foreach and loop steps as they were when their run continued as new, by index. */
  before: Map<number, CarriedBlock>;
}

/** A step that has started. */
export interface Started {
  at: string;
  tries: number;
  lastFailure: string | null;
  /** What its failed tries spent. */
  spent: Spend;
  /** Workflows that its agent started and that failed in whole or in part. */
  below?: Failures;
  /**
   * Who chose that its device gets the last good image again: the step ends when it has, and asks again when it cannot.
   */
  restoring?: GateEnd | null;
  /** Why its nested run was cut off, where the run said so. */
  why?: string | undefined;
  /** How it ended, of a step whose commit is not there yet. */
  uncommitted?: StepEnd;
}

/** A step and the scope it stands in. */
export interface Spot {
  scope: FoldScope;
  step: Step;
}

/** The step at a path below a scope; null where the Plan has none. Opens the items and rounds on the way. */
export function locate(scope: FoldScope, segments: string[]): Spot | null {
  const step = scope.single
    ? scope.schedule.body.steps[0]
    : scope.schedule.body.steps.find((candidate) => segmentOf(candidate) === segments[0]);
  const [round, ...below] = scope.single ? segments : segments.slice(1);
  if (step === undefined) return null;
  if (round === undefined) return { scope, step };
  if (!isBlockStep(step) || !/^\d{1,9}$/.test(round)) return null;
  return locate(innerOf(scope, step, Number(round)), below);
}

/** A step's path below the root run. */
export function pathIn({ single, path }: FoldScope, step: Step): string {
  return single ? path : joinPath(path, segmentOf(step));
}

/** The scopes of a block step that events told of, in order. */
export function innersOf(scope: FoldScope, step: Step): FoldScope[] {
  return [...(scope.inner.get(step.index)?.values() ?? [])].sort((a, b) => (a.index ?? 0) - (b.index ?? 0));
}

/** The scope of an item or a round, made where nothing has told of it yet. */
export function innerOf(outer: FoldScope, owner: BlockStep, index: number): FoldScope {
  const known = outer.inner.get(owner.index) ?? new Map<number, FoldScope>();
  outer.inner.set(owner.index, known);
  const inner = known.get(index) ?? makeInner(outer, owner, index);
  known.set(index, inner);
  return inner;
}

/** The scope that an item or a round has before anything in it has started. */
export function makeInner(outer: FoldScope, owner: BlockStep, index: number): FoldScope {
  const { agents, input, unattended } = outer;
  return {
    agents,
    input,
    unattended,
    outer,
    owner,
    index,
    item: owner.kind === 'foreach' ? itemOf(outer, owner.items, index) : null,
    last: outer.inner.get(owner.index)?.get(index - 1)?.schedule ?? null,
    path: joinPath(pathIn(outer, owner), String(index)),
    single: owner.body.single,
    schedule: createSchedule(owner.body),
    started: new Map(),
    inner: new Map(),
    before: new Map(),
  };
}

/** Opens the items and rounds that had started and not ended when their run continued as new. */
export function openCarried(scope: FoldScope, step: BlockStep, block: CarriedBlock): void {
  const { open, last } = block;
  scope.before.set(step.index, block);
  for (const [index, carried] of Object.entries(open)) {
    const inner = innerOf(scope, step, Number(index));
    inner.schedule = restoreSchedule(step.body, carried);
    inner.last = last === null ? null : restoreSchedule(step.body, last);
  }
}

function itemOf(outer: FoldScope, items: Template, index: number): Binding | null {
  const list = valueOf(outer, items);
  if (list === null) return null;
  if (isStored(list)) return { item: list, at: index };
  return Array.isArray(list.value) ? inline(list.value[index] ?? null) : null;
}

/** How many items a foreach goes through; null when history alone does not tell. */
export function countOf(scope: FoldScope, items: Template): number | null {
  const list = valueOf(scope, items);
  if (list === null) return null;
  return isStored(list) ? (list.length ?? null) : Array.isArray(list.value) ? list.value.length : null;
}

/** What a template comes to, where no stored value has to be read for it; else null. */
export function valueOf(scope: FoldScope, template: Template): Value | null {
  const roots = rootsOf([template]);
  if (!roots.every((root) => isKnown(scope, root))) return null;
  const environment = bind(roots, scope);
  if (
    template.kind === 'expression' &&
    template.expression.kind === 'reference' &&
    template.expression.path.length === 0
  ) {
    const binding = environment[template.expression.root];
    if (binding !== undefined && ('value' in binding || 'ref' in binding)) return binding;
  }
  return isInline(environment) ? attempt(() => inline(render(template, inlineScope(environment)))) : null;
}

/** Tells whether a step's `when` holds; null when history alone does not tell. */
export function conditionIn(scope: FoldScope, { when }: Step): boolean | null {
  return when === null ? true : holdsIn(scope, when);
}

/** Tells whether a condition holds in a scope; null when history alone does not tell. */
export function holdsIn(scope: FoldScope, condition: Expression): boolean | null {
  const roots = rootsOf([{ kind: 'expression', expression: condition }]);
  if (!roots.every((root) => isKnown(scope, root))) return null;
  const environment = bind(roots, scope);
  return isInline(environment) ? attempt(() => isTrue(evaluate(condition, inlineScope(environment)))) : null;
}

/** A `set` step always has an output: where it has none, history did not tell it. */
function isKnown(scope: FoldScope, root: Root): boolean {
  if (root.startsWith(OUTER)) return scope.outer === null || isKnown(scope.outer, root.slice(OUTER.length));
  const [, where, index = ''] = /^(step|last):(\d+)\./.exec(root) ?? [];
  const schedule = where === 'last' ? scope.last : scope.schedule;
  if (where === undefined || !schedule) return true;
  const result = schedule.steps[Number(index)];
  return !(
    schedule.body.steps[Number(index)]?.kind === 'set' &&
    result?.status === 'success' &&
    result.output === null
  );
}

function inlineScope(environment: Scope['environment']): Scope {
  const stored = (): never => {
    throw new Error('stored');
  };
  return { environment, load: stored, text: (text) => (typeof text === 'string' ? text : stored()) };
}

function attempt<T>(compute: () => T): T | null {
  try {
    return compute();
  } catch {
    return null; // a long text of the Plan stands in the store
  }
}

/** What a step had spent before the run continued as new: its tries, and its conversation as far as it had come. */
export function spentBefore({ carried }: Pick<ReadRunInput, 'carried'>, path: string): Spend {
  return addSpend(
    ownOf(carried?.tried, path)?.spent ?? NO_SPEND,
    ownOf(carried?.conversations, path)?.spend ?? NO_SPEND,
  );
}
