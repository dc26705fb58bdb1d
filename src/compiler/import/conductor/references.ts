import type { Report } from '../../problems/problem.js';
import { didYouMean } from '../../problems/did-you-mean.js';
import type { Node } from '../../text/node.js';
import { placesIn } from '../../text/node.js';
import type { Losses } from '../shared/loss.js';
import type { ConductorGraph, ConductorNode, Route } from './nodes.js';
import type { Region, Unit } from './regions.js';
import type { ConductorAgent, ConductorWorkflow } from './schema.js';

/** What another workflow is called here, what it takes and yields; or why it cannot be nested. */
export type Nested =
  | {
      name: string;
      /** Inputs that something in it reads, by their names there. */
      inputs: ReadonlyMap<string, { required: boolean }>;
      /** Fields of its output; null where it declares none. */
      output: readonly string[] | null;
    }
  | 'missing'
  | 'outside'
  | 'refused'
  | 'around';

/** A workflow while its parts are written in our words. */
export interface Conductor {
  name: string;
  said: ConductorWorkflow;
  at: Node;
  graph: ConductorGraph;
  report: Report;
  losses: Losses;
  /** Another workflow, by its path from the folder of this one. */
  nested: (path: string) => Nested;
  /** Inputs that something reads. */
  read: Set<string>;
  /** Conditions that are written already: of routes, and of the steps that they lead to. Null is refused. */
  fits: Map<Route, string | true | null>;
  entries: Map<Unit, string | true | null>;
}

/** Where something refers to values. */
export interface Site {
  conductor: Conductor;
  /** Whose steps it sees. */
  region: Region;
  /** The node at which it stands, or whose output it is about; null for the output of the workflow. */
  node: ConductorNode | null;
  /** Whether that node has an output already: in its routes. */
  isAfter?: boolean;
  /** The name of the item, inside a `for_each`. */
  item?: string;
  /** The text in which it stands. */
  at: Node;
  /** Where an expression begins in that text. */
  offset: number;
}

/** What a path means: our expression for it, or the end of a program, which its output tells in the last line. */
export type Meaning = { path: string; certain: boolean } | { exitOf: string } | { literal: string | number | boolean };

/** Characters of an expression. */
interface Span {
  start: number;
  end: number;
}

/** What a path means here; null when it means nothing, which is reported. */
export function meaningOf(parts: (string | number)[], site: Site, place: Span): Meaning | null {
  const [first, ...rest] = parts;
  const { conductor, item } = site;
  const written = `\`${parts.join('.')}\``;
  if (first === item && item !== undefined) return { path: `item${segments(rest)}`, certain: true };
  if (item !== undefined && first === '_index') return { path: 'index', certain: true };
  if (first === 'workflow') return ofWorkflow(rest, site, place);
  const node = typeof first === 'string' ? conductor.graph.byName.get(first) : undefined;
  if (node !== undefined) return ofNode(node, rest, site, place);
  if (site.isAfter && site.node !== null)
    return ofNode(site.node, first === 'output' || first === 'outputs' ? parts : ['output', ...parts], site, place);
  return refuse(site, place, `There is no ${written} here.`, nameHint(String(first), site));
}

function nameHint(name: string, { conductor }: Site): string | null {
  return didYouMean(name, [...conductor.graph.byName.keys()]) ?? 'name an agent: `{{ agent.output.field }}`';
}

/** Reports a reference that means nothing, or cannot be carried over. */
export function refuse(
  { conductor, at, offset }: Site,
  { start, end }: Span,
  message: string,
  suggestion: string | null,
): null {
  const place = typeof at.value === 'string' ? placesIn(at)(offset + start, end - start) : at;
  conductor.report({ code: 'unknown-variable', at: place, message, suggestion });
  return null;
}

function ofWorkflow(rest: (string | number)[], site: Site, place: Span): Meaning | null {
  const [key, name, ...fields] = rest;
  const { said } = site.conductor;
  if (key === 'name') return { literal: said.workflow.name };
  if (key === 'description') return { literal: said.workflow.description ?? '' };
  const inputs = said.workflow.input ?? {};
  if (key === 'input' && typeof name === 'string' && Object.hasOwn(inputs, name)) {
    site.conductor.read.add(name);
    return { path: `${inputName(name)}${segments(fields)}`, certain: true };
  }
  const known = Object.keys(inputs);
  return refuse(
    site,
    place,
    `There is no \`workflow.${rest.join('.')}\` here.`,
    key === 'input'
      ? (didYouMean(String(name), known) ?? 'declare it under `input` of the workflow')
      : 'name the file or the folder itself, from the root of the project',
  );
}

const RESERVED = new Set(['steps', 'parallel_group', 'item', 'index', 'rework', 'run', 'env', 'true', 'false', 'null']);

/** What an input is called here. */
export function inputName(name: string): string {
  const plain = name.replace(/[^A-Za-z0-9_]/g, '_').replace(/^(?=[0-9])/, '_');
  return RESERVED.has(plain) ? `${plain}_` : plain;
}

/** Parts of a path below a value. */
export function segments(parts: (string | number)[]): string {
  return parts
    .map((part) => {
      if (typeof part === 'number') return `[${part}]`;
      return /^[A-Za-z_][\w-]*$/.test(part) ? `.${part}` : `["${part.replace(/["\\]/g, '\\$&')}"]`;
    })
    .join('');
}

function ofNode(node: ConductorNode, rest: (string | number)[], site: Site, place: Span): Meaning | null {
  const { does } = node;
  const out = outputOf(node, site);
  if (does.kind === 'parallel') {
    const [key, name, ...fields] = rest;
    const member = does.members.find((one) => one.name === name);
    if (key === 'outputs' && member !== undefined) return ofNode(member, ['output', ...fields], site, place);
    return refuse(
      site,
      place,
      `\`${node.name}.${rest.join('.')}\` cannot be carried over.`,
      `name a member: \`{{ ${node.name}.outputs.${does.members[0]?.name ?? 'agent'} }}\``,
    );
  }
  const [key, ...fields] = rest;
  if (does.kind === 'for_each') {
    if (key === 'outputs' && (typeof fields[0] === 'number' || fields.length === 0))
      return below(
        out,
        fields.filter((part, index) => !isWhole(does.said.agent, part, index - 1)),
      );
    if (key === 'count') return { ...out, path: `${out.path}.length` };
    return refuse(
      site,
      place,
      `\`${node.name}.${rest.join('.')}\` cannot be carried over: the outputs are a list.`,
      `write \`{{ ${node.name}.outputs }}\``,
    );
  }
  return ofSingle({ node, does, out }, rest, site, place);
}

/** The field that an agent without a schema has. */
function isWhole({ output, type }: ConductorAgent, part: string | number | undefined, index: number): boolean {
  return index === 0 && part === 'result' && type !== 'workflow' && (output === undefined || output === null);
}

interface Read {
  node: ConductorNode;
  does: Exclude<ConductorNode['does'], { kind: 'parallel' | 'for_each' }>;
  out: { path: string; certain: boolean };
}

function ofSingle(read: Read, rest: (string | number)[], site: Site, place: Span): Meaning | null {
  const { node, does, out } = read;
  if (does.kind === 'human_gate') {
    const asked = rest[0] === 'output' ? rest[1] : rest[0];
    if (asked === 'selected' || asked === 'choice') return out;
    if (asked === 'feedback' || asked === 'additional_input') return { path: commentOf(node, site), certain: false };
  } else if (rest[0] !== 'output') {
    const key = rest.length === 0 ? '' : `.${String(rest[0])}`;
    const said = [node.name, ...rest].join('.');
    return refuse(site, place, `There is no \`${said}\`.`, `write \`{{ ${node.name}.output${key} }}\``);
  } else if (does.kind === 'agent') return ofAgent(read, rest.slice(1), site, place);
  else if (does.kind === 'workflow') return ofNested(read, rest.slice(1), site, place);
  const meaning = ofStep(read, rest.slice(1));
  if (meaning !== null) return meaning;
  return refuse(site, place, `\`${[node.name, ...rest].join('.')}\` cannot be carried over.`, hintFor(does.kind));
}

/** What a field of a program's output, or of values that are set, means. */
function ofStep({ does: { kind, said }, out }: Read, fields: (string | number)[]): Meaning | null {
  const [field] = fields;
  if (kind === 'questions') return ofQuestions(said, out, fields);
  if (kind === 'set') return below(out, said.values === undefined ? ['value', ...fields] : fields);
  if (kind !== 'script' || field === undefined || field === 'stderr') return null;
  if (field === 'stdout') return out;
  return field === 'exit_code' ? { exitOf: out.path } : below(out, fields);
}

/** What people have answered: a list of `{question, answer}`, in which the one of an id is known by its place. */
function ofQuestions({ questions }: ConductorAgent, out: Output, fields: (string | number)[]): Meaning | null {
  const [field, ...more] = fields;
  if (field === 'items') return below(out, more);
  if (field === 'answers' && more.length === 1) {
    const place = placeOfAnswer(String(more[0]), questions);
    return place < 0 ? null : below(out, [place, 'answer']);
  }
  const known = new Map<string, Meaning>([
    ...['', 'transcript', 'answers'].map((whole) => [whole, out] as const),
    ['answered_count', { ...out, path: `${out.path}.length` }],
    ['skipped_count', { literal: 0 }],
    ['answered_any', { literal: true }],
    ['outcome', { literal: 'completed' }],
  ]);
  return known.get(fields.join('.')) ?? null;
}

/** Questions without an id are `q1`, `q2` …; -1 where there is none of that id. */
function placeOfAnswer(id: string, questions: ConductorAgent['questions']): number {
  if (questions !== undefined) return questions.findIndex((one, index) => (one.id ?? `q${index + 1}`) === id);
  return Number(/^q([1-9]\d*)$/.exec(id)?.[1] ?? 0) - 1;
}

function ofAgent(read: Read, fields: (string | number)[], site: Site, place: Span): Meaning | null {
  const { node, does, out } = read;
  const { said } = does;
  const [field, ...more] = fields;
  const declared = typeof said.output === 'object' ? said.output : null;
  if (field === undefined) return out;
  if (declared === null && field === 'result' && more.length === 0) return out;
  if (declared !== null && Object.hasOwn(declared, field)) return below(out, fields);
  const suggestion =
    declared === null
      ? `declare it: \`output: {${field}: {type: string}}\``
      : (didYouMean(String(field), Object.keys(declared)) ?? 'declare it under `output`');
  const message = `\`${node.name}\` has no field \`${field}\` in its \`output\`.`;
  return refuse(site, place, message, suggestion);
}

/** A field of what a nested workflow yields. */
function ofNested({ node, does, out }: Read, fields: (string | number)[], site: Site, place: Span): Meaning | null {
  const path = does.said.workflow ?? '';
  const nested = site.conductor.nested(path);
  // One that cannot be nested is told where it stands.
  const known = typeof nested === 'string' ? [String(fields[0])] : nested.output;
  const [field] = fields;
  if (field !== undefined && known?.includes(String(field))) return below(out, fields);
  const said = [node.name, 'output', ...fields].join('.');
  const hint = known === null ? null : didYouMean(String(field), [...known]);
  const missing = field === undefined ? 'name a field of it' : `declare \`${field}\` under \`output\` there`;
  return refuse(site, place, `\`${said}\` is no field of the output of \`${path}\`.`, hint ?? missing);
}

function hintFor(kind: string): string | null {
  return kind === 'script' ? 'write `2>&1` in the command, and read `stdout`' : 'leave it out';
}

/** What a node yields, as it is seen from a place. */
export function outputOf(node: ConductorNode, { region, node: reader, conductor, isAfter }: Site): Output {
  const { scope, steps } = wayTo(node, region);
  const [step = node.step, ...inner] = steps;
  const path = `steps.${step}.output${segments(inner)}`;
  if (steps.length > 1 || reader === null || mayFail(node, conductor)) return { path, certain: false };
  const own = scope.units.find((unit) => unit.step === node.step);
  const runsAlways = isAfter === true && own !== undefined && conductor.entries.get(own) === true;
  return { path, certain: runsAlways || comesBefore(step, reader, scope) };
}

interface Output {
  path: string;
  /** Whether it is there whenever the reader runs. */
  certain: boolean;
}

function below(output: Output, parts: (string | number)[]): Output {
  return { ...output, path: output.path + segments(parts) };
}

/** Whether the run goes on when the node fails. */
function mayFail(node: ConductorNode, { graph }: Conductor): boolean {
  return [...graph.nodes].some(
    ({ does }) =>
      does.kind === 'parallel' && does.mode !== undefined && does.mode !== 'fail_fast' && does.members.includes(node),
  );
}

/** The region that both see, and the steps that lead from there to a node: those of loops, then its own. */
function wayTo(node: ConductorNode, from: Region): { scope: Region; steps: string[] } {
  let scope: Region = from;
  while (!holds(scope, node) && scope.outer !== null) scope = scope.outer.region;
  const steps: string[] = [];
  for (let inside: Region | null = scope; inside !== null;) {
    const loop: Region | undefined = inside.units.flatMap((unit) =>
      unit.kind === 'loop' && holds(unit.region, node) ? [unit.region] : [],
    )[0];
    steps.push(loop?.outer?.step ?? node.step);
    inside = loop ?? null;
  }
  return { scope, steps };
}

function holds({ nodes }: Region, node: ConductorNode): boolean {
  return [...nodes].some((one) => one === node || (one.does.kind === 'parallel' && one.does.members.includes(node)));
}

function commentOf(node: ConductorNode, { region }: Site): string {
  const { steps } = wayTo(node, region);
  const [step = node.step, ...inner] = steps;
  if (inner.length === 0) return `steps.${step}.comment`;
  return `steps.${step}.output${segments([...inner.slice(0, -1), `${node.step}-comment`])}`;
}

/** Tells whether a step has always run, in this round, when another one begins. */
function comesBefore(step: string, reader: ConductorNode, scope: Region): boolean {
  const target = scope.units.findIndex((unit) => unitHolds(unit, reader));
  const source = scope.units.findIndex(
    (unit) => (unit.kind === 'node' && nodeHolds(unit.node, step)) || unit.step === step,
  );
  if (source === -1 || target === -1 || source >= target) return false;
  // Without it, is there another way from the entry?
  const reached = new Set([scope.units[0]]);
  if (source === 0) return true;
  for (const unit of reached) {
    if (unit === undefined || unit === scope.units[source]) continue;
    for (const to of leadsTo(unit)) {
      const next = scope.units.find((one, index) => index > 0 && unitHolds(one, to));
      if (next !== undefined) reached.add(next);
    }
  }
  return !reached.has(scope.units[target]);

  function leadsTo(unit: Region['units'][number]): ConductorNode[] {
    const from = unit.kind === 'node' ? [unit.node] : [...unit.region.nodes];
    return from.flatMap(({ routes }) => routes.flatMap(({ to }) => [...scope.nodes].filter((one) => one.name === to)));
  }
}

function unitHolds(unit: Region['units'][number], node: ConductorNode): boolean {
  return unit.kind === 'node' ? nodeHolds(unit.node, node.step) : holds(unit.region, node);
}

function nodeHolds({ step, does }: ConductorNode, wanted: string): boolean {
  return step === wanted || (does.kind === 'parallel' && does.members.some((member) => member.step === wanted));
}
