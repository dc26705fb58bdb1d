import type { JsonObject } from '../../../plan/values/json.js';
import type { Plan, PlanBody } from '../../../plan/plan.js';
import { joinPath, segmentOf } from '../../../plan/plan.js';
import type { Step } from '../../../plan/step.js';
import { actorOf } from '../../../plan/references/actor.js';

interface Node {
  id: string;
  path: string;
  kind: Step['kind'];
  actor: string;
  label: string;
  group: string | null;
  /** The node of the workflow step that this one is nested in. */
  parent: string | null;
}

interface Edge {
  from: string;
  to: string;
}

/** A Plan as nodes and edges: one node for each step of the whole tree, in source order from `node-0`. */
export function planGraph(plan: Plan): { name: string; plan: string; nodes: JsonObject[]; edges: JsonObject[] } {
  const { nodes, edges } = graphOf(plan);
  return {
    name: plan.name,
    plan: plan.hash,
    nodes: nodes.map((node) => ({ ...node })),
    edges: edges.map((edge) => ({ ...edge })),
  };
}

function graphOf(plan: Plan): { nodes: Node[]; edges: Edge[] } {
  const nodes: Node[] = [];
  const edges: Edge[] = [];
  const visit = (body: PlanBody, path: string, parent: string | null): void => {
    const ids = new Map<number, string>();
    for (const step of body.steps) {
      const node = nodeOf(plan, step, { id: `node-${nodes.length}`, path: joinPath(path, segmentOf(step)), parent });
      nodes.push(node);
      ids.set(step.index, node.id);
      const nested = step.kind === 'workflow' ? plan.nested[step.plan] : undefined;
      if (nested !== undefined) visit(nested, node.path, node.id);
    }
    for (const step of body.steps) {
      for (const need of step.needs) edges.push({ from: ids.get(need.step) ?? '', to: ids.get(step.index) ?? '' });
    }
  };
  visit(plan, '', null);
  return { nodes, edges };
}

function nodeOf(plan: Plan, step: Step, place: Pick<Node, 'id' | 'path' | 'parent'>): Node {
  const actor = actorOf(step, plan.agents);
  return {
    ...place,
    kind: step.kind,
    actor,
    label: step.id === null || step.id === actor ? actor : `${step.id}: ${actor}`,
    group: step.parallel_group,
  };
}
