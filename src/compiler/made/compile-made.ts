import { resolve } from 'node:path';
import type { Made, MadeRules } from '../../plan/agents/made-definition.js';
import { isAmong } from '../../plan/agents/made-definition.js';
import type { Plan } from '../../plan/plan.js';
import type { Budgets } from '../../plan/budget/budgets.js';
import { everyStepOf } from '../../plan/plan.js';
import { LIMITS } from '../../plan/budget/budgets.js';
import type { Agent, ToolStep } from '../../plan/step.js';
import { isBlockStep, modelKeyOf } from '../../plan/step.js';
import { createCompiler } from '../compile.js';
import type { Compiled } from '../compile.js';
import { seal } from '../workflow/compile-workflow.js';
import { loadConfig } from '../project/config.js';
import { autonomyFaults, budgetFaults, toolStepFaults } from '../project/generated-rules.js';
import type { ReadStep } from '../formats/read-step.js';
import type { Definition } from '../load.js';
import { createLoader } from '../load.js';
import { hasErrors, problemLine, sortProblems, toldProblems } from '../problems/problem.js';
import { findProject } from '../project/project.js';

/** What agents make is compiled in the process that does everything else: what is larger is no workflow. */
const MOST_CHARACTERS = 100_000;
const MOST_STEPS = 1_000;

/**
 * Compiles a definition that exists as text only, as if it lay in the project of `workspace`. It may name what the
 * project's files may name, and agents that were made before it. Nothing is written. With `rules` it has none but the
 * steps, tools and models that they allow, its limits are at most theirs, and what is too large is not looked at.
 */
export function compileMade(
  { file, text, agents = {}, own, rules }: Made,
  workspace: string,
): Pick<Compiled, 'plan' | 'texts'> & { problems: string } {
  const project = { ...findProject(workspace), root: workspace };
  const at = (name: string): string => resolve(workspace, name);
  const made = new Map(
    [[file, text] as const, ...Object.entries(agents)].map(([name, content]) => [at(name), content]),
  );
  const read = (): Definition | null => createLoader(workspace, () => undefined, made).load(at(file));
  const looked = rules === undefined ? { fault: null, definition: null } : lookAt(text, read);
  if (looked.fault !== null) return refusal(file, looked.fault);
  const compiler = createCompiler({
    cwd: workspace,
    project,
    config: loadConfig(project).config,
    made: {
      texts: made,
      agents: Object.keys(agents).map(at),
      own: own === true,
      within: rules?.within ?? [],
      remotes: (rules?.tools ?? []).filter((tool) => tool.kind === 'mcp'),
    },
  });
  const plan = compiler.compile(at(file));
  const problems = sortProblems(compiler.problems);
  const sound = hasErrors(problems) ? null : plan;
  const said = rules?.kinds.includes('tool') === true ? toolStepFaults(looked.definition) : [];
  const broken = sound === null || rules === undefined ? [] : [...faultsOf(sound, rules), ...said];
  const lines = [
    ...problems.filter(({ severity }) => severity === 'error').map(problemLine),
    ...broken.map((fault) => `${file}  ${fault}`),
  ];
  return {
    plan: sound === null || broken.length > 0 ? null : narrowed(sound, rules),
    texts: compiler.texts,
    problems: toldProblems(lines),
  };
}

/** What a text says, unless it is too large to be looked at. */
function lookAt(text: string, read: () => Definition | null): { fault: string | null; definition: Definition | null } {
  if (text.length > MOST_CHARACTERS)
    return { fault: `Expected at most ${MOST_CHARACTERS} characters, got ${text.length}.`, definition: null };
  const definition = read();
  const count = stepsIn(definition);
  return { fault: count > MOST_STEPS ? `Expected at most ${MOST_STEPS} steps, got ${count}.` : null, definition };
}

function refusal(file: string, fault: string): ReturnType<typeof compileMade> {
  return { plan: null, texts: new Map(), problems: `${file}  ${fault}` };
}

/** How many steps a workflow has, those of bodies among them; 0 for what is no workflow. */
function stepsIn(definition: Definition | null): number {
  const counted = (steps: ReadStep[]): number =>
    steps.reduce((sum, { block }) => sum + 1 + counted(block?.steps ?? []), 0);
  return definition?.format === 'workflow'
    ? counted([...definition.authored.steps, ...definition.authored.finally])
    : 0;
}

/** What the rules do not allow, each in one sentence. */
function faultsOf(plan: Plan, rules: MadeRules): string[] {
  const steps = [...everyStepOf(plan)];
  const kinds = new Set(
    steps.filter((step) => !isBlockStep(step) && !rules.kinds.includes(step.kind)).map(({ kind }) => kind),
  );
  const models = new Set(
    steps
      .flatMap((step) => (step.kind === 'agent' ? [modelKeyOf(step, plan.agents[step.agent])] : []))
      .filter((key) => !rules.models.includes(key)),
  );
  const missing = Object.entries(plan.inputs)
    .filter(([name, { required }]) => required && rules.inputs?.includes(name) === false)
    .map(([name]) => name);
  return [
    ...autonomyFaults(plan),
    ...[...kinds].map((kind) => `Expected ${listed(rules.kinds)} steps only, got a \`${kind}\` step.`),
    ...Object.values(plan.agents).flatMap((agent) => toolFaults(agent, rules)),
    ...steps.flatMap((step) => (step.kind === 'tool' ? callFaults(step, rules) : [])),
    ...[...models].map(
      (key) =>
        `Expected one of the models of this run ` +
        `(${listed(rules.models.filter((name) => !name.startsWith('default:')))}), got \`${key}\`.`,
    ),
    ...missing.map((name) => `Its input \`${name}\` is given by nobody.`),
    // Who makes it hears of it at once; what a step plans and nobody asks again about has the smaller of both.
    ...(rules.inputs === null ? budgetFaults(plan.budgets, rules.budgets) : []),
  ];
}

/** What is made can do no more than who made it. */
function toolFaults(agent: Agent, { tools }: MadeRules): string[] {
  if (tools === null) return [];
  const uses = agent.uses ?? [];
  if (uses.some(({ name }) => name === 'workflow_create'))
    return [`The agent \`${agent.name}\` may use \`workflow_create\`: what is made nests no other workflow.`];
  const beyond = uses.filter((tool) => !isAmong(tool, tools)).map(({ name }) => name);
  const program =
    agent.program === null
      ? []
      : [
          `The agent \`${agent.name}\` is played by the program \`${agent.program}\`, which only people's ` +
            `workflows may start.`,
        ];
  return beyond.length === 0
    ? program
    : [...program, `The agent \`${agent.name}\` may use ${listed(beyond)}, which whoever made this may not.`];
}

function callFaults({ tool }: ToolStep, { tools }: MadeRules): string[] {
  if (tool.kind === 'mcp') return [`It calls \`${tool.name}\` of an MCP server, which only people's workflows do.`];
  return tools === null || isAmong(tool, tools)
    ? []
    : [`It calls the tool \`${tool.name}\`, which whoever made this may not use.`];
}

function listed(names: string[]): string {
  return names.length === 0 ? 'none' : names.map((name) => `\`${name === '' ? 'default' : name}\``).join(', ');
}

/** The Plan with the smaller of both limits. */
function narrowed(plan: Plan, rules: MadeRules | undefined): Plan {
  if (rules === undefined) return plan;
  const smaller = (own: number | null, most: number | null): number | null =>
    own === null ? most : Math.min(own, most ?? own);
  const budgets = Object.fromEntries(
    LIMITS.map((limit) => [limit, smaller(plan.budgets[limit], rules.budgets[limit])]),
  ) as Budgets; // the keys of a Record over Limit
  const { planVersion: _version, hash: _hash, ...rest } = plan;
  return seal({ ...rest, budgets });
}
