import { memberOf } from '../../text/node.js';
import type { ConductorNode, Route } from './nodes.js';
import { placeOf } from './nodes.js';
import type { Conductor, Site } from './references.js';
import { outputOf } from './references.js';
import type { Region, Unit } from './regions.js';
import { condition } from './write-expression.js';

/** When a unit of a region hands over to a node: true for always; null when a condition is refused. */
export type When = string | true | null;

/** The condition under which a node runs, as an expression; true when it always does. */
export function entryOf(unit: Unit, region: Region, conductor: Conductor): When {
  const known = conductor.entries.get(unit);
  if (known !== undefined) return known;
  const found = foundEntry(unit, region, conductor);
  conductor.entries.set(unit, found);
  return found;
}

function foundEntry(unit: Unit, region: Region, conductor: Conductor): When {
  const target = unit.kind === 'node' ? unit.node : unit.region.entry;
  if (target === region.entry) return true;
  const ways = region.units
    .filter((from) => from !== unit)
    .flatMap((from) => wayFrom(from, target, { region, conductor }) ?? []);
  return anyOf(ways);
}

interface Context {
  region: Region;
  conductor: Conductor;
}

/** The condition that a unit hands over to a node, its own run included; undefined when it never does. */
export function wayFrom(unit: Unit, target: ConductorNode | null, context: Context): When | undefined {
  if (unit.kind === 'loop') {
    if (!leadsTo(unit.region, target)) return undefined;
    const taken = `steps.${unit.step}.output.next.${exitName(target)}`;
    return runsAlways(unit, context) ? taken : `(${taken} ?? false)`;
  }
  const { node } = unit;
  if (!routesOf(node).some(({ to }) => to === (target?.name ?? null))) return undefined;
  const ran = runsAlways(unit, context) ? true : ranOf(node);
  const chosen = chosenWhen(node, target, context);
  if (chosen === undefined || chosen === null) return chosen;
  if (ran === true) return chosen;
  return chosen === true ? ran : `${ran} && ${chosen}`;
}

/** What an exit of a loop is called in the step that finds out where its round leads. */
export function exitName(target: ConductorNode | null): string {
  return target === null ? 'end' : `to-${target.step}`;
}

function leadsTo({ nodes }: Region, target: ConductorNode | null): boolean {
  return [...nodes].some(({ routes }) => routes.some(({ to }) => to === (target?.name ?? null)));
}

function runsAlways(unit: Unit, { region, conductor }: Context): boolean {
  return entryOf(unit, region, conductor) === true;
}

function ranOf({ step, does }: ConductorNode): string {
  if (does.kind !== 'parallel') return `steps.${step}.status == 'success'`;
  return `(${does.members.map((member) => `steps.${member.step}.status == 'success'`).join(' || ')})`;
}

/** When a node that has run goes to a target: its first route that fits. Undefined when no route leads there. */
function chosenWhen(node: ConductorNode, target: ConductorNode | null, context: Context): When | undefined {
  const before: string[] = [];
  const ways: When[] = [];
  for (const route of routesOf(node)) {
    const fits = fitsOf(route, node, context);
    if (fits === null) return null;
    if (route.to === (target?.name ?? null)) ways.push(allOf([...before.map(negated), fits]));
    if (fits === true) break;
    before.push(fits);
  }
  return ways.length === 0 ? undefined : anyOf(ways);
}

function routesOf({ routes }: ConductorNode): Route[] {
  return routes.length === 0 ? [{ to: null, when: null }] : routes;
}

function fitsOf(route: Route, node: ConductorNode, context: Context): When {
  const { fits } = context.conductor;
  const known = fits.get(route);
  if (known !== undefined) return known;
  const found = foundFit(route, node, context);
  fits.set(route, found);
  return found;
}

function foundFit({ when }: Route, node: ConductorNode, { region, conductor }: Context): When {
  if (when === null) return true;
  const site: Omit<Site, 'at' | 'offset'> = { conductor, region, node, isAfter: true };
  if ('option' in when) {
    const { path, certain } = outputOf(node, { ...site, at: node.at, offset: 0 });
    const chosen = when.option.replace(/[\\']/g, '\\$&').replace(/\n/g, '\\n');
    return `${certain ? path : `(${path} ?? null)`} == '${chosen}'`;
  }
  const written = condition(when.text, { ...site, at: when.at, offset: 0 });
  if (written === null) return null;
  return written === 'true' ? true : written;
}

function negated(expression: string): string {
  return isWrapped(expression) || /^!?[\w.]+$|^!?\w+\([^&|]*\)$/.test(expression)
    ? `!${expression}`
    : `!(${expression})`;
}

function allOf(parts: When[]): When {
  if (parts.includes(null)) return null;
  const said = parts.filter((part) => part !== true);
  return said.length === 0 ? true : said.map((part) => wrapped(String(part), parts.length)).join(' && ');
}

/** One condition for several, any of which is enough. */
export function anyOf(ways: When[]): When {
  if (ways.includes(null)) return null;
  if (ways.includes(true)) return true;
  const [only, ...others] = ways;
  return others.length === 0 ? (only ?? true) : ways.map((way) => wrapped(String(way), ways.length)).join(' || ');
}

function wrapped(expression: string, parts: number): string {
  return parts > 1 && /&&|\|\|/.test(expression) && !isWrapped(expression) ? `(${expression})` : expression;
}

/** An expression that stands alone, without brackets around all of it. */
export function alone(expression: string): string {
  return isWrapped(expression) && !/\?\?[^()]*\)$/.test(expression) ? alone(expression.slice(1, -1)) : expression;
}

/** Whether one pair of brackets holds all of it. */
function isWrapped(expression: string): boolean {
  if (!expression.startsWith('(') || !expression.endsWith(')')) return false;
  const bare = expression.replace(/'(?:[^'\\]|\\.)*'/g, (quoted) => ' '.repeat(quoted.length));
  let depth = 0;
  for (let index = 0; index < bare.length - 1; index++) {
    if (bare[index] === '(') depth += 1;
    if (bare[index] === ')') depth -= 1;
    if (depth === 0) return false;
  }
  return true;
}

/** Where a round of a loop may lead: its entry again, nodes outside, the end. */
export function exitsOf(region: Region, conductor: Conductor): (ConductorNode | null)[] {
  const inside = region.nodes;
  const targets = [...inside].flatMap((node) =>
    routesOf(node).map(({ to }) => (to === null ? null : (conductor.graph.byName.get(to) ?? null))),
  );
  return [...new Set(targets)].filter((target) => target === null || target === region.entry || !inside.has(target));
}

/** Takes down nodes all of whose routes have conditions. */
export function nameOpenEnds({ graph, losses }: Conductor): void {
  for (const node of graph.nodes) {
    const { routes, does } = node;
    const isClosed = routes.length === 0 || routes.some(({ when }) => when === null) || does.kind === 'human_gate';
    if (!isClosed)
      losses.changed(
        `${node.name}.routes`,
        memberOf(node.at, 'routes') ?? placeOf(node, ''),
        'where no route fits conductor fails; here the run ends',
      );
  }
}
