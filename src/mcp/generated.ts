import type { Config } from '../compiler/project/config.js';
import { autonomyFaults, budgetFaults, toolStepFaults } from '../compiler/project/generated-rules.js';
import type { Definition } from '../compiler/load.js';
import type { Plan } from '../plan/plan.js';
import type { Budgets } from '../plan/budget/budgets.js';
import { LIMITS, NO_BUDGETS } from '../plan/budget/budgets.js';
import { everyStepOf } from '../plan/plan.js';
import { McpRefusal } from './errors.js';

/** What a workflow gets that a model made. */
const GENERATED_BUDGETS: Budgets = { ...NO_BUDGETS, max_steps: 10, max_parallel: 3, max_runtime_mins: 5 };
/** The gate before it counts as a step of the same run. */
const GATES_BEFORE = 1;

/** Limits of a run of what a client made; what the definition itself sets may be smaller. */
export function generatedLimits({ workflows }: Config): Budgets {
  const limits = ownLimits(workflows);
  return { ...limits, max_steps: limits.max_steps === null ? null : limits.max_steps + GATES_BEFORE };
}

function ownLimits(workflows: Config['workflows']): Budgets {
  const set = workflows?.ai_generated_budgets ?? {};
  // an entry for each
  return Object.fromEntries(LIMITS.map((limit) => [limit, set[limit] ?? GENERATED_BUDGETS[limit]])) as Budgets;
}

/**
 * What a model makes has agents do the work: it cannot nest, runs no commands of its own, and has limits no larger than
 * the config's.
 */
export function checkGenerated(plan: Plan, { workflows }: Config): void {
  const [beyond] = [...autonomyFaults(plan), ...budgetFaults(plan.budgets, ownLimits(workflows))];
  if (beyond !== undefined) throw new McpRefusal(beyond);
  const allowed = workflows?.ai_generated?.allow_tools === true ? ['agent', 'tool'] : ['agent'];
  for (const { kind, id, index } of everyStepOf(plan)) {
    if (allowed.includes(kind)) continue;
    throw new McpRefusal(
      `A workflow that is made over MCP has steps of ${allowed.map((word) => `\`${word}:\``).join(' and ')} ` +
        `only; step \`${id ?? index}\` is a \`${kind}\`.`,
    );
  }
}

/** Throws for what a step of a tool says that is not its maker's to say. */
export function checkToolSteps(definition: Definition | null): void {
  const [fault] = toolStepFaults(definition);
  if (fault !== undefined) throw new McpRefusal(fault);
}
