import { didYouMean } from '../../problems/did-you-mean.js';
import type { Report } from '../../problems/problem.js';
import { check } from '../../text/check.js';
import type { Node } from '../../text/node.js';
import { keyOf, memberOf, startOf } from '../../text/node.js';
import { findCycle } from '../../workflow/cycles.js';
import type { Losses } from '../shared/loss.js';
import { freeId } from '../shared/names.js';
import type { Graph, GraphNode } from './graph.js';
import { depsOf, graphOf } from './graph.js';
import type { NodeKind } from './schema.js';
import { archonNode, NODE_KINDS } from './schema.js';

export interface Reading {
  report: Report;
  losses: Losses;
  /** Ids of steps that are taken already. */
  taken: Set<string>;
}

/** The nodes of one `nodes:` in their order; null when they have faults, all of which are reported. */
export function readNodes(list: Node, reading: Reading): Graph | null {
  const { report } = reading;
  const read = (list.items ?? []).map((item) => readNode(item, reading));
  const nodes = read.filter((node) => node !== null);
  let sound = nodes.length === read.length;
  const seen = new Map<string, GraphNode>();
  for (const node of nodes) {
    if (seen.has(node.id)) {
      sound = false;
      const at = memberOf(node.at, 'id') ?? node.at;
      report({ code: 'duplicate-name', at, message: `There is a node \`${node.id}\` already.` });
    }
    seen.set(node.id, node);
  }
  for (const node of nodes) sound = checkDeps(node, seen, report) && sound;
  return sound && checkCycle(nodes, report) ? graphOf(nodes) : null;
}

function readNode(at: Node, { report, losses, taken }: Reading): GraphNode | null {
  const said = check(archonNode, at, { report });
  if (said === null) return null;
  const kinds = NODE_KINDS.filter((kind) => said[kind] !== undefined);
  const [kind, second] = kinds;
  if (kind === undefined || second !== undefined) {
    const found = kind === undefined ? 'none of them' : kinds.map((one) => `\`${one}\``).join(' and ');
    const expected = NODE_KINDS.map((one) => `\`${one}\``).join(', ');
    report({
      code: 'step-kind',
      at: kind === undefined ? startOf(at) : keyOf(at, second ?? kind),
      message: `Expected the node \`${said.id}\` to be exactly one of ${expected}, got ${found}.`,
    });
    return null;
  }
  const text = said[kind];
  if (typeof text === 'string' && text.trim() === '') {
    report({ code: 'invalid-value', at: memberOf(at, kind) ?? at, message: `Expected \`${kind}\` to hold a text.` });
    return null;
  }
  nameUnknown(at, kind, said.id, losses);
  const step = freeId(said.id, taken);
  taken.add(step);
  return { id: said.id, step, kind, said, at };
}

/** Archon reads past keys that it does not know, and says so. */
function nameUnknown(at: Node, kind: NodeKind, id: string, losses: Losses): void {
  const known = Object.keys(archonNode.shape);
  for (const [key, { key: place }] of at.members ?? [])
    if (!known.includes(key))
      losses.harmless(`${id}.${key}`, place, `there is no such key of a \`${kind}\` node; Archon reads past it too`);
}

function checkDeps(node: GraphNode, known: ReadonlyMap<string, GraphNode>, report: Report): boolean {
  const written = memberOf(node.at, 'depends_on');
  const missing = depsOf(node).filter((dep) => !known.has(dep));
  for (const dep of missing) {
    const at = written?.items?.find(({ value }) => value === dep) ?? written ?? node.at;
    const suggestion = didYouMean(dep, known.keys());
    report({ code: 'unknown-step', at, message: `There is no node \`${dep}\`.`, suggestion });
  }
  return missing.length === 0;
}

function checkCycle(nodes: GraphNode[], report: Report): boolean {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const cycle = findCycle(byId.keys(), (id) => {
    const node = byId.get(id);
    return node === undefined ? [] : depsOf(node);
  });
  const first = cycle === null ? undefined : byId.get(cycle[0] ?? '');
  if (cycle === null || first === undefined) return true;
  const at = memberOf(first.at, 'depends_on') ?? first.at;
  report({ code: 'step-cycle', at, message: `Nodes wait for each other: ${cycle.join(' → ')}` });
  return false;
}
