import { fits } from '../../plan/agents/recorded-answers.js';
import type { Stub } from '../../plan/agents/recorded-answers.js';
import type { Plan } from '../../plan/plan.js';
import { joinPath, segmentOf } from '../../plan/plan.js';
import { rootsOfStep } from '../../plan/references/step-references.js';
import type { Block, Step } from '../../plan/step.js';
import { isBlockStep } from '../../plan/step.js';
import { isObject } from '../../plan/values/json.js';
import type { Expression } from '../../plan/values/expression.js';
import { rootsOf } from '../../plan/values/expression.js';
import { didYouMean, meansPerhaps } from '../../compiler/problems/did-you-mean.js';
import type { Report } from '../../compiler/problems/problem.js';
import type { Compiled } from '../submit/prepare.js';
import { graphWithSteps } from '../render/plan/authored-graph.js';
import type { WrittenStub } from './stub-form.js';

/** A step that may run, with `*` in its path for the numbers of items and rounds. */
export interface PlacedStep {
  path: string;
  step: Step;
  /** What it gives is looked at by another step, or by a condition. Gates, where nobody looks, do not count. */
  isRead: boolean;
  /** What a flow calls it: its variable, else its gate, else its agent. */
  name?: string;
}

/** Steps that ask or act. */
const STUBBED = new Set<Step['kind']>(['agent', 'command', 'tool', 'approval', 'ask', 'compile', 'flash', 'serial']);

/** Every step that a run of a Plan may come to, those of blocks and nested workflows too; blocks stand for none. */
export function stepsOf({ plan, texts }: Pick<Compiled, 'plan' | 'texts'>): PlacedStep[] {
  const steps = [...stepsIn(plan, plan, '')];
  const names = namesIn({ plan, texts });
  return steps.map((placed) => {
    const name = names.get(placed.path);
    return name === undefined ? placed : { ...placed, name };
  });
}

function* stepsIn(block: Block, plan: Plan, below: string, until: Expression | null = null): Generator<PlacedStep> {
  // What the whole yields is compared where a test says so.
  const read = readIn(below === '' ? { ...block, output: null } : block, until);
  for (const step of block.steps) {
    const path = joinPath(below, segmentOf(step));
    if (isBlockStep(step)) {
      const inside = joinPath(path, '*');
      const [only] = step.body.steps;
      if (!step.body.single || only === undefined)
        yield* stepsIn(step.body, plan, inside, step.kind === 'loop' ? step.until : null);
      else yield { path: inside, step: only, isRead: read.has(step.index) };
    } else if (step.kind === 'workflow') {
      const nested = plan.nested[step.plan];
      if (nested !== undefined) yield* stepsIn(nested, plan, path);
    } else yield { path, step, isRead: read.has(step.index) };
  }
}

/** Indexes of the steps of a block that its other steps, or its own output and end, look at. */
function readIn(block: Block, until: Expression | null): Set<number> {
  const roots = block.steps.flatMap((step) => (step.kind === 'approval' ? [] : rootsOfStep(step)));
  const own = rootsOf([
    ...(block.output === null ? [] : [block.output]),
    ...(until === null ? [] : [{ kind: 'expression' as const, expression: until }]),
  ]);
  return new Set(
    [...roots, ...own].flatMap((root) => {
      const [, index] = /^(?:step|last):(\d+)/.exec(root) ?? [];
      return index === undefined ? [] : [Number(index)];
    }),
  );
}

/** What a flow calls its steps, by their paths; of other definitions none. */
function namesIn(compiled: Pick<Compiled, 'plan' | 'texts'>): Map<string, string> {
  const names = new Map<string, string>();
  for (const { path, variable, gate, agent } of nodesOf(compiled)) {
    const name = variable ?? gate ?? agent;
    if (name !== undefined) names.set(path, name);
  }
  return names;
}

interface FlowNode {
  path: string;
  variable?: string | undefined;
  gate?: string | undefined;
  agent?: string | undefined;
}

function nodesOf(compiled: Pick<Compiled, 'plan' | 'texts'>): FlowNode[] {
  const drawn = graphWithSteps(compiled);
  const nodes = drawn?.graph['nodes'];
  if (drawn === null || !Array.isArray(nodes)) return [];
  return nodes.filter(isObject).flatMap((node) => {
    const way = drawn.steps.get(String(node['id']));
    if (way === undefined) return [];
    const textAt = (key: string): string | undefined => (typeof node[key] === 'string' ? node[key] : undefined);
    return [
      { path: pathAt(compiled.plan, way), variable: textAt('outputVar'), gate: textAt('name'), agent: textAt('agent') },
    ];
  });
}

function pathAt(block: Block, [index = 0, ...rest]: number[]): string {
  const step = block.steps[index];
  if (step === undefined) throw new Error('The graph of a flow names a step that its Plan does not have.');
  const own = segmentOf(step);
  return rest.length === 0 || !isBlockStep(step) ? own : joinPath(joinPath(own, '*'), pathAt(step.body, rest));
}

/** The stubs as a run is given them: each names a step that may run, or is reported. */
export function placeStubs(
  written: WrittenStub[],
  compiled: Pick<Compiled, 'plan' | 'texts'>,
  report: Report,
): { stub: Stub; written: WrittenStub }[] {
  const steps = stepsOf(compiled);
  const nodes = nodesOf(compiled);
  return written.flatMap((one) => {
    const paths = pathsOf(one.key, steps, nodes);
    if (paths.length === 0) reportUnknown(one, { steps, nodes, compiled }, report);
    return paths.map((step) => ({ stub: { step, ...one.end }, written: one }));
  });
}

function pathsOf(key: string, steps: PlacedStep[], nodes: FlowNode[]): string[] {
  const isOne = ({ path, step }: PlacedStep): boolean =>
    (STUBBED.has(step.kind) && fitsKey(key, path)) || (step.kind === 'plan' && key.startsWith(`${path}/`));
  if (steps.some(isOne)) return [key];
  const name = key.replace(/^[@$]/, '');
  const named = (what: (node: FlowNode) => boolean): string[] => nodes.filter(what).map(({ path }) => path);
  const found = named(({ variable }) => variable === name);
  if (found.length > 0) return found;
  const gates = named(({ gate }) => gate === name);
  return gates.length > 0 ? gates : named(({ variable, agent }) => variable === undefined && agent === name);
}

/** A key has a number or `*` where the step's path has `*`. */
function fitsKey(key: string, path: string): boolean {
  return (
    key === path ||
    fits(path, key) ||
    fits(
      path,
      key
        .split('/')
        .map((segment) => (segment === '*' ? '0' : segment))
        .join('/'),
    )
  );
}

interface Known {
  steps: PlacedStep[];
  nodes: FlowNode[];
  compiled: Pick<Compiled, 'plan'>;
}

function reportUnknown({ key, at }: WrittenStub, { steps, nodes, compiled }: Known, report: Report): void {
  const names = nodes.flatMap(({ variable, gate }) => [variable, gate].filter((name) => name !== undefined));
  const paths = steps.filter(({ step }) => STUBBED.has(step.kind)).map(({ path }) => path);
  const within = paths.find((path) => path.startsWith(`${key}/`)) ?? paths.find((path) => path.endsWith(`/${key}`));
  report({
    code: 'unknown-step',
    at,
    message: `\`${compiled.plan.name}\` has no step \`${key}\` that asks or acts.`,
    suggestion: within === undefined ? didYouMean(key, [...new Set([...names, ...paths])]) : meansPerhaps(within),
  });
}
