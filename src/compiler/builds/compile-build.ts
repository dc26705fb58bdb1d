import type { Root, Template } from '../../plan/values/expression.js';
import { BUILD_MODEL } from '../../plan/agents/model-names.js';
import type { Plan } from '../../plan/plan.js';
import { NO_BUDGETS } from '../../plan/budget/budgets.js';
import type { Agent, AgentStep, ApprovalStep, PlanStep, StepBase } from '../../plan/step.js';
import { completeSpec, PLANNER_PROMPT, tasksSchema } from './build-planner.js';
import type { Shared } from '../workflow/compile-workflow.js';
import { isSmallEnough, seal } from '../workflow/compile-workflow.js';
import type { Texts } from '../hash.js';
import { hashOf, keepText } from '../hash.js';
import type { BuildDefinition } from '../load.js';
import { ofParts } from '../expressions/template.js';

const MINUTE_MS = 60_000;
/** What a build may use where the spec sets nothing. */
const TOKENS = 500_000;
const POOL = 3;

/**
 * The Plan of a build: an agent plans its tasks, a person approves exactly those, and the agents of the spec carry them
 * out.
 */
export function compileBuild(
  definition: BuildDefinition,
  { report, texts }: Pick<Shared, 'report' | 'texts'>,
): Plan | null {
  const { authored, name, node } = definition;
  const spec = completeSpec(authored);
  const agents = (authored.agents ?? [{ name: 'builder' }, { name: 'tester' }]).map((agent) => agent.name);
  const planner = plannerOf(texts);
  const hash = hashOf(planner);
  const tasks = reference('step:0.output', 'steps.plan.output');
  const plan: AgentStep = {
    ...baseOf(0, 'plan'),
    kind: 'agent',
    retry: { attempts: 3, backoff_ms: 2_000 },
    timeout_ms: 5 * MINUTE_MS,
    agent: hash,
    prompt: ofParts(
      [`Plan the tasks of this build.\n\n<spec>\n${JSON.stringify(spec, null, 2).replaceAll('</', '<\\/')}\n</spec>`],
      texts,
    ),
    inputs: {},
    model: null,
    schema: tasksSchema([...new Set(agents)]),
    checks: 'tasks',
    rehearsal: null,
  };
  const approve: ApprovalStep = {
    ...baseOf(1, 'approve'),
    kind: 'approval',
    needs: [{ step: 0, skip: true }],
    effect: 'none',
    message: { kind: 'literal', value: 'Are these the tasks to build it with?' },
    content: tasks,
    fallback: 'abort',
  };
  const build: PlanStep = {
    ...baseOf(2, 'build'),
    kind: 'plan',
    needs: [{ step: 1, skip: true }],
    effect: 'workspace',
    source: reference('step:1.output', 'steps.approve.output'),
    inputs: {},
    kinds: ['agent'],
    budgets: { ...NO_BUDGETS, max_parallel: POOL },
    message: null,
    fallback: 'abort',
    build: keepText(JSON.stringify(spec), texts),
  };
  const goal = authored.nugget?.goal ?? authored.goal ?? '';
  const sealed = seal({
    name,
    description: keepText(goal, texts),
    inputs: {},
    steps: [plan, approve, build],
    groups: {},
    output: {
      kind: 'map',
      entries: {
        tasks: reference('step:1.output', 'steps.approve.output.tasks', 'tasks'),
        summaries: reference('step:2.output', 'steps.build.output'),
      },
    },
    budgets: { ...NO_BUDGETS, max_parallel: POOL, max_tokens: authored.max_tokens ?? TOKENS },
    no_default: ['max_runtime_mins'],
    agents: { [hash]: planner },
    nested: {},
  });
  return isSmallEnough(sealed, node, report) ? sealed : null;
}

function reference(root: Root, source: string, ...path: string[]): Template {
  return { kind: 'expression', expression: { kind: 'reference', root, path, source } };
}

function plannerOf(texts: Texts): Agent {
  return {
    name: 'planner',
    description: 'Plans the tasks of a build.',
    prompt: ofParts([PLANNER_PROMPT], texts),
    model: BUILD_MODEL,
    program: null,
    tools: [],
    inputs: {},
    max_output_kb: 100,
    max_turns: 1,
  };
}

function baseOf(index: number, id: string): StepBase {
  return {
    index,
    id,
    needs: [],
    parallel_group: null,
    when: null,
    on_error: 'stop',
    retry: { attempts: 1, backoff_ms: 2_000 },
    timeout_ms: 0,
    deadline_ms: null,
    effect: 'none',
    always: false,
  };
}
