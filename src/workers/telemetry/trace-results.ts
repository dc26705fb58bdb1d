import { spanId, spanParts } from '../../activities/attempt/trace-context.js';
import type { Plan, PlanBody } from '../../plan/plan.js';
import { joinPath, segmentOf } from '../../plan/plan.js';
import type { RoundResult, RunRecord, StepResult } from '../../plan/result.js';
import type { Block, Step } from '../../plan/step.js';
import { isBlockStep } from '../../plan/step.js';
import type { Value } from '../../plan/values/value.js';
import type { Store } from '../../store/store.js';
import { loadValue } from '../../store/transcript.js';
import { roundAttributes, runAttributes, stepAttributes, stepName } from './attributes.js';
import type { Span } from './span.js';

/** What is found of a tree of runs: its spans so far, and where in it each path stands. */
export interface TraceTree {
  store: Store;
  spans: Span[];
  /** Spans of runs, steps and rounds by `placeName`: what stands innermost there. */
  places: Map<string, Span>;
  /** Scopes of journals, each with the run whose try it is, or the step that had other tries. */
  scopes: Map<string, Span>;
  /** Records of nested runs that have left one, by path. */
  records: Map<string, RunRecord>;
}

/** A body whose results are read, and where it stands. */
interface Place {
  plan: Plan;
  body: Block;
  path: string;
  /** Scope of the journal. */
  scope: string;
  parent: Span;
}

/** Adds the spans of a run by its record, with all that is nested in it. */
export async function addRun(
  tree: TraceTree,
  record: RunRecord,
  { path, scope, parent }: { path: string; scope: string; parent: string | null },
): Promise<void> {
  const plan = await tree.store.getPlan(record.plan);
  const span: Span = {
    id: spanId(scope, spanParts.run(path)),
    parent,
    name: `invoke_workflow ${record.plan_name}`,
    kind: 'internal',
    start: Date.parse(record.started_at),
    end: Date.parse(record.ended_at),
    attributes: runAttributes(record, plan),
    ...(record.status === 'success' || record.status === 'partial' ? {} : { failure: record.status }),
  };
  add(tree, path, { span, scope });
  await addSteps(tree, { plan, body: plan, path, scope, parent: span }, await listOf(tree, record.pages));
}

/** Where a path is in a tree in which a nested run may have been tried again. */
export function placeName(scope: string, path: string): string {
  return `${scope}\n${path}`;
}

function add(tree: TraceTree, path: string, { span, scope }: { span: Span; scope: string }): void {
  tree.spans.push(span);
  tree.places.set(placeName(scope, path), span);
  if (!tree.scopes.has(scope)) tree.scopes.set(scope, span);
}

async function addSteps(tree: TraceTree, place: Place & { single?: boolean }, results: StepResult[]): Promise<void> {
  for (const result of results) {
    const step = place.body.steps[result.step_index];
    // What did not start is no part of a trace.
    if (step === undefined || result.started_at === undefined) continue;
    const path = place.single === true ? place.path : joinPath(place.path, segmentOf(step));
    const span: Span = {
      id: spanId(place.scope, spanParts.step(path)),
      parent: place.parent.id,
      name: stepName(step, result),
      kind: 'internal',
      start: result.started_at,
      end: result.started_at + result.duration_ms,
      attributes: stepAttributes(step, result, path),
      ...(result.status === 'success' || result.status === 'skipped'
        ? {}
        : { failure: result.failure ?? result.status }),
    };
    add(tree, path, { span, scope: place.scope });
    if (isBlockStep(step)) await addRounds(tree, { ...place, body: step.body, path, parent: span }, result.pages);
    else await addNested(tree, step, result, { ...place, path, parent: span });
  }
}

async function addRounds(tree: TraceTree, place: Place & { body: Block & { single: boolean } }, pages: Value[]) {
  const { single } = place.body;
  for (const round of await listOf<RoundResult>(tree, pages)) {
    const { index, started_at: start, duration_ms, status } = round;
    if (start === undefined) continue;
    const path = joinPath(place.path, String(index));
    const span: Span = {
      id: spanId(place.scope, spanParts.round(path)),
      parent: place.parent.id,
      name: `round ${String(index + 1)}`,
      kind: 'internal',
      start,
      end: start + duration_ms,
      attributes: roundAttributes(round, path),
      ...(status === 'success' || status === 'skipped' ? {} : { failure: status }),
    };
    add(tree, path, { span, scope: place.scope });
    const steps = [...(await listOf<StepResult>(tree, round.pages)), ...round.steps];
    await addSteps(tree, { ...place, path, parent: span, single }, steps);
  }
}

/** The run below a step: by its result where the Plan has it, else by the records that such runs have left. */
async function addNested(tree: TraceTree, step: Step, result: StepResult, place: Place): Promise<void> {
  const { path, scope, parent, plan } = place;
  const own = result.attempts > 1 ? `${scope} ${path} ${String(result.attempts)}` : scope;
  for (let tried = 2; tried < result.attempts; tried += 1) tree.scopes.set(`${scope} ${path} ${String(tried)}`, parent);
  const body = step.kind === 'workflow' ? plan.nested[step.plan] : undefined;
  if (body !== undefined && result.run !== null) {
    const span = nestedSpan(body, result, { ...place, scope: own });
    add(tree, path, { span, scope: own });
    await addSteps(tree, { ...place, body, scope: own, parent: span }, await listOf(tree, result.pages));
    return;
  }
  for (const [at, record] of tree.records)
    if (at === path || (step.kind === 'agent' && isCallOf(at, path))) {
      tree.records.delete(at);
      await addRun(tree, record, { path: at, scope: at === path ? own : scope, parent: parent.id });
    }
}

/** It has no record of its own: it is there for as long as its step. */
function nestedSpan({ name }: PlanBody, result: StepResult, { path, scope, parent }: Place): Span {
  return {
    id: spanId(scope, spanParts.run(path)),
    parent: parent.id,
    name: `invoke_workflow ${name}`,
    kind: 'internal',
    start: parent.start,
    end: parent.end,
    attributes: {
      'gen_ai.operation.name': 'invoke_workflow',
      'gen_ai.workflow.name': name,
      ...(result.run === null ? {} : { 'perdure.run.id': result.run }),
    },
    ...(parent.failure === undefined ? {} : { failure: parent.failure }),
  };
}

/** A run that an agent has started in its conversation stands below its step, under the segment of the call. */
function isCallOf(path: string, step: string): boolean {
  return path.startsWith(`${step}/`) && /^(\/\d+\.\d+)+$/.test(path.slice(step.length));
}

async function listOf<T = StepResult>({ store }: TraceTree, pages: Value[]): Promise<T[]> {
  const lists: T[] = [];
  // written by the interpreter, verified by its hash
  for (const page of pages) lists.push(...((await loadValue(page, store)) as unknown as T[]));
  return lists;
}
