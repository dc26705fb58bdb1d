import { PLAN_BYTES } from '../../plan/plan.js';
import type { Step } from '../../plan/step.js';
import type { BlockContext, BlockSource, CompiledBlock } from './block.js';
import { compileStep } from './compile-step.js';
import { checkDeciders, checkReworks } from './check-rework.js';
import { checkStepCycle } from './cycles.js';
import type { EdgeStep } from './edges.js';
import { countEdges, edgesOf } from './edges.js';
import type { ReadStep } from '../formats/read-step.js';
import { saidOf } from '../formats/read-step.js';
import { inspectStep } from './inspect-step.js';
import { afterOf, needsOf } from './needs.js';
import type { Report } from '../problems/problem.js';
import type { Node } from '../text/node.js';
import { keyOf, memberOf } from '../text/node.js';
import { warnOfSpelling } from '../text/written-number.js';
import { compileRepeated, layersOf } from './repeat.js';
import type { Names } from '../expressions/scope.js';
import type { StepContext } from '../steps/base.js';
import type { TemplateContext } from '../expressions/template.js';
import { compileTemplate } from '../expressions/template.js';
import { usesOfStep } from '../expressions/references.js';

/** What references mean at a step of a scope, or (null) after all its steps. */
export function templatesAt(
  names: Names,
  at: number | null,
  { report, texts, scope }: Pick<BlockContext, 'report' | 'texts' | 'scope'>,
): TemplateContext {
  return { resolve: scope(names, at, report), report, texts };
}

/** Compiles the steps of one scope, and what is inside them. */
export function compileBlock(source: BlockSource, context: BlockContext): CompiledBlock {
  const { names, nodes, output } = source;
  if (output !== null) warnOfSpelling(output, context.report);
  const memo = names.outer === null ? context.memo?.of(names, context) : undefined;
  const steps = source.steps.map((read, index) => {
    const compile = (inside: BlockContext): Step | null => compileOne(read, index, source, inside);
    return memo === undefined ? compile(context) : memo(read, index, compile);
  });
  return {
    steps,
    groups: Object.fromEntries(names.groups),
    output: output && compileTemplate(output, templatesAt(names, null, context)),
    ordered: addEdges(
      steps,
      nodes.map((node, index) => ({
        needs: needsOf(node, index, names, context.report),
        after: afterOf(node, index, names, context.report),
      })),
      source,
      context,
    ),
  };
}

function compileOne(read: ReadStep, index: number, { names, nodes }: BlockSource, context: BlockContext): Step | null {
  const written = nodes[index] ?? read.node;
  const contextAt = (scope: Names, at: number, node: Node): StepContext => ({
    ...context,
    index: at,
    mode: scope.mode,
    node,
    faulty: read.faulty,
    templates: templatesAt(scope, at, context),
    hoist: (wanted) => context.hoist(wanted, { names: scope, at: memberOf(node, 'workflow') ?? node }),
  });
  const step = compileRepeated({
    read,
    written,
    layers: layersOf(written),
    names,
    index,
    contextAt,
    compileOnly: (only) => {
      if (read.authored !== null) return compileStep(read.authored, only);
      if (read.block === null) inspectStep(only);
      return null;
    },
    compileBody: (body) => compileBlock(body, context),
  });
  if (step === null || index < names.ordinary) return step;
  return { ...step, always: true, on_error: saidOf(read)?.on_error ?? 'continue' };
}

/** Writes `needs` into the steps; false when they wait for each other, or are too many. */
function addEdges(
  steps: (Step | null)[],
  named: { needs: number[]; after: number[] }[],
  { nodes, names, at }: BlockSource,
  context: BlockContext,
): boolean {
  const { report } = context;
  const edgeSteps = steps.map((step, index): EdgeStep => {
    const { needs = [], after = [] } = named[index] ?? {};
    return { group: groupOf(nodes[index]), needs, after, uses: step === null ? [] : usesOfStep(step) };
  });
  // The shortest edge takes 22 bytes of the Plan.
  if (countEdges(edgeSteps, names) > PLAN_BYTES / 22) {
    report({
      code: 'plan-too-large',
      at: keyOf(at, ''),
      message: 'The steps depend on each other in too many ways: the Plan would have more than 1 MiB.',
    });
    return false;
  }
  const edges = edgesOf(edgeSteps, names);
  steps.forEach((step, index) => {
    if (step !== null) step.needs = edges[index] ?? [];
  });
  const isDecided = checkDeciders(steps, nodes, report) && checkCommitsOf(steps, nodes, report);
  return checkStepCycle(edges, nodes, report) && checkReworks(steps, nodes, context) && isDecided;
}

/** Of a step without `commit` nothing is left to commit. */
function checkCommitsOf(steps: (Step | null)[], nodes: Node[], report: Report): boolean {
  const faults = steps.flatMap((step) => {
    const of = step?.commit_of;
    const named = of === undefined ? undefined : steps.find((one) => one?.id === of);
    return step !== null && named && named.commit === undefined ? [{ step, of }] : [];
  });
  for (const { step, of } of faults) {
    const written = nodes[step.index];
    const commit = written && memberOf(written, 'commit');
    if (!commit) continue;
    const message = `The step \`${of}\` has no \`commit\`, so it has no work tree of its own.`;
    report({ code: 'missing-key', at: memberOf(commit, 'of') ?? commit, message });
  }
  return faults.length === 0;
}

function groupOf(node: Node | undefined): string | null {
  const group = node && memberOf(node, 'parallel_group')?.value;
  return typeof group === 'string' ? group : null;
}
