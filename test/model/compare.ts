import type { RunOutcome } from '../../src/plan/result.js';
import type { Store } from '../../src/store/store.js';
import { jsonOf, resultsOf } from '../workflows/helpers/harness.js';
import type { Expected, ModelWorkflow } from './reference.js';
import { TIME } from './reference.js';

const MOMENT = /\d{4}-\d\d-\d\dT[\d:.]+Z/g;

/**
 * Says how what came of a definition differs from what the model says; empty when it does not. `log` has lines `start
 * …` and `end …`.
 */
export async function compare(
  store: Store,
  { workflow, expected }: { workflow: ModelWorkflow; expected: Expected },
  { outcome, log }: { outcome: RunOutcome; log: string },
): Promise<string[]> {
  const found: string[] = [];
  const check = (what: string, got: unknown, want: unknown): void => {
    const text = JSON.stringify(got).replace(MOMENT, TIME);
    if (text !== JSON.stringify(want)) found.push(`${what}: got ${text}, expected ${JSON.stringify(want)}`);
  };
  check('status', outcome.status, expected.status);
  check('spend', outcome.spend.steps, expected.spent);
  if (expected.status !== 'error') check('output', await jsonOf(store, outcome.output), expected.output);
  const results = Object.values(await resultsOf(store, outcome)).sort((a, b) => a.step_index - b.step_index);
  for (const [index, want] of expected.steps.entries()) {
    const name = workflow.steps[index]?.id ?? 'finally';
    check(name, results[index]?.status ?? 'nothing', want.status);
    check(`${name}.output`, await jsonOf(store, results[index]?.output ?? null), want.output);
  }
  return [...found, ...outOfOrder(workflow, expected, log)];
}

function outOfOrder(workflow: ModelWorkflow, expected: Expected, log: string): string[] {
  return expected.order.flatMap(([before, after]) => {
    const [first, second] = [workflow.steps[before]?.id, workflow.steps[after]?.id];
    const [end, start] = [
      log.lastIndexOf(`end ${workflow.name}/${String(first)}\n`),
      log.indexOf(`start ${workflow.name}/${String(second)}\n`),
    ];
    return end >= 0 && start >= 0 && start < end ? [`${String(second)} started before ${String(first)} had ended`] : [];
  });
}
