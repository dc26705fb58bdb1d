import { didYouMean } from '../../problems/did-you-mean.js';
import type { Report } from '../../problems/problem.js';
import type { Node } from '../../text/node.js';
import { keyOf, memberOf } from '../../text/node.js';
import type { Losses } from '../shared/loss.js';
import { freeId } from '../shared/names.js';
import type { ConductorAgent, ConductorRoute, ConductorWorkflow, FailureMode } from './schema.js';
import type { KINDS } from './schema.js';

/** Where a node leads to: `to` is null at the end; `when` is a text, or an option of the gate itself. */
export interface Route {
  to: string | null;
  when: { text: string; at: Node } | { option: string } | null;
}

/** What the workflow goes to next: an agent, or a group. */
export interface ConductorNode {
  name: string;
  /** The id of its step. */
  step: string;
  at: Node;
  routes: Route[];
  does:
    | { kind: (typeof KINDS)[number]; said: ConductorAgent }
    | { kind: 'parallel'; members: ConductorNode[]; mode: FailureMode }
    | { kind: 'for_each'; said: NonNullable<ConductorWorkflow['for_each']>[number] };
}

export interface ConductorGraph {
  entry: ConductorNode;
  /** What can be gone to, in the order of the file: members of groups are none of them. */
  nodes: ConductorNode[];
  byName: ReadonlyMap<string, ConductorNode>;
}

interface Reading {
  report: Report;
  losses: Losses;
}

/** The nodes of a workflow that is sound by its schema; null when names or routes have faults, which are reported. */
export function readGraph(said: ConductorWorkflow, at: Node, reading: Reading): ConductorGraph | null {
  const taken = new Set<string>();
  const byName = new Map<string, ConductorNode>();
  let sound = true;
  const add = (make: {
    name: string;
    at: Node;
    routes: ConductorRoute[] | null;
    does: ConductorNode['does'];
  }): void => {
    if (byName.has(make.name)) {
      const message = `The name \`${make.name}\` is taken already.`;
      reading.report({ code: 'duplicate-name', at: memberOf(make.at, 'name') ?? make.at, message });
      sound = false;
      return;
    }
    const step = freeId(make.name, taken);
    taken.add(step);
    byName.set(make.name, { name: make.name, step, at: make.at, routes: routesOf(make), does: make.does });
  };
  const item = (key: string, index: number): Node => memberOf(at, key)?.items?.[index] ?? at;
  (said.agents ?? []).forEach(({ routes = null, ...agent }, index) =>
    add({ name: agent.name, at: item('agents', index), routes, does: { kind: agent.type ?? 'agent', said: agent } }),
  );
  (said.for_each ?? []).forEach((group, index) =>
    add({
      name: group.name,
      at: item('for_each', index),
      routes: group.routes ?? null,
      does: { kind: 'for_each', said: group },
    }),
  );
  const members = new Set<string>();
  (said.parallel ?? []).forEach((group, index) => {
    const place = item('parallel', index);
    const found = membersOf(group.agents, place, byName, reading.report);
    if (found === null) sound = false;
    for (const name of group.agents) members.add(name);
    add({
      name: group.name,
      at: place,
      routes: group.routes ?? null,
      does: { kind: 'parallel', members: found ?? [], mode: group.failure_mode },
    });
  });
  return sound ? checked({ said, at, byName, members }, reading) : null;
}

function membersOf(
  names: string[],
  at: Node,
  byName: ReadonlyMap<string, ConductorNode>,
  report: Report,
): ConductorNode[] | null {
  const places = memberOf(at, 'agents')?.items ?? [];
  const found = names.map((name, index) => {
    const member = byName.get(name);
    if (member !== undefined && ['agent', 'set', 'workflow'].includes(member.does.kind)) return member;
    report({
      code: member === undefined ? 'unknown-step' : 'unsupported-key',
      at: places[index] ?? at,
      message:
        member === undefined
          ? `There is no agent \`${name}\`.`
          : `\`${name}\` (${member.does.kind}) cannot be in a parallel group.`,
      suggestion: member === undefined ? didYouMean(name, [...byName.keys()]) : 'route to it before or after the group',
    });
    return null;
  });
  return found.includes(null) ? null : found.filter((member) => member !== null);
}

function routesOf({
  name,
  at,
  routes,
  does,
}: Pick<ConductorNode, 'name' | 'at' | 'does'> & {
  routes: ConductorRoute[] | null;
}): Route[] {
  const target = (to: string): string | null => (to === '$end' ? null : to === 'self' ? name : to);
  const places = memberOf(at, 'routes')?.items ?? [];
  const own = (routes ?? []).map(({ to, when }, index): Route => {
    const place = places[index] && memberOf(places[index], 'when');
    return { to: target(to), when: when && place ? { text: when, at: place } : null };
  });
  if (does.kind !== 'human_gate') return own;
  const chosen = (does.said.options ?? []).flatMap((option): Route[] =>
    option.route === undefined ? [] : [{ to: target(option.route), when: { option: valueOf(option) } }],
  );
  return [...chosen, ...own];
}

/** What is chosen where an option is. */
export function valueOf({ value, name, label }: NonNullable<ConductorAgent['options']>[number]): string {
  return value ?? name ?? label ?? 'yes';
}

interface Checking {
  said: ConductorWorkflow;
  at: Node;
  byName: ReadonlyMap<string, ConductorNode>;
  members: ReadonlySet<string>;
}

function checked({ said, at, byName, members }: Checking, { report, losses }: Reading): ConductorGraph | null {
  const top = memberOf(at, 'workflow') ?? at;
  let sound = true;
  const known = (name: string, place: Node): void => {
    if (byName.has(name) && !members.has(name)) return;
    sound = false;
    report({
      code: 'unknown-step',
      at: place,
      message: members.has(name)
        ? `\`${name}\` is in a parallel group, and nothing else can lead to it.`
        : `There is no agent or group \`${name}\`.`,
      suggestion: members.has(name) ? 'name the group' : didYouMean(name, [...byName.keys()]),
    });
  };
  known(said.workflow.entry_point, memberOf(top, 'entry_point') ?? top);
  for (const node of byName.values())
    for (const { to } of members.has(node.name) ? [] : node.routes) if (to !== null) known(to, placeOf(node, to));
  const entry = byName.get(said.workflow.entry_point);
  if (!sound || entry === undefined) return null;
  const reached = reachable(entry, byName);
  for (const node of byName.values())
    if (!reached.has(node) && !members.has(node.name))
      losses.harmless(node.name, keyOf(node.at, 'name'), 'nothing leads to it, also in conductor');
  return { entry, nodes: [...byName.values()].filter((node) => reached.has(node)), byName };
}

/** Where a node names another one. */
export function placeOf({ at }: ConductorNode, name: string): Node {
  const places = ['routes', 'options'].flatMap((key) => memberOf(at, key)?.items ?? []);
  const found = places.map((place) => memberOf(place, 'to') ?? memberOf(place, 'route'));
  return found.find((place) => place?.value === name || (place?.value === 'self' && name === '')) ?? at;
}

function reachable(entry: ConductorNode, byName: ReadonlyMap<string, ConductorNode>): Set<ConductorNode> {
  const reached = new Set([entry]);
  for (const { routes } of reached)
    for (const { to } of routes) {
      const next = to === null ? undefined : byName.get(to);
      if (next !== undefined) reached.add(next);
    }
  return reached;
}
