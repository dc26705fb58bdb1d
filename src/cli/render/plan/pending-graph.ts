import type { JsonObject } from '../../../plan/values/json.js';
import { isObject } from '../../../plan/values/json.js';
import type { Plan } from '../../../plan/plan.js';
import type { Hash } from '../../../plan/values/value.js';
import { authoredGraph } from './authored-graph.js';
import { planGraph } from './plan-graph.js';

/** The graph of what has not run, as `plan --format graph` prints it: the `status` of each node is `pending`. */
export function pendingGraph(compiled: { plan: Plan; texts: Map<Hash, string> }): JsonObject {
  const graph: JsonObject = authoredGraph(compiled) ?? { ...planGraph(compiled.plan) };
  const { nodes } = graph;
  if (!Array.isArray(nodes)) return graph;
  return { ...graph, nodes: nodes.map((node) => (isObject(node) ? { ...node, status: 'pending' } : node)) };
}
