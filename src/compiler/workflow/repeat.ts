import type { Expression, Template } from '../../plan/values/expression.js';
import { OUTER, rootsOf } from '../../plan/values/expression.js';
import type { Body, Step, StepBase } from '../../plan/step.js';
import { describe } from '../text/check.js';
import type { BlockSource, CompiledBlock } from './block.js';
import { soundBlock } from './block.js';
import type { ReadStep } from '../formats/read-step.js';
import { saidOf } from '../formats/read-step.js';
import { collectNames, namesOfOne } from '../expressions/collect-names.js';
import type { Node } from '../text/node.js';
import { memberOf, without } from '../text/node.js';
import { warnOfSpelling } from '../text/written-number.js';
import type { Names } from '../expressions/scope.js';
import type { StepContext } from '../steps/base.js';
import { baseOf, NO_LIMIT_MS, usualPolicy } from '../steps/base.js';
import { compileCondition, compileTemplate, expressionMeantBy, isFaulty } from '../expressions/template.js';

/** What makes a step run again, from the outside in: `foreach` over `loop`. */
export type Layer = 'foreach' | 'loop';

const LAYERS: Layer[] = ['foreach', 'loop'];

/** What a step says of running again. */
export function layersOf(written: Node): Layer[] {
  return LAYERS.filter((layer) => memberOf(written, layer) !== null);
}

/** One authored step, and what it takes to compile it. */
export interface Repeating {
  read: ReadStep;
  /** The step as it is written, with its faults. */
  written: Node;
  layers: Layer[];
  /** Where it stands. */
  names: Names;
  index: number;
  contextAt: (names: Names, at: number, node: Node) => StepContext;
  /** Compiles the step itself, without what makes it run again. */
  compileOnly: (context: StepContext) => Step | null;
  compileBody: (body: BlockSource) => CompiledBlock;
}

/** A step, inside all that makes it run again; null when it has problems. */
export function compileRepeated(step: Repeating): Step | null {
  return compileLayer(step, step.layers, true);
}

/** `conditional`: whether the step's `when` is to be looked at here; further out it has been. */
function compileLayer(step: Repeating, layers: Layer[], conditional: boolean): Step | null {
  const [layer, ...inside] = layers;
  const compiled =
    layer === undefined
      ? step.compileOnly(contextOf(step, conditional))
      : compileAround(step, layer, inside, conditional);
  // Inside a layer the step is a body's only one: what else it says holds for all of it, further out.
  return compiled === null || layers.length === step.layers.length ? compiled : { ...compiled, ...ONLY };
}

const ONLY = {
  index: 0,
  id: null,
  needs: [],
  parallel_group: null,
  on_error: 'stop',
  deadline_ms: null,
} satisfies Partial<StepBase>;

function contextOf({ read, names, index, contextAt }: Repeating, conditional: boolean): StepContext {
  return contextAt(names, index, conditional ? read.node : without(read.node, 'when'));
}

function compileAround(step: Repeating, layer: Layer, inside: Layer[], conditional: boolean): Step | null {
  const names = bodyNames(step, layer, inside);
  const condition = conditional && layer === 'foreach' ? itemCondition(step, names) : null;
  const context = contextOf(step, conditional && condition === null);
  const hasSteps = step.read.block !== null && inside.length === 0;
  const body = hasSteps
    ? compileSteps(step, names, condition)
    : single(compileLayer({ ...step, names, index: 0 }, inside, condition !== null));
  const repeat = layer === 'foreach' ? foreachOf(step, context) : loopOf(step, names, context);
  const said = saidOf(step.read);
  if (body === null || repeat === null || said === null) return null;
  const { commit, ...base } = baseOf(said, context);
  // Each item of a step without `steps` is a commit of its own; whatever else runs again is one as a whole.
  const isOne = commit !== undefined && !(layer === 'foreach' && body.single);
  return { ...base, ...(isOne ? { commit } : {}), ...usualPolicy(1, NO_LIMIT_MS), ...repeat, body };
}

function single(step: Step | null): Body | null {
  return step && { steps: [step], groups: {}, output: null, single: true };
}

function bodyNames({ read, written, names, index, contextAt }: Repeating, layer: Layer, inside: Layer[]): Names {
  const { report } = contextAt(names, index, written);
  const around = { inputs: names.inputs, outer: { names, at: index }, repeats: layer } as const;
  if (read.block === null || inside.length > 0) return namesOfOne(written, { ...around, mode: 'sequential' });
  const stepNodes = memberOf(written, 'steps')?.items ?? [];
  return collectNames({
    ...around,
    mode: read.block.authored?.execution ?? 'sequential',
    stepNodes,
    ordinary: stepNodes.length,
    report,
  });
}

function compileSteps(
  { read, written, compileBody }: Repeating,
  names: Names,
  condition: Expression | null,
): Body | null {
  const block = soundBlock(
    compileBody({
      steps: read.block?.steps ?? [],
      nodes: memberOf(written, 'steps')?.items ?? [],
      names,
      output: memberOf(written, 'yields'),
      at: memberOf(written, 'steps') ?? written,
    }),
  );
  return (
    block && {
      ...block,
      steps: condition === null ? block.steps : block.steps.map((inner) => onlyWhen(condition, inner)),
      single: false,
    }
  );
}

/** A condition of an item is one of each step that the item runs. */
function onlyWhen(condition: Expression, step: Step): Step {
  return {
    ...step,
    when: step.when === null ? condition : { kind: 'binary', operator: '&&', left: condition, right: step.when },
  };
}

/** The step's `when` where it is about the item; null where it is about the step as a whole, or there is none. */
function itemCondition({ read, names, index, contextAt }: Repeating, body: Names): Expression | null {
  const when = memberOf(read.node, 'when');
  if (when === null) return null;
  const context = contextAt(names, index, read.node);
  const silent = { resolve: context.scope(body, 0, () => undefined), report: () => undefined, texts: context.texts };
  const condition = compileCondition(when, silent);
  const roots = condition === null ? [] : rootsOfExpression(condition);
  const isOfRound = roots.includes('index');
  if (!isOfRound && !roots.includes('item')) return null;
  const around = isOfRound ? repeatAround(names) : null;
  if (around !== null)
    context.report({
      code: 'hidden-index',
      severity: 'warning',
      at: when,
      message:
        '`index` is the number of the item here, as this `when` is about each item. That of the ' +
        `${around === 'loop' ? 'round' : 'item'} around cannot be seen.`,
      suggestion:
        `where that of the ${around === 'loop' ? 'round' : 'item'} is meant, keep it in a step before: ` +
        '`set: {number: "${index}"}`',
    });
  return compileCondition(when, { ...context.templates, resolve: context.scope(body, 0, context.report) });
}

/** What runs a scope again, or the nearest one around it that is run again. */
function repeatAround(names: Names): Layer | null {
  return names.repeats ?? (names.outer && repeatAround(names.outer.names));
}

function rootsOfExpression(expression: Expression): string[] {
  return rootsOf([{ kind: 'expression', expression }]);
}

type Repeat =
  | Pick<Extract<Step, { kind: 'foreach' }>, 'kind' | 'items' | 'max_parallel'>
  | Pick<Extract<Step, { kind: 'loop' }>, 'kind' | 'until' | 'max' | 'at_max'>;

function foreachOf({ read }: Repeating, { node, templates, report }: StepContext): Repeat | null {
  const foreach = memberOf(node, 'foreach');
  const said = saidOf(read)?.foreach;
  if (foreach === null || said === undefined) return null;
  const isMap = typeof said === 'object' && !Array.isArray(said);
  const at = isMap ? (memberOf(foreach, 'items') ?? foreach) : foreach;
  const items = compileTemplate(at, templates);
  if (typeof at.value === 'string' && isFaulty(items)) return null;
  warnOfSpelling(at, report);
  if (isList(items)) return { kind: 'foreach', items, max_parallel: isMap ? (said.max_parallel ?? null) : null };
  const meant = expressionMeantBy(at.value);
  report({
    code: 'invalid-value',
    at,
    message: `Expected a list, or one \`\${…}\` that gives one; got ${describe(at.value)}.`,
    suggestion: meant === null ? null : `write "${meant}"`,
  });
  return null;
}

/** Tells whether a template may give a list; what it gives is known when it runs. */
function isList(template: Template): boolean {
  if (template.kind === 'literal') return Array.isArray(template.value);
  return template.kind === 'expression' || template.kind === 'list';
}

function loopOf({ read }: Repeating, body: Names, { node, templates, report, scope }: StepContext): Repeat | null {
  const loop = memberOf(node, 'loop');
  const said = saidOf(read)?.loop;
  const at = loop && memberOf(loop, 'until');
  if (at === null || said === undefined) return null;
  let slipped = false;
  const resolve = scope(body, null, (finding) => {
    slipped ||= finding.code === 'near-input';
    report(finding);
  });
  const until = compileCondition(at, { ...templates, resolve });
  if (until === null) return null;
  if (!slipped && !rootsOfExpression(until).some((root) => !root.startsWith(OUTER) && !root.startsWith('input:'))) {
    const suggestion = 'refer to a step of the loop, or to `index`';
    report({
      code: 'constant-until',
      severity: 'warning',
      at,
      message: 'No round of the loop can change this condition.',
      suggestion,
    });
  }
  return { kind: 'loop', until, max: said.max, at_max: said.at_max ?? 'error' };
}
