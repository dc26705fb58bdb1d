import type { Json, JsonObject } from '../../../plan/values/json.js';
import { isObject } from '../../../plan/values/json.js';
import type { PlanBody } from '../../../plan/plan.js';
import type { Hash } from '../../../plan/values/value.js';

/**
 * The graph that an authored format draws of itself, and the step of each node: indexes through the loops around it.
 */
export interface AuthoredGraph {
  graph: JsonObject;
  steps: Map<string, number[]>;
}

interface WithTexts {
  plan: Pick<PlanBody, 'graph'>;
  texts: Map<Hash, string>;
}

/** The graph that the definition's own format draws: flows have one. Null for all others. */
export function authoredGraph(compiled: WithTexts): JsonObject | null {
  return graphWithSteps(compiled)?.graph ?? null;
}

/** The same with the steps of its nodes. */
export function graphWithSteps({ plan: { graph }, texts }: WithTexts): AuthoredGraph | null {
  if (graph === undefined) return null;
  const text = typeof graph === 'string' ? graph : texts.get(graph.text);
  if (text === undefined) throw new Error(`The graph of the plan is not there: ${JSON.stringify(graph)}`);
  return parseGraph(text);
}

/** Reads the text of a graph. Throws when it is none. */
export function parseGraph(text: string): AuthoredGraph {
  const authored = JSON.parse(text) as Json; // JSON.parse gives nothing else
  if (!isObject(authored)) throw new Error('Expected the graph of a plan to be an object.');
  const { steps, ...graph } = authored;
  const ways = Object.entries(isObject(steps) ? steps : {}).map(([node, way]): [string, number[]] => [
    node,
    Array.isArray(way) ? way.map(Number) : [],
  ]);
  return { graph, steps: new Map(ways) };
}
