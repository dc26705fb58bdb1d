import { callSizes } from '../../compiler/forecast/forecast-calls.js';
import type { PastRun } from '../../compiler/forecast/past.js';
import type { Guess, PastForecast, Rest } from '../../compiler/forecast/simulate.js';
import { simulate } from '../../compiler/forecast/simulate.js';
import type { Config } from '../../compiler/project/config.js';
import type { Plan } from '../../plan/plan.js';
import { BYTES_PER_TOKEN, answerRange, priceRange } from './price-range.js';

/** Where prices of steps come from that no run has done. */
export interface ForecastPrices {
  models: Config['models'];
  env: Record<string, string | undefined>;
}

/**
 * What a Plan's run may take by what closed runs have taken, with `rest` only that of it; null where they say too
 * little.
 */
export function forecastPlan(
  plan: Plan,
  past: readonly PastRun[],
  { models, env }: ForecastPrices,
  rest?: Rest,
): PastForecast | null {
  const guess: Guess = (step, block) => {
    if (step.kind !== 'agent') return { usd: [0, 0], tokens: [0, 0] };
    const sizes = callSizes(plan, block, step);
    const agent = plan.agents[step.agent];
    const model = step.model ?? agent?.model ?? '';
    const call = { model, ...(agent?.params === undefined ? {} : { params: agent.params }) };
    const { least, most } = priceRange([{ ...call, least: 1, most: 1, ...sizes }], models, env);
    const answer = answerRange(call, models, env);
    return {
      usd: [least ?? 0, most ?? 0],
      tokens: [
        sizes.literal / BYTES_PER_TOKEN.least + answer.least,
        (sizes.literal + sizes.referred) / BYTES_PER_TOKEN.most + answer.most,
      ],
    };
  };
  return simulate(plan, past, guess, rest);
}
