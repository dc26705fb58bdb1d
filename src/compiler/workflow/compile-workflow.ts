import { autonomyIn } from '../formats/autonomy.js';
import type { ExhaustionPolicy } from '../../plan/budget/exhaustion.js';
import type { Found } from '../project/devices.js';
import type { DeviceRef } from '../../plan/devices/device.js';
import type { Template } from '../../plan/values/expression.js';
import type { Plan } from '../../plan/plan.js';
import type { Budgets } from '../../plan/budget/budgets.js';
import { packPlan, packStep } from '../../plan/packing/packed-plan.js';
import { PLAN_BYTES, PLAN_VERSION } from '../../plan/plan.js';
import { NO_BUDGETS } from '../../plan/budget/budgets.js';
import type { Agent, InputSpec, Step } from '../../plan/step.js';
import { everyStep } from '../../plan/step.js';
import type { InputType } from '../../plan/values/input-type.js';
import { ownOf } from '../../plan/values/own.js';
import type { Hash } from '../../plan/values/value.js';
import type { AgentCompiler } from '../agents/compile-agent.js';
import type { AgentDefinition } from '../agents/agent-definition.js';
import type { BlockSource, CompiledBlock, StepMemo } from './block.js';
import { soundBlock } from './block.js';
import { checkConditions } from './check-conditions.js';
import { compileBlock } from './compile-block.js';
import type { Texts } from '../hash.js';
import { hashOf, keepText } from '../hash.js';
import { declaredInputs, foundInputs } from '../inputs/inputs.js';
import type { Definition } from '../load.js';
import type { Resolution } from '../project/resolve.js';
import { collectNames } from '../expressions/collect-names.js';
import type { Node } from '../text/node.js';
import { keyOf, memberOf } from '../text/node.js';
import { meansPerhaps } from '../problems/did-you-mean.js';
import type { Place, Report } from '../problems/problem.js';
import { hasShortPaths } from './path-lengths.js';
import type { Names } from '../expressions/scope.js';
import { createScope } from '../expressions/scope.js';
import type { StepContext, WantedInput } from '../steps/base.js';
import type { StepTool } from '../agents/step-tools.js';
import type { Use } from '../expressions/references.js';
import { usesOf, usesOfStep } from '../expressions/references.js';

export type WorkflowDefinition = Definition & { format: 'workflow' };

/** What the compilation of one workflow shares with those of all others. */
export interface Shared {
  report: Report;
  /** Steps of the file that is being written, and only looked at: its Plan is not used. */
  memo?: StepMemo | undefined;
  texts: Texts;
  /** The agent of that name; null when there is none, which is reported at `at`. */
  findAgent: (name: string, from: { file: string }, at: Place) => AgentDefinition | null;
  /** What workflows that agents make may have, and use. */
  generated: StepContext['generated'];
  /** The file of the agent of a name, or why there is none; nothing is reported. */
  lookUpAgent: (name: string, from: { file: string }) => Resolution;
  /** The device of that name; null when there is none, which is reported at `at`. */
  findDevice: (name: string, at: Node) => DeviceRef | null;
  /** The device of that name, or why it cannot be used; nothing is reported. */
  lookUpDevice: (name: string) => Found;
  compileAgent: AgentCompiler;
  /** The tool of that name; null when there is none, which is reported at `at`. */
  findTool: (name: string, from: { file: string }, at: Node) => StepTool | null;
  /** The Plan of the workflow of that name or path, given these inputs; null when it has problems of its own. */
  findWorkflow: (name: string, from: WorkflowDefinition, at: Node, given?: readonly string[]) => Plan | null;
}

/**
 * The Plan of a workflow file alone, which takes some inputs more than it says; null when there is any error in it or
 * in what it nests.
 */
export function compileWorkflow(
  definition: WorkflowDefinition,
  shared: Shared,
  taken: readonly string[] = [],
): Plan | null {
  let failed = definition.authored.broken;
  const meant = new Set<string>();
  const slips: Place[] = [];
  const report: Report = (finding) => {
    if (finding.severity !== 'warning') failed = true;
    if (finding.code === 'near-input') {
      meant.add(meantBy(finding));
      slips.push(finding.at);
    }
    shared.report(finding);
  };
  const { authored, node } = definition;
  const source = sourceOf(definition, report);
  const declared = {
    ...declaredInputs(authored.inputs, memberOf(node, 'inputs'), shared.texts, report),
    ...Object.fromEntries(taken.map((name) => [name, TAKEN])),
  };
  const compile = (shown: string[]): Compiled => compileSteps(source, shown, { definition, shared, report });

  let compiled = compile([]);
  const unused = authored.broken ? [] : unusedInputs(Object.keys(declared), compiled.steps, compiled.output);
  // A name that another is nearly is used, but for a slip, which is told.
  const idle = unused.filter((one) => !meant.has(meansPerhaps(one)));
  tellUnused(idle, node, report);
  if (unused.length > 0) compiled = compile(unused);

  checkCommits(definition, compiled, report);
  const { nested } = compiled;
  const inputTypes = typesOf(declared, compiled, authored);
  if (!authored.broken) checkConditions(compiled, source.nodes, { inputTypes, nested }, elsewhere(slips, report));
  const block = soundBlock(compiled);
  if (failed || block === null) return null;
  const body = {
    name: definition.name,
    description: descriptionIn(authored, shared),
    inputs: { ...declared, ...foundInputs(block.steps, block.output, declared, compiled.hoisted) },
    ...block,
    budgets: budgetsOf(authored.budgets),
    ...policiesIn(authored),
    ...workspaceOf(authored.workspace),
    ...(authored.narrate === true ? { narrate: true as const } : {}),
    agents: compiled.agents,
    nested: compiled.nested,
  };
  if (!hasShortPaths(body, node, report)) return null;
  if (isForProblemsAlone(definition, shared) && isSurelySmall(body)) return null;
  const plan = seal(body);
  return isSmallEnough(plan, node, report) ? plan : null;
}

function descriptionIn({ description }: WorkflowDefinition['authored'], { texts }: Shared): Plan['description'] {
  return description === undefined ? null : keepText(description, texts);
}

/** Reports what does not stand in one of these places: a slip that is told is no condition over a text beside. */
function elsewhere(places: Place[], report: Report): Report {
  return (finding) => {
    const { at } = finding;
    if (!places.some(({ source, start, end }) => at.source === source && at.start >= start && at.start < end))
      report(finding);
  };
}

function tellUnused(names: string[], node: WorkflowDefinition['node'], report: Report): void {
  for (const name of names) {
    const message = `Nothing refers to the input \`${name}\`; every agent is shown it.`;
    report({ code: 'unused-input', severity: 'warning', at: keyOf(memberOf(node, 'inputs') ?? node, name), message });
  }
}

/**
 * The type of each input by its name, `any` where nobody says one. Null where nothing is known of it by intent: its
 * author says `any`, or the workflow around or a trigger gives it.
 */
function typesOf(
  declared: Record<string, InputSpec>,
  { hoisted }: Compiled,
  { inputs, schedule, on }: WorkflowDefinition['authored'],
): (name: string) => InputType | null {
  const timed = typeof schedule === 'object' && !Array.isArray(schedule) ? schedule.inputs : {};
  const given = [timed, on?.webhook?.inputs, on?.run?.inputs].flatMap((one) => Object.keys(one ?? {}));
  return (name) => {
    const spec = ownOf(declared, name) ?? hoisted.get(name);
    const type = spec?.type ?? 'any';
    const isOpen = spec === TAKEN || given.includes(name) || ownOf(inputs ?? {}, name)?.type === 'any';
    return type === 'any' && isOpen ? null : type;
  };
}

/** An input that is given and not declared. */
const TAKEN: InputSpec = { type: 'any', required: false, description: null };

/** What a name that is most likely no input was meant for, as `meansPerhaps` says it. */
function meantBy({ fix, suggestion }: Parameters<Report>[0]): string {
  const [name] = /^[\w-]+/.exec(fix?.text ?? '') ?? [];
  return name === undefined ? (suggestion ?? '') : meansPerhaps(name);
}

/** Of a file that is being written nobody takes the Plan, but what looks at runs that start by themselves. */
function isForProblemsAlone({ file, authored }: WorkflowDefinition, { memo }: Shared): boolean {
  return memo?.isOf(file) === true && authored.schedule === undefined && authored.on === undefined;
}

/** The workflow's own steps, those of `finally` last. */
function sourceOf({ authored, node }: WorkflowDefinition, report: Report): BlockSource {
  const ordinary = memberOf(node, 'steps')?.items ?? [];
  const nodes = [...ordinary, ...(memberOf(node, 'finally')?.items ?? [])];
  const inputs = new Set(Object.keys(authored.inputs ?? {}));
  const names = collectNames({
    mode: authored.execution ?? 'sequential',
    stepNodes: nodes,
    ordinary: ordinary.length,
    inputs,
    outer: null,
    repeats: null,
    report,
  });
  return {
    steps: [...authored.steps, ...authored.finally],
    nodes,
    names,
    output: memberOf(node, 'output'),
    at: memberOf(node, 'steps') ?? node,
  };
}

/** Versions and hashes what is otherwise complete (I2). */
export function seal(body: Omit<Plan, 'planVersion' | 'hash'>): Plan {
  const plan = { planVersion: PLAN_VERSION, ...body } as const;
  return { ...plan, hash: hashOf(plan) };
}

interface Compiled extends CompiledBlock {
  agents: Record<Hash, Agent>;
  nested: Plan['nested'];
  /** Inputs that nested workflows need from the caller. */
  hoisted: Map<string, InputSpec>;
}

/** Compiles all steps, with some inputs shown to every agent. */
function compileSteps(
  source: BlockSource,
  shown: string[],
  { definition, shared, report }: { definition: WorkflowDefinition; shared: Shared; report: Report },
): Compiled {
  const kept: Kept = { agents: {}, nested: {}, hoisted: new Map() };
  const block = compileBlock(source, {
    report,
    scope: createScope,
    memo: shared.memo?.isOf(definition.file) === true ? shared.memo : undefined,
    texts: shared.texts,
    shown,
    workTree: definition.authored.workspace !== undefined,
    findDevice: shared.findDevice,
    findTool: (name, at) => shared.findTool(name, definition, at),
    generated: shared.generated,
    findAgent: (name, at) => shared.findAgent(name, definition, at),
    findWorkflow: (name, at, given) => shared.findWorkflow(name, definition, at, given),
    compileAgent: shared.compileAgent,
    keepAgents: (agents) => void Object.assign(kept.agents, agents),
    keepNested: (plan) => keepNested(plan, kept),
    nestedBody: (plan) => kept.nested[plan],
    hoist: (wanted, from) => hoist({ ...wanted, ...from, kept, report }),
  });
  return { ...block, ...kept };
}

type Kept = Pick<Compiled, 'agents' | 'nested' | 'hoisted'>;

/** A nested Plan goes in flat: its body under its hash, and whatever it reaches beside it. */
function keepNested({ planVersion: _version, hash, agents, nested, ...body }: Plan, kept: Kept): void {
  kept.nested[hash] = body;
  Object.assign(kept.nested, nested);
  Object.assign(kept.agents, agents);
}

interface Hoisting extends WantedInput {
  names: Names;
  kept: Kept;
  at: Node;
  report: Report;
}

function hoist({ workflow, name, spec, names, kept, at, report }: Hoisting): Template | null {
  for (let scope: Names | undefined = names; scope !== undefined; scope = scope.outer?.names) {
    if (!scope.outputs.has(name)) continue;
    const message = `The workflow \`${workflow}\` needs the input \`${name}\`, and an output here has that name.`;
    report({ code: 'missing-input', at, message, suggestion: `pass it on: inputs: {${name}: "\${${name}}"}` });
    return null;
  }
  if (!names.inputs.has(name) && !kept.hoisted.has(name)) kept.hoisted.set(name, spec);
  return { kind: 'expression', expression: { kind: 'reference', root: `input:${name}`, path: [], source: name } };
}

function unusedInputs(declared: string[], steps: (Step | null)[], output: Template | null): string[] {
  // What a broken step refers to is not known.
  if (declared.length === 0 || steps.includes(null)) return [];
  const used = new Set<string>();
  const take = ({ root }: Use): void => void (root.startsWith('input:') && used.add(root));
  for (const step of steps) if (step !== null) usesOfStep(step).forEach(take);
  usesOf([output]).forEach(take);
  return declared.filter((name) => !used.has(`input:${name}`));
}

function policiesIn({
  autonomy: said,
  budgets,
  durability,
}: WorkflowDefinition['authored']): Pick<Plan, 'on_exhausted' | 'autonomy' | 'durability'> {
  const autonomy = autonomyIn(said);
  return {
    ...(budgets?.on_exhausted === undefined ? {} : { on_exhausted: policyOf(budgets.on_exhausted) }),
    ...(autonomy === undefined ? {} : { autonomy }),
    ...(durability === 'synced' ? { durability } : {}),
  };
}

function workspaceOf(authored: WorkflowDefinition['authored']['workspace']): Pick<Plan, 'workspace'> {
  if (authored === undefined) return {};
  const { carry = [], carry_mb, from } = authored === 'worktree' ? {} : authored;
  return {
    workspace: {
      kind: 'worktree',
      carry,
      ...(carry_mb === undefined ? {} : { carry_mb }),
      ...(from === undefined ? {} : { from }),
    },
  };
}

/** Commits are made in a work tree, and a workflow that needs one runs where there is one. */
function checkCommits({ node }: WorkflowDefinition, { steps, nested }: Compiled, report: Report): void {
  if (memberOf(node, 'workspace') !== null) return;
  const commits = steps.some((step) => step !== null && [...everyStep({ steps: [step] })].some((one) => one.commit));
  const inside = Object.values(nested).find(({ workspace }) => workspace !== undefined);
  if (!commits && inside === undefined) return;
  const what = commits ? 'A step here has `commit`' : `The workflow \`${inside?.name ?? ''}\` works in a work tree`;
  report({
    code: 'missing-key',
    at: keyOf(node, 'steps'),
    message: `${what}, and this workflow works in the project's folder.`,
    suggestion: 'write `workspace: worktree` beside `steps`',
  });
}

function budgetsOf(authored: { [limit in keyof Budgets]?: number | undefined } | undefined): Budgets {
  const budgets = { ...NO_BUDGETS };
  // the keys of a Record over Limit
  for (const limit of Object.keys(budgets) as (keyof Budgets)[]) budgets[limit] = authored?.[limit] ?? null;
  return budgets;
}

/** A policy without what is not said: a Plan has no undefined values. */
function policyOf(authored: {
  [limit in keyof ExhaustionPolicy]?: ExhaustionPolicy[limit] | undefined;
}): ExhaustionPolicy {
  return Object.fromEntries(Object.entries(authored).filter(([, action]) => action !== undefined));
}

/** Bytes of packed steps without their edges: most steps of a file that is being written stay what they are. */
const stepBytes = new WeakMap<Step, number>();
/** Of an edge in a packed Plan, at most. */
const EDGE_BYTES = 40;

/** Tells, without packing all of it, whether a Plan is far smaller than it may be. */
function isSurelySmall({ steps, ...rest }: Omit<Plan, 'planVersion' | 'hash'>): boolean {
  let bytes = Buffer.byteLength(JSON.stringify(rest)) + 1_000;
  for (const step of steps) {
    let own = stepBytes.get(step);
    if (own === undefined)
      stepBytes.set(step, (own = Buffer.byteLength(JSON.stringify(packStep({ ...step, needs: [] }))) + 20));
    bytes += own + step.needs.length * EDGE_BYTES;
  }
  return bytes < PLAN_BYTES;
}

/** Tells whether the packed Plan has at most 1 MiB (I2); else that is reported. */
export function isSmallEnough(plan: Plan, node: Node, report: Report): boolean {
  const bytes = Buffer.byteLength(JSON.stringify(packPlan(plan)));
  if (bytes <= PLAN_BYTES) return true;
  const message = `Expected a Plan of at most 1 MiB, got ${(bytes / PLAN_BYTES).toFixed(1)} MiB.`;
  report({ code: 'plan-too-large', at: keyOf(node, 'steps'), message, suggestion: 'move steps into nested workflows' });
  return false;
}
