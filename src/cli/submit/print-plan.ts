import type { PastRun } from '../../compiler/forecast/past.js';
import type { JsonObject } from '../../plan/values/json.js';
import type { Session } from '../session.js';
import type { Terminal } from '../terminal.js';
import { print, widthOf } from '../terminal.js';
import type { Compiled } from './prepare.js';

/** The picture of a Plan for people: what it needs, its steps, the most it may use. */
export async function printPlan(
  compiled: Compiled & { given?: JsonObject },
  { config }: Pick<Session, 'config'>,
  past: readonly PastRun[],
  terminal: Terminal,
): Promise<void> {
  const { renderPlan } = await import('../render/plan/plan-text.js');
  const { forecastOf } = await import('../../compiler/forecast/forecast.js');
  const { DEFAULT_MAX_DEPTH, levelsOf } = await import('../../compiler/workflow/cycles.js');
  const { priceRange } = await import('../../workers/forecast/price-range.js');
  const { forecastLines } = await import('../forecast/forecast-words.js');
  const { forecastPlan } = await import('../../workers/forecast/forecast-plan.js');
  const { quotaIn } = await import('../../compiler/formats/quota.js');
  const { limitsOfQuota, settleLimits } = await import('../submit/limits.js');
  const forecast = forecastOf(compiled.plan, config.agents?.default ?? null);
  const price = priceRange(forecast.calls, config.models, terminal.env);
  const fromPast = forecastPlan(compiled.plan, past, { models: config.models, env: terminal.env });
  const depth = { levels: levelsOf(compiled.plan), most: config.workflows?.max_depth ?? DEFAULT_MAX_DEPTH };
  const { autonomyIn } = await import('../../compiler/formats/autonomy.js');
  const autonomy = autonomyIn(config.autonomy);
  const limits = settleLimits(
    compiled.plan,
    compiled.plan.budgets,
    config.workflows?.budgets,
    limitsOfQuota(quotaIn(config.quota)),
  );
  print(
    terminal,
    ...renderPlan(
      {
        ...compiled,
        forecast,
        price,
        fromPast: fromPast === null && forecast.calls.length === 0 ? [] : forecastLines(fromPast),
        limits,
        depth,
        ...(autonomy === undefined ? {} : { autonomy }),
      },
      { width: widthOf(terminal.stdout), palette: terminal.resultPalette },
    ),
  );
}
