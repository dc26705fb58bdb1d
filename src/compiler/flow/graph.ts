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

/**
 * The graph of a flow in source order. A reference is an edge only where its producer does not come before by others.
 */
export function flowGraph(body: FlowExpression, roles: Map<string, Role>): DrawnFlow {
  const nodes: GraphNode[] = [];
  const pieces: DrawnFlow['pieces'] = [];
  const edges: GraphEdge[] = [];
  const producers = new Map<string, string>();
  const labels = new Map<string, Label>();
  const marks = rolesOf(body);
  const before = new Map<string, Ranges>();
  const drawn = new Set<string>();

  const connect = (from: Exit[], to: string): void => {
    for (const { node, condition } of from) {
      const edge = JSON.stringify([node, to, condition]);
      if (drawn.has(edge)) continue;
      drawn.add(edge);
      edges.push(condition === undefined ? { from: node, to } : { from: node, to, condition });
    }
  };

  const withAncestors = (node: string): Ranges =>
    unionOf([before.get(node) ?? [], [[indexOf(node), indexOf(node) + 1]]]);

  const add = (piece: AgentCall | Ask | Mark, node: Omit<GraphNode, 'id'>, from: Exit[]): Exit[] => {
    const id = nodeOf(nodes.length);
    nodes.push({ id, ...node });
    pieces.push({ node: id, piece });
    connect(from, id);
    let ancestors = unionOf(from.map((exit) => withAncestors(exit.node)));
    for (const label of labels.values()) if (label.open) label.heads.push(id);
    for (const name of node.templateVars ?? []) {
      const producer = producers.get(name);
      if (producer === undefined || producer === id || isIn(ancestors, indexOf(producer))) continue;
      connect([{ node: producer }], id);
      ancestors = unionOf([ancestors, withAncestors(producer)]);
    }
    before.set(id, ancestors);
    if (node.outputVar !== undefined) producers.set(node.outputVar, id);
    for (const label of labels.values()) label.open = false;
    return [{ node: id }];
  };

  const visit = (part: FlowExpression, from: Exit[]): Exit[] => {
    switch (part.kind) {
      case 'agent':
        return add(part, agentNode(part, roles), from);
      case 'ask':
        return add(
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
        return visitMark(part, marks.get(part), from);
      case 'group':
        return visit(part.body, from);
      case 'sequence':
        return part.items.reduce((exits, item) => visit(item, exits), from);
      case 'parallel': {
        const open = [...labels.values()].filter((label) => label.open);
        return part.branches.flatMap((branch) => {
          // Each branch has a head of its own behind the label.
          for (const label of open) label.open = true;
          return visit(branch, from);
        });
      }
      case 'conditional':
        return visitBranches(part, part.source === null ? from : visit(part.source, from));
    }
  };

  const visitBranches = ({ branches }: FlowExpression & { kind: 'conditional' }, from: Exit[]): Exit[] => {
    const exits = branches.flatMap(({ condition, body: inner }) =>
      visit(
        inner,
        from.map(({ node }) => ({ node, condition: condition.text })),
      ),
    );
    const words = branches.map(({ condition }) => condition.text.toLowerCase());
    const complete = words.includes('passed') && words.includes('failed');
    return complete ? exits : [...exits, ...from.map(({ node }) => ({ node, condition: 'else' }))];
  };

  const visitMark = (mark: Mark, role: MarkRole | undefined, from: Exit[]): Exit[] => {
    const name = mark.name.text;
    if (role === 'jump') {
      for (const head of labels.get(name)?.heads ?? []) connect(from, head);
      return [];
    }
    if (role !== 'gate') labels.set(name, { heads: [], open: true });
    if (role === 'label') return from;
    return add(
      mark,
      {
        type: 'checkpoint',
        name,
        ...(mark.question === null
          ? {}
          : { instruction: literalText(mark.question.raw), ...templateVars(mark.question) }),
      },
      from,
    );
  };

  visit(body, []);
  return { graph: { nodes, edges, variables: {} }, pieces };
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
