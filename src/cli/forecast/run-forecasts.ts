import type { PastForecast } from '../../compiler/forecast/simulate.js';
import type { RunView } from '../observe/view/view.js';
import type { Session } from '../session.js';
import { forecastPlan } from '../../workers/forecast/forecast-plan.js';
import type { ClosedRun } from '../../workers/forecast/read-past.js';
import { createPast } from '../../workers/forecast/past.js';

const MOST_FORECASTS = 200;

/** Forecasts for who looks at many runs one after the other: closed runs are read once. */
export interface RunForecasts {
  /** The latest closed runs, those of the last half minute left out at worst. */
  past(): Promise<readonly ClosedRun[]>;
  /** What could be forecast of a root run when it began, from the runs that had ended by then; null for nothing. */
  ofRun(view: Pick<RunView, 'run' | 'plan' | 'startedAt'>): Promise<PastForecast | null>;
}

/** Reads nothing until somebody asks. What cannot be read counts as no past. */
export function createRunForecasts(
  { store, config: { models } }: Pick<Session, 'store' | 'config'>,
  env: Record<string, string | undefined>,
): RunForecasts {
  const past = createPast(store);
  const made = new Map<string, Promise<PastForecast | null>>();

  const make = async ({ plan, startedAt }: Pick<RunView, 'plan' | 'startedAt'>): Promise<PastForecast | null> => {
    const before = (await past()).filter(({ record }) => Date.parse(record.ended_at) <= startedAt);
    return forecastPlan(await store.getPlan(plan), before, { models, env });
  };

  return {
    past,
    ofRun(view) {
      const key = `${view.run} ${String(view.startedAt)}`;
      const forecast = made.get(key) ?? make(view).catch(() => null);
      made.delete(key);
      made.set(key, forecast);
      for (const oldest of made.keys()) if (made.size > MOST_FORECASTS) made.delete(oldest);
      return forecast;
    },
  };
}
