import { expect, it } from 'vitest';
import { assemble } from '../../../src/cli/observe/assemble.js';
import type { RunEvent } from '../../../src/cli/observe/history/run-event.js';
import { executionBudget } from '../../../src/cli/render/json.js';
import { NO_BUDGETS } from '../../../src/plan/budget/budgets.js';
import { limitsNow } from '../../../src/plan/budget/limits-now.js';
import { foldOf, recordedEvents } from '../helpers/recorded.js';

const CAP = { steps: null, nanousd: 3_000_000_000, tokens: null, slots: null };

it('the limits of a run that has continued as new are those with what was added before, each addition once', () => {
  const { run, events } = recordedEvents('loop-over');
  const [first, ...rest] = events;
  if (first?.kind !== 'run-started') throw new Error('This history has no beginning');
  const { input } = first;
  const { carried, settings } = input;
  if (!carried?.purse) throw new Error('This history begins where its run has continued');
  const purse = { ...carried.purse, ledger: { ...carried.purse.ledger, cap: CAP }, done: ['known'] };
  const begun: RunEvent = {
    ...first,
    input: {
      ...input,
      settings: { ...settings, budget: { ...NO_BUDGETS, max_cost_usd: 1 } },
      carried: { ...carried, purse },
    },
  };
  const added = (id: string): RunEvent => ({
    kind: 'steered',
    at: first.at,
    steer: { id, by: 'ana', kind: 'budget', add: { usd: 4 } },
  });
  expect(foldOf(run, [begun, ...rest]).budget).toEqual({ ...NO_BUDGETS, max_cost_usd: 3 });
  expect(foldOf(run, [begun, added('known'), added('new'), added('new')]).budget.max_cost_usd).toBe(7);
});

it('what was added to the limits of a run is in them, and no limit comes from nowhere', () => {
  const budget = { ...NO_BUDGETS, max_steps: 5, max_cost_usd: 1, max_tokens: 10, max_runtime_mins: 1, max_parallel: 2 };
  const raised = { cap: { steps: 7, nanousd: 1_500_000_000, tokens: 20, slots: 2 } };
  expect(limitsNow(budget, { ledger: raised, clock: { limit_ms: 90_000 } })).toEqual({
    ...{ max_steps: 7, max_cost_usd: 1.5, max_tokens: 20, max_runtime_mins: 1.5, max_parallel: 2 },
  });
  expect(limitsNow(NO_BUDGETS, { ledger: raised, clock: { limit_ms: 90_000 } })).toEqual(NO_BUDGETS);
  const none = { cap: { steps: null, nanousd: null, tokens: null, slots: null } };
  expect(limitsNow(budget, { ledger: none, clock: null })).toEqual(budget);
});

it('what remains of a run that has ended is less by what was only reserved', () => {
  const { run, events } = recordedEvents('sequence');
  const fold = foldOf(run, events);
  if (fold.outcome === null) throw new Error('This history has no end');
  fold.budget = { ...NO_BUDGETS, max_cost_usd: 3, max_tokens: 100, max_steps: 5 };
  fold.outcome = {
    ...fold.outcome,
    spend: { usd: null, tokens: 10, steps: 2 },
    charged: { usd: 1, tokens: 40, steps: 2, assumed: { usd: 1, tokens: 30 } },
  };
  const view = assemble(fold, { folds: new Map([[run, fold]]), pending: new Map() });
  expect(executionBudget(view)).toMatchObject({ cost_remaining_usd: 2, tokens_remaining: 60, steps_remaining: 3 });
});
