import type { Block } from '../../plan/step.js';
import { isBlockStep } from '../../plan/step.js';
import type { RoundResult, RunRecord, StepResult } from '../../plan/result.js';
import type { Value } from '../../plan/values/value.js';
import type { Store } from '../../store/store.js';
import { loadValue } from '../../store/transcript.js';
import type { MetricBook } from './metrics.js';

/** Steps that last for as long as they wait. */
const WAITING: ReadonlySet<string> = new Set(['approval', 'ask', 'wait']);

/** Counts a root run that has closed, and its steps with those of items, rounds and nested runs. */
export async function countRun(record: RunRecord, store: Store, book: MetricBook): Promise<void> {
  const plan = await store.getPlan(record.plan);
  book.add('perdure_runs_total', { status: record.status });
  await countSteps(plan, await listOf<StepResult>(store, record.pages));

  async function countSteps(block: Block, results: StepResult[]): Promise<void> {
    for (const result of results) {
      const step = block.steps[result.step_index];
      if (step === undefined) continue;
      const { kind } = step;
      book.add('perdure_steps_total', { kind, status: result.status });
      if (WAITING.has(kind)) book.add('perdure_wait_seconds_total', { kind }, result.duration_ms / 1000);
      const body = step.kind === 'workflow' ? plan.nested[step.plan] : undefined;
      if (body !== undefined) await countSteps(body, await listOf<StepResult>(store, result.pages));
      if (isBlockStep(step))
        for (const { pages, steps } of await listOf<RoundResult>(store, result.pages))
          await countSteps(step.body, [...(await listOf<StepResult>(store, pages)), ...steps]);
    }
  }
}

async function listOf<T>(store: Store, pages: Value[]): Promise<T[]> {
  const lists: T[] = [];
  // written by the interpreter, verified by its hash
  for (const page of pages) lists.push(...((await loadValue(page, store)) as unknown as T[]));
  return lists;
}
