import type { Template } from '../plan/expression.js';
import type { Budgets, Plan } from '../plan/plan.js';
import { packPlan } from '../plan/pack.js';
import { NO_BUDGETS, PLAN_BYTES, PLAN_VERSION } from '../plan/plan.js';
import type { Agent, InputSpec, Step } from '../plan/step.js';
import type { Hash } from '../plan/value.js';
import type { AgentCompiler, AgentDefinition } from './compile-agent.js';
import { compileStep } from './compile-step.js';
import { checkStepCycle } from './cycles.js';
import type { EdgeStep } from './edges.js';
import { countEdges, edgesOf } from './edges.js';
import type { AuthoredStep } from './formats/step.js';
import type { Texts } from './hash.js';
import { hashOf, keepText } from './hash.js';
import { declaredInputs, foundInputs } from './inputs.js';
import type { Definition } from './load.js';
import { collectNames } from './names.js';
import { needsOf } from './needs.js';
import type { Node } from './node.js';
import { keyOf, memberOf } from './node.js';
import type { Report } from './problem.js';
import type { Names } from './scope.js';
import { createScope } from './scope.js';
import type { TemplateContext } from './template.js';
import { compileTemplate } from './template.js';
import { templatesOf, usesOf } from './uses.js';

export type WorkflowDefinition = Definition & { format: 'workflow' };

/** What the compilation of one workflow shares with those of all others. */
export interface Shared {
  report: Report;
  texts: Texts;
  /** The agent of that name; null when there is none, which is reported at `at`. */
  findAgent: (name: string, from: WorkflowDefinition, at: Node) => AgentDefinition | null;
  compileAgent: AgentCompiler;
  /** The Plan of the workflow of that name or path; null when it has problems of its own. */
  findWorkflow: (name: string, from: WorkflowDefinition, at: Node) => Plan | null;
}

/** The Plan of a workflow file alone; null when there is any error in it or in what it nests. */
export function compileWorkflow(definition: WorkflowDefinition, shared: Shared): Plan | null {
  let failed = definition.authored.broken;
  const report: Report = (finding) => {
    if (finding.severity !== 'warning') failed = true;
    shared.report(finding);
  };
  const { authored, node } = definition;
  const stepNodes = memberOf(node, 'steps')?.items ?? [];
  const names = collectNames(authored, stepNodes, report);
  const compiler = createStepCompiler({ definition, shared, names, stepNodes, report });
  const declared = declaredInputs(authored.inputs, memberOf(node, 'inputs'), shared.texts, report);
  const output = compileOutput(compiler.templatesAt(null), memberOf(node, 'output'));

  let compiled = compiler.compile([]);
  // What a broken step refers to is not known.
  const unused = compiled.steps.includes(null) ? [] : unusedInputs(Object.keys(declared), compiled.steps, output);
  for (const name of unused) {
    const message = `Nothing refers to the input \`${name}\`; every agent is shown it.`;
    report({ code: 'unused-input', severity: 'warning', at: keyOf(memberOf(node, 'inputs') ?? node, name), message });
  }
  if (unused.length > 0) compiled = compiler.compile(unused);

  const edges = addEdges({ ...compiled, stepNodes, names, report, at: memberOf(node, 'steps') ?? node });
  if (failed || !edges || compiled.steps.some((step) => step === null)) return null;
  const steps = compiled.steps.filter((step) => step !== null);
  const plan = seal({
    name: definition.name,
    description: authored.description === undefined ? null : keepText(authored.description, shared.texts),
    inputs: { ...declared, ...foundInputs(steps, output, declared, compiled.hoisted) },
    steps,
    groups: Object.fromEntries(names.groups),
    output,
    budgets: budgetsOf(authored.budgets),
    agents: compiled.agents,
    nested: compiled.nested,
  });
  return isSmallEnough(plan, node, report) ? plan : null;
}

/** Versions and hashes what is otherwise complete (I2). */
export function seal(body: Omit<Plan, 'planVersion' | 'hash'>): Plan {
  const plan = { planVersion: PLAN_VERSION, ...body } as const;
  return { ...plan, hash: hashOf(plan) };
}

interface Compiled {
  steps: (Step | null)[];
  agents: Record<Hash, Agent>;
  nested: Plan['nested'];
  /** Inputs that nested workflows need from the caller. */
  hoisted: Map<string, InputSpec>;
  needs: number[][];
}

interface StepCompiler {
  templatesAt: (index: number | null) => TemplateContext;
  /** All steps, with these inputs shown to every agent. */
  compile: (shown: string[]) => Compiled;
}

function createStepCompiler({ definition, shared, names, stepNodes, report }: { definition: WorkflowDefinition; shared: Shared; names: Names; stepNodes: Node[]; report: Report }): StepCompiler {
  const { texts } = shared;
  const templatesAt = (index: number | null): TemplateContext => ({ resolve: createScope(names, index, report), report, texts });

  const compile = (shown: string[]): Compiled => {
    const compiled: Compiled = { steps: [], agents: {}, nested: {}, hoisted: new Map(), needs: [] };
    const compileOne = (authored: AuthoredStep | null, index: number): Step | null => {
      const node = stepNodes[index];
      if (authored === null || node === undefined) return null;
      return compileStep(authored, {
        index,
        mode: names.mode,
        node,
        templates: templatesAt(index),
        report,
        texts,
        shown,
        findAgent: (name, at) => shared.findAgent(name, definition, at),
        findWorkflow: (name, at) => shared.findWorkflow(name, definition, at),
        compileAgent: shared.compileAgent,
        keepAgent: (hash, agent) => (compiled.agents[hash] = agent),
        keepNested: (plan) => keepNested(plan, compiled),
        hoist: (name, spec) => hoist({ name, spec, names, compiled, at: memberOf(node, 'workflow') ?? node, report }),
      });
    };
    compiled.steps = definition.authored.steps.map(compileOne);
    compiled.needs = stepNodes.map((node, index) => needsOf(node, index, names, report));
    return compiled;
  };

  return { templatesAt, compile };
}

/** A nested Plan goes in flat: its body under its hash, and whatever it reaches beside it. */
function keepNested({ planVersion: _version, hash, agents, nested, ...body }: Plan, compiled: Compiled): void {
  compiled.nested[hash] = body;
  Object.assign(compiled.nested, nested);
  Object.assign(compiled.agents, agents);
}

interface Hoisting {
  name: string;
  spec: InputSpec;
  names: Names;
  compiled: Compiled;
  at: Node;
  report: Report;
}

function hoist({ name, spec, names, compiled, at, report }: Hoisting): Template | null {
  if (names.outputs.has(name)) {
    const message = `The nested workflow needs the input \`${name}\`, and an output here has that name.`;
    report({ code: 'missing-input', at, message, suggestion: `pass it on: inputs: {${name}: "\${${name}}"}` });
    return null;
  }
  if (!names.inputs.has(name) && !compiled.hoisted.has(name)) compiled.hoisted.set(name, spec);
  return { kind: 'expression', expression: { kind: 'reference', root: `input:${name}`, path: [], source: name } };
}

function compileOutput(templates: TemplateContext, node: Node | null): Template | null {
  return node && compileTemplate(node, templates);
}

function unusedInputs(declared: string[], steps: (Step | null)[], output: Template | null): string[] {
  const used = new Set(steps.flatMap((step) => (step === null ? [] : usesOf(templatesOf(step), [step.when]))).concat(usesOf([output])).map(({ root }) => root));
  return declared.filter((name) => !used.has(`input:${name}`));
}

/** Writes `needs` into the steps; false when they wait for each other, or are too many. */
function addEdges({ steps, needs, stepNodes, names, report, at }: Compiled & { stepNodes: Node[]; names: Names; report: Report; at: Node }): boolean {
  const edgeSteps = steps.map((step, index): EdgeStep => ({
    group: groupOf(stepNodes[index]),
    needs: needs[index] ?? [],
    uses: step === null ? [] : usesOf(templatesOf(step), [step.when]),
  }));
  // The shortest edge takes 22 bytes of the Plan.
  if (countEdges(edgeSteps, names.mode, names.groups) > PLAN_BYTES / 22) {
    report({ code: 'plan-too-large', at: keyOf(at, ''), message: 'The steps depend on each other in too many ways: the Plan would have more than 1 MiB.' });
    return false;
  }
  const edges = edgesOf(edgeSteps, names.mode, names.groups);
  steps.forEach((step, index) => {
    if (step !== null) step.needs = edges[index] ?? [];
  });
  return checkStepCycle(edges, stepNodes, report);
}

function groupOf(node: Node | undefined): string | null {
  const group = node && memberOf(node, 'parallel_group')?.value;
  return typeof group === 'string' ? group : null;
}

function budgetsOf(authored: { [limit in keyof Budgets]?: number | undefined } | undefined): Budgets {
  const budgets = { ...NO_BUDGETS };
  for (const limit of Object.keys(budgets) as (keyof Budgets)[]) budgets[limit] = authored?.[limit] ?? null; // the keys of a Record over Limit
  return budgets;
}

function isSmallEnough(plan: Plan, node: Node, report: Report): boolean {
  const bytes = Buffer.byteLength(JSON.stringify(packPlan(plan)));
  if (bytes <= PLAN_BYTES) return true;
  const message = `Expected a Plan of at most 1 MiB, got ${(bytes / PLAN_BYTES).toFixed(1)} MiB.`;
  report({ code: 'plan-too-large', at: keyOf(node, 'steps'), message, suggestion: 'move steps into nested workflows' });
  return false;
}
