import type { Json, JsonObject } from '../../../plan/values/json.js';
import type { Report } from '../../problems/problem.js';
import { check } from '../../text/check.js';
import type { Node } from '../../text/node.js';
import { keyOf, memberOf } from '../../text/node.js';
import type { Losses, WrittenFile } from '../shared/loss.js';
import { sentencesOf } from '../shared/loss.js';
import { slug } from '../shared/names.js';
import { writeYaml } from '../shared/write-yaml.js';
import { nameLost } from './lost-keys.js';
import type { ConductorNode } from './nodes.js';
import { placeOf, readGraph } from './nodes.js';
import type { Conductor, Nested } from './references.js';
import { inputName } from './references.js';
import type { Region, Unit } from './regions.js';
import { regionOf } from './regions.js';
import { nameOpenEnds } from './routes.js';
import type { ConductorInput } from './schema.js';
import { conductorWorkflow } from './schema.js';
import { valueAt } from './write-expression.js';
import { stepsOf } from './write-region.js';

const MOST_NODES = 500;

function nothingYet(): Pick<Conductor, 'read' | 'fits' | 'entries'> {
  return { read: new Set(), fits: new Map(), entries: new Map() };
}

/** A workflow in our words, and what others that nest it have to know of it. */
export type ConductorImport = { files: WrittenFile[] } & Extract<Nested, object>;

/** A workflow of conductor in our words; null when something in it is refused, which is reported. */
export function importConductorWorkflow(
  at: Node,
  { report, losses, nested }: { report: Report; losses: Losses; nested: Conductor['nested'] },
): ConductorImport | null {
  const said = check(conductorWorkflow, at, { report });
  if (said === null) return null;
  const graph = readGraph(said, at, { report, losses });
  if (graph === null) return null;
  if (graph.nodes.length > MOST_NODES) {
    const message = `Expected at most ${MOST_NODES} agents and groups, got ${graph.nodes.length}.`;
    report({ code: 'invalid-value', at: keyOf(at, 'agents'), message });
    return null;
  }
  const region = regionOf(graph, new Set([...graph.byName.values()].map(({ step }) => step)));
  if ('tangled' in region) {
    report({
      code: 'unsupported-key',
      at: placeLeading(graph.nodes, region.tangled),
      message:
        `The loop of \`${region.entry.name}\` can also be entered at \`${region.tangled.name}\`: ` +
        'a loop is entered at one place.',
      suggestion: `route to \`${region.entry.name}\``,
    });
    return null;
  }
  const name = slug(said.workflow.name.toLowerCase(), 'workflow');
  const conductor: Conductor = { name, said, at, graph, report, losses, nested, ...nothingYet() };
  const agents = new Map<string, JsonObject>();
  const steps = stepsOf(region, conductor, agents);
  const output = outputOf(region, conductor);
  if (steps === null || output === undefined) return null;
  nameLost(conductor);
  nameOpenEnds(conductor);
  nameUnread(conductor);
  const fields = said.output == null ? null : Object.keys(said.output);
  return {
    name,
    files: filesOf({ conductor, agents, steps, output, region }),
    inputs: inputsOf(conductor),
    output: fields,
  };
}

function inputsOf({ said, read }: Conductor): Extract<Nested, object>['inputs'] {
  const inputs = Object.entries(said.workflow.input ?? {}).filter(([key]) => read.has(key));
  return new Map(
    inputs.map(([key, spec]) => [key, { required: spec?.default === undefined && spec?.required !== false }]),
  );
}

/** Where a node is led to that nothing outside should lead to. */
function placeLeading(nodes: readonly ConductorNode[], to: ConductorNode): Node {
  const from = nodes.find(({ routes }) => routes.some((route) => route.to === to.name));
  return from === undefined ? to.at : placeOf(from, to.name);
}

function outputOf(region: Region, conductor: Conductor): Json | undefined {
  const at = memberOf(conductor.at, 'output');
  if (at?.members == null) return null;
  const site = { conductor, region, node: null };
  const fields = [...at.members].map(([name, { node }]) => [name, outputAt(node, site, name)] as const);
  return fields.some(([, value]) => value === undefined)
    ? undefined
    : Object.fromEntries(fields.map(([name, value]) => [name, value ?? null]));
}

/** A field of the output, in which nothing computes. */
function outputAt(
  at: Node,
  site: { conductor: Conductor; region: Region; node: null },
  name: string,
): Json | undefined {
  const value = valueAt(at, site, `output.${name}`);
  if (typeof value !== 'string') return value;
  // A value alone stands there without brackets.
  return value.replace(/^\$\{\(([^()]*)\)\}$/, '${$1}');
}

/** An input that no text names would be shown to every agent. */
function nameUnread({ said, at, losses, read }: Conductor): void {
  const declared = memberOf(memberOf(at, 'workflow') ?? at, 'input') ?? at;
  for (const key of Object.keys(said.workflow.input ?? {}))
    if (!read.has(key)) losses.harmless(`workflow.input.${key}`, keyOf(declared, key), 'no text names it');
}

interface Written {
  conductor: Conductor;
  agents: Map<string, JsonObject>;
  steps: JsonObject[];
  output: Json;
  region: Region;
}

function filesOf({ conductor, agents, steps, output, region }: Written): WrittenFile[] {
  const { said, at, name, losses } = conductor;
  const description = said.workflow.description?.trim() ?? '';
  const inputs = Object.entries(said.workflow.input ?? {})
    .filter(([key]) => conductor.read.has(key))
    .map(([key, spec]): [string, JsonObject] => [inputName(key), inputOf(spec)]);
  const hasGroup = region.units.some((unit) => isGroup(unit));
  const workflow: JsonObject = {
    name,
    ...(description === '' ? {} : { description }),
    ...(inputs.length === 0 ? {} : { inputs: Object.fromEntries(inputs) }),
    ...(hasGroup ? { execution: 'parallel' } : {}),
    budgets: budgetsOf(conductor),
    steps,
    ...(output === null ? {} : { output }),
  };
  const from = at.source.file;
  const head = [
    `Imported from ${from}, a workflow of conductor.`,
    ...(said.workflow.name === name ? [] : [`There it is called ${said.workflow.name}.`]),
    ...sentencesOf(losses),
  ];
  return [
    { path: `workflows/${name}.yml`, text: writeYaml(workflow, head) },
    ...[...agents].map(([agent, value]) => ({
      path: `agents/${agent}.yml`,
      text: writeYaml(value, [
        agent === 'conductor-agent'
          ? 'Does what agents of conductor do that ask for nothing.'
          : `Imported from ${from}.`,
      ]),
    })),
  ];
}

function isGroup(unit: Unit): boolean {
  return unit.kind === 'node' && unit.node.does.kind === 'parallel';
}

function budgetsOf({ said }: Conductor): JsonObject {
  const { limits } = said.workflow;
  const seconds = limits?.timeout_seconds ?? 86_400;
  return {
    max_steps: 500,
    max_runtime_mins: Math.max(1, Math.ceil(seconds / 60)),
    ...(limits?.budget_usd != null && limits.budget_mode === 'enforce' ? { max_cost_usd: limits.budget_usd } : {}),
  };
}

const ZEROES: Record<string, Json> = { string: '', number: 0, integer: 0, boolean: false, array: [], object: {} };

function inputOf(spec: ConductorInput): JsonObject {
  const { type = 'string', required, default: otherwise, description }: NonNullable<ConductorInput> = spec ?? {};
  const zero: Json | undefined = required === false ? ZEROES[type] : undefined;
  const value: Json | undefined = otherwise ?? zero;
  return {
    type: type === 'array' ? 'list' : type,
    ...(value === undefined ? {} : { default: value }),
    ...(description === undefined ? {} : { description }),
  };
}
