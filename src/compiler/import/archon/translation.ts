import type { JsonObject } from '../../../plan/values/json.js';
import type { Report } from '../../problems/problem.js';
import type { Node } from '../../text/node.js';
import type { Losses } from '../shared/loss.js';
import type { Graph, GraphNode } from './graph.js';
import type { Resources } from './resources.js';
import type { ArchonWorkflow } from './schema.js';
import type { Shape } from './shapes.js';

/** What another workflow is called here and the inputs that it takes; or why it cannot be nested. */
export type Nested = { name: string; inputs: ReadonlySet<string> } | 'missing' | 'refused' | 'around';

/** One workflow while its parts are written in our words. */
export interface Translation {
  /** The name of the workflow here. */
  name: string;
  said: ArchonWorkflow;
  /** The document. */
  at: Node;
  report: Report;
  losses: Losses;
  resources: Resources;
  /** Another workflow, by its name. */
  nested: (name: string) => Nested;
  /** What nodes yield, by their ids. */
  shapes: ReadonlyMap<string, Shape>;
  /** Inputs that something refers to, by name, as they are declared. */
  inputs: Map<string, JsonObject>;
  /** What stands before all else: the folder for artifacts, one for state, the run's own word. */
  uses: Set<'artifacts_dir' | 'state_dir' | 'workflow_id'>;
  /** Agents of the workflow's own, by name. */
  agents: Map<string, JsonObject>;
  /** What stands above a step. */
  comments: Map<object, string[]>;
  /** Steps of bodies whose outputs the next round reads, by the step of the loop. */
  kept: Map<string, Set<string>>;
  /** Ids of steps that are taken. */
  taken: Set<string>;
}

/** The nodes that see each other, and where they stand. */
export interface Scope {
  graph: Graph;
  /** The node whose body it is; null at the top. */
  outer: { scope: Scope; node: GraphNode } | null;
}
