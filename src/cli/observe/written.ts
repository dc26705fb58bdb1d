import { joinPath, segmentOf } from '../../plan/plan.js';
import type { RoundResult } from '../../plan/result.js';
import { NO_SPEND } from '../../plan/budget/spend.js';
import type { Agent, BlockStep, Step } from '../../plan/step.js';
import { actorOf, modelOf } from '../../plan/references/actor.js';
import { isBlockStep } from '../../plan/step.js';
import type { KnownTexts } from '../../plan/references/title.js';
import { titled } from './titles.js';
import type { Truth } from './view/truth.js';
import type { RoundView, StepView } from './view/view.js';

/** A step and its path below the root run. */
export interface Placed {
  step: Step;
  path: string;
}

/** What written results are read from. */
export interface Written {
  truth: Truth;
  agents: Record<string, Agent>;
  /** Full ids of the models, by their names. */
  models: Record<string, string>;
  titleTexts: KnownTexts;
}

/** A step as it ended, from nothing but what the interpreter wrote of it. What is below a nested run is not in here. */
export function writtenStep({ step, path }: Placed, written: Written): StepView {
  const result = written.truth.steps.get(path) ?? null;
  const rounds = written.truth.rounds.get(path) ?? [];
  return {
    path,
    step,
    actor: result?.agent ?? actorOf(step, written.agents),
    ...titled(step, written.agents, written.titleTexts),
    model: result?.model ?? modelOf(step, written.agents, written.models),
    status: result?.status ?? 'unknown',
    startedAt: null,
    doing: null,
    attempt: result?.attempts ?? 1,
    waitsFor: [],
    result,
    spent: NO_SPEND,
    gate: null,
    nested: null,
    others: [],
    rounds: isBlockStep(step)
      ? rounds.map((round) =>
          endedRound(step, joinPath(path, String(round.index)), round, (below) => writtenStep(below, written)),
        )
      : [],
  };
}

/** An item or a round as it ended; `view` makes the views of its steps. */
export function endedRound(
  { body }: BlockStep,
  path: string,
  result: RoundResult,
  view: (placed: Placed) => StepView,
): RoundView {
  const { index, status, output, error, partial, duration_ms, spend } = result;
  const steps = body.steps.map((step) => view({ step, path: body.single ? path : joinPath(path, segmentOf(step)) }));
  return {
    index,
    path,
    status,
    output,
    error,
    ...(partial === undefined ? {} : { partial }),
    duration_ms,
    spend,
    single: body.single,
    steps,
  };
}
