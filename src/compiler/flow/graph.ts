import type { JsonObject } from '../../plan/values/json.js';
import type { AgentCall, Ask, FlowExpression, Mark, Quoted } from '../formats/flow/ast.js';
import { cutInstruction, literalText } from '../formats/flow/instruction.js';
import type { Role } from './cast.js';
import type { MarkRole } from './regions.js';
import type { Ranges } from './ranges.js';
import { isIn, unionOf } from './ranges.js';
import { rolesOf } from './regions.js';

/**
 * A node as the language's own graph has it. `type` of a gate is `checkpoint`, of `@ask-human` is
 * `ask-human`.
 */
interface GraphNode {
  id: string;
  type: 'agent' | 'checkpoint' | 'ask-human';
  agent?: string;
  name?: string;
  instruction?: string;
  outputVar?: string;
  model?: string;
  templateVars?: string[];
}

interface GraphEdge {
  from: string;
  to: string;
  condition?: string;
}

/** The graph of a flow: what `plan --format graph` prints. */
export interface FlowGraph {
  nodes: GraphNode[];
  edges: GraphEdge[];
  variables: JsonObject;
}

/** Where a walk comes from. */
interface Exit {
  node: string;
  condition?: string;
}

interface Label {
  /** First nodes behind the label. */
  heads: string[];
  /** Jumps that were met before the heads were known. */
  open: boolean;
}

/** A flow's graph, and the piece of the flow that each node stands for. */
export interface DrawnFlow {
  graph: FlowGraph;
  pieces: { node: string; piece: AgentCall | Ask | Mark }[];
}

const nodeOf = (index: number): string => `node-${index}`;
const indexOf = (node: string): number => Number(node.slice('node-'.length));

/** A graph that is being drawn. */
interface Drawing extends DrawnFlow {
  roles: Map<string, Role>;
  marks: ReturnType<typeof rolesOf>;
  /** The node that gives each variable, the last that was met. */
  producers: Map<string, string>;
  labels: Map<string, Label>;
  /** The nodes that come before each node. */
  before: Map<string, Ranges>;
  /** Edges that there are, as JSON. */
  drawn: Set<string>;
}

/**
 * The graph of a flow in source order. A reference is an edge only where its producer does not come before by others.
 */
export function flowGraph(body: FlowExpression, roles: Map<string, Role>): DrawnFlow {
  const graph: FlowGraph = { nodes: [], edges: [], variables: {} };
  const pieces: DrawnFlow['pieces'] = [];
  const marks = rolesOf(body);
  const drawing: Drawing = {
    graph,
    pieces,
    roles,
    marks,
    producers: new Map(),
    labels: new Map(),
    before: new Map(),
    drawn: new Set(),
  };
  visit(drawing, body, []);
  return { graph, pieces };
}

function connect(drawing: Drawing, from: Exit[], to: string): void {
  const { graph, drawn } = drawing;
  for (const { node, condition } of from) {
    const edge = JSON.stringify([node, to, condition]);
    if (drawn.has(edge)) continue;
    drawn.add(edge);
    graph.edges.push(condition === undefined ? { from: node, to } : { from: node, to, condition });
  }
}

function withAncestors(drawing: Drawing, node: string): Ranges {
  const { before } = drawing;
  return unionOf([before.get(node) ?? [], [[indexOf(node), indexOf(node) + 1]]]);
}

function add(drawing: Drawing, piece: AgentCall | Ask | Mark, node: Omit<GraphNode, 'id'>, from: Exit[]): Exit[] {
  const { graph, pieces, labels, producers, before } = drawing;
  const id = nodeOf(graph.nodes.length);
  graph.nodes.push({ id, ...node });
  pieces.push({ node: id, piece });
  connect(drawing, from, id);
  let ancestors = unionOf(from.map((exit) => withAncestors(drawing, exit.node)));
  for (const label of labels.values()) if (label.open) label.heads.push(id);
  for (const name of node.templateVars ?? []) {
    const producer = producers.get(name);
    if (producer === undefined || producer === id || isIn(ancestors, indexOf(producer))) continue;
    connect(drawing, [{ node: producer }], id);
    ancestors = unionOf([ancestors, withAncestors(drawing, producer)]);
  }
  before.set(id, ancestors);
  if (node.outputVar !== undefined) producers.set(node.outputVar, id);
  for (const label of labels.values()) label.open = false;
  return [{ node: id }];
}

function visit(drawing: Drawing, part: FlowExpression, from: Exit[]): Exit[] {
  const { labels, marks, roles } = drawing;
  switch (part.kind) {
    case 'agent':
      return add(drawing, part, agentNode(part, roles), from);
    case 'ask':
      return add(
        drawing,
        part,
        {
          type: 'ask-human',
          instruction: literalText(part.question.raw),
          outputVar: part.capture.text,
          ...templateVars(part.question),
        },
        from,
      );
    case 'mark':
      return visitMark(drawing, part, marks.get(part), from);
    case 'group':
      return visit(drawing, part.body, from);
    case 'sequence':
      return part.items.reduce((exits, item) => visit(drawing, item, exits), from);
    case 'parallel': {
      const open = [...labels.values()].filter((label) => label.open);
      return part.branches.flatMap((branch) => {
        // Each branch has a head of its own behind the label.
        for (const label of open) label.open = true;
        return visit(drawing, branch, from);
      });
    }
    case 'conditional':
      return visitBranches(drawing, part, part.source === null ? from : visit(drawing, part.source, from));
  }
}

function visitBranches(drawing: Drawing, { branches }: FlowExpression & { kind: 'conditional' }, from: Exit[]): Exit[] {
  const exits = branches.flatMap(({ condition, body: inner }) =>
    visit(
      drawing,
      inner,
      from.map(({ node }) => ({ node, condition: condition.text })),
    ),
  );
  const words = branches.map(({ condition }) => condition.text.toLowerCase());
  const complete =
    branches.some(({ condition }) => condition.isElse) || (words.includes('passed') && words.includes('failed'));
  return complete ? exits : [...exits, ...from.map(({ node }) => ({ node, condition: 'else' }))];
}

function visitMark(drawing: Drawing, mark: Mark, role: MarkRole | undefined, from: Exit[]): Exit[] {
  const { labels } = drawing;
  const name = mark.name.text;
  if (role === 'jump') {
    for (const head of labels.get(name)?.heads ?? []) connect(drawing, from, head);
    return [];
  }
  if (role !== 'gate') labels.set(name, { heads: [], open: true });
  if (role === 'label') return from;
  return add(
    drawing,
    mark,
    {
      type: 'checkpoint',
      name,
      ...(mark.question === null
        ? {}
        : { instruction: literalText(mark.question.raw), ...templateVars(mark.question) }),
      ...(mark.capture === null ? {} : { outputVar: mark.capture.text }),
    },
    from,
  );
}

function agentNode(
  { name, temporary, instruction, capture }: AgentCall,
  roles: Map<string, Role>,
): Omit<GraphNode, 'id'> {
  const role = temporary ? roles.get(name.text) : undefined;
  const said = instruction === null ? [] : [literalText(instruction.raw)];
  const text = [...(role === undefined ? [] : [role.prompt]), ...said].join('\n\n');
  return {
    type: 'agent',
    agent: role?.base ?? name.text,
    ...(text === '' ? {} : { instruction: text }),
    ...(capture === null ? {} : { outputVar: capture.text }),
    ...(role === undefined ? {} : { model: role.model }),
    ...(instruction === null ? {} : templateVars(instruction)),
  };
}

function templateVars(text: Quoted): { templateVars?: string[] } {
  const names = [
    ...new Set(cutInstruction(text.raw).flatMap((part) => (part.kind === 'reference' ? [part.name] : []))),
  ];
  return names.length === 0 ? {} : { templateVars: names };
}
