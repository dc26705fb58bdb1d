import * as library from '@dagrejs/dagre';

/** What we use of the layout library's graphs; coordinates are those of centres, in pixels. */
export interface LayoutGraph {
  setGraph(options: { rankdir: 'TB'; nodesep: number; ranksep: number; marginx: number; marginy: number }): void;
  setDefaultEdgeLabel(label: () => object): void;
  setNode(name: string, size: { width?: number; height?: number }): void;
  setParent(name: string, parent: string): void;
  setEdge(from: string, to: string): void;
  node(name: string): { x: number; y: number };
  edge(from: string, to: string): { points: { x: number; y: number }[] };
}

interface Dagre {
  Graph: new (options: { compound: boolean }) => LayoutGraph;
  layout: (graph: LayoutGraph) => void;
}

// The package's own types import files without their endings, which resolve to nothing under Node's rules; this is the
// part of them that we use.
export const { Graph, layout } = library as unknown as Dagre;
