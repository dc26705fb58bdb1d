import type { JsonObject } from '../../../plan/values/json.js';
import { keyOf, memberOf } from '../../text/node.js';
import type { ConductorNode } from './nodes.js';
import type { Conductor } from './references.js';
import type { Region, Unit } from './regions.js';
import { alone, anyOf, entryOf, exitName, exitsOf, wayFrom } from './routes.js';
import { actionOf } from './steps.js';

/** The steps of a region, in their order; null when something in them is refused, which is reported. */
export function stepsOf(region: Region, conductor: Conductor, agents: Map<string, JsonObject>): JsonObject[] | null {
  const lists = region.units.map((unit) => {
    const when = entryOf(unit, region, conductor);
    const order = typeof when === 'string' ? { when: `\${${alone(when)}}` } : {};
    const steps =
      unit.kind === 'loop' ? loopOf(unit, conductor, agents) : stepsOfNode(unit.node, { region, conductor, agents });
    return when === null || steps === null ? null : steps.map((step) => placed(step, order));
  });
  if (lists.includes(null)) return null;
  const all = lists.map((list) => list ?? []);
  return hasGroup(region) ? chained(all) : all.flat();
}

/** A step with its condition; what fails ends the run, unless it says otherwise. */
function placed(step: JsonObject, order: JsonObject): JsonObject {
  return { ...step, ...order, on_error: step['on_error'] ?? 'stop' };
}

function hasGroup({ units }: Region): boolean {
  return units.some((unit) => unit.kind === 'node' && unit.node.does.kind === 'parallel');
}

/** Steps that stand side by side say what they come after. */
function chained(lists: JsonObject[][]): JsonObject[] {
  return lists.flatMap((list, index) => {
    const before = index === 0 ? [] : (lists[index - 1] ?? []).map(({ id }) => String(id));
    return before.length === 0 ? list : list.map((step) => ({ ...step, after: before }));
  });
}

interface Place {
  region: Region;
  conductor: Conductor;
  agents: Map<string, JsonObject>;
}

function stepsOfNode(node: ConductorNode, place: Place): JsonObject[] | null {
  const { does } = node;
  if (does.kind !== 'parallel') {
    const action = actionOf({ node, ...place });
    return action && [{ id: node.step, ...action }];
  }
  const members = does.members.map((member) => {
    const action = actionOf({ node: member, ...place });
    return (
      action && {
        id: member.step,
        ...action,
        parallel_group: node.step,
        on_error: does.mode === undefined || does.mode === 'fail_fast' ? 'stop' : 'continue',
      }
    );
  });
  if (does.mode === 'all_or_nothing')
    place.conductor.losses.changed(
      `${node.name}.failure_mode`,
      keyOf(node.at, 'failure_mode'),
      'where one has failed the run goes on with the others, and is `partial`',
    );
  return members.includes(null) ? null : members.filter((member) => member !== null);
}

/** Nodes that lead back to their first one, as rounds. */
function loopOf(
  unit: Extract<Unit, { kind: 'loop' }>,
  conductor: Conductor,
  agents: Map<string, JsonObject>,
): JsonObject[] | null {
  const { region, step } = unit;
  const steps = stepsOf(region, conductor, agents);
  const exits = exitsOf(region, conductor).map((target) => {
    const ways = region.units.flatMap((from) => wayFrom(from, target, { region, conductor }) ?? []);
    return [target === region.entry ? 'again' : exitName(target), ways] as const;
  });
  if (steps === null || exits.some(([, ways]) => ways.some((way) => way === null))) return null;
  const next = Object.fromEntries(exits.map(([name, ways]) => [name, `\${${alone(String(anyOf(ways)))}}`]));
  const id = `${step}-next`;
  const last = hasGroup(region) ? { after: steps.map((one) => String(one['id'])) } : {};
  return [
    {
      id: step,
      loop: { until: `\${!steps.${id}.output.again}`, max: roundsOf(conductor) },
      ...(hasGroup(region) ? { execution: 'parallel' } : {}),
      yields: { ...yieldsOf(region), next: `\${steps.${id}.output}` },
      steps: [...steps, { id, set: next, ...last, on_error: 'stop' }],
    },
  ];
}

/** Conductor counts each run of an agent, so there are never more rounds than that. */
function roundsOf({ said, at, losses }: Conductor): number {
  const top = memberOf(at, 'workflow') ?? at;
  losses.changed(
    'workflow.limits.max_iterations',
    keyOf(memberOf(top, 'limits') ?? top, 'max_iterations'),
    'it counts rounds of a loop, not each run of an agent, and the run fails after the last one',
  );
  return said.workflow.limits?.max_iterations ?? 10;
}

/** What the last round leaves: the output of each of its steps, by its id. */
function yieldsOf({ units }: Region): JsonObject {
  const nodes = units.flatMap((unit): [string, ConductorNode | null][] =>
    unit.kind === 'loop'
      ? [[unit.step, null]]
      : unit.node.does.kind === 'parallel'
        ? unit.node.does.members.map((member) => [member.step, member])
        : [[unit.node.step, unit.node]],
  );
  const entries = nodes.flatMap(([id, node]): [string, string][] => {
    const output: [string, string] = [id, `\${steps.${id}.output ?? null}`];
    if (node?.does.kind !== 'human_gate') return [output];
    return [output, [`${id}-comment`, `\${steps.${id}.comment ?? ''}`]];
  });
  return Object.fromEntries(entries);
}
