import type { Json, JsonObject } from '../../../plan/values/json.js';
import { isObject } from '../../../plan/values/json.js';
import { loadValue } from '../../../store/transcript.js';
import type { Store } from '../../../store/store.js';
import type { RunView, StepView } from '../../observe/view/view.js';
import { everyStepView } from '../../observe/view/view.js';
import { parseGraph } from './authored-graph.js';
import { planGraph } from './plan-graph.js';
import { ownOf } from '../../../plan/values/own.js';

/**
 * The graph of a run as `show --format graph` prints it: that of its Plan, with the `status` of each node. A flow's own
 * graph also has the value of each variable, null until it is captured; of a loop the latest round counts.
 */
export async function runGraph(view: RunView, store: Store): Promise<JsonObject> {
  const plan = await store.getPlan(view.plan);
  if (plan.graph === undefined) return statusOfPlan(planGraph(plan), view);
  const { graph, steps } = parseGraph(await store.getText(plan.graph));
  const nodes: JsonObject[] = [];
  const variables: JsonObject = {};
  for (const node of listOf(graph['nodes'])) {
    const rounds = stepsAt(view.steps, steps.get(String(node['id'])) ?? []);
    nodes.push({ ...node, status: rounds[0]?.status ?? 'pending' });
    const name = node['outputVar'];
    if (typeof name === 'string') variables[name] = (await valueOf(rounds, store)) ?? ownOf(variables, name) ?? null;
  }
  return { ...graph, nodes, variables };
}

function listOf(nodes: Json | undefined): JsonObject[] {
  return Array.isArray(nodes) ? nodes.filter(isObject) : [];
}

/** A step by its indexes, the latest round of the loops around it first. */
function stepsAt(steps: StepView[], [index, ...rest]: number[]): StepView[] {
  const step = steps.find((one) => one.step.index === index);
  if (step === undefined) return [];
  if (rest.length === 0) return [step];
  return step.rounds.toReversed().flatMap((round) => stepsAt(round.steps, rest));
}

async function valueOf(rounds: StepView[], store: Store): Promise<Json> {
  return loadValue(rounds.find(({ result }) => result?.status === 'success')?.result?.output ?? null, store);
}

function statusOfPlan(graph: ReturnType<typeof planGraph>, view: RunView): JsonObject {
  const statuses = new Map(everyStep(view.steps).map(({ path, status }) => [path, status]));
  return {
    ...graph,
    nodes: graph.nodes.map((node) => ({ ...node, status: statuses.get(String(node['path'])) ?? 'pending' })),
  };
}

function everyStep(steps: StepView[]): StepView[] {
  return everyStepView(steps).flatMap((step) => [step, ...(step.nested === null ? [] : everyStep(step.nested.steps))]);
}
