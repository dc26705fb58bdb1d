import type { Credentials, Dependencies } from '../../activities/dependencies.js';
import { loadConfig } from '../../compiler/project/config.js';
import { findProject } from '../../compiler/project/project.js';
import { blocksAfter } from '../../plan/outcomes/follows.js';
import { nestedPlan } from '../../plan/plan.js';
import type { Store } from '../../store/store.js';
import { forecastPlan } from './forecast-plan.js';
import { createPast } from './past.js';

/** Forecasts what is left at a gate, for its notice: by its own run's Plan and the runs that have closed. */
export function createGateForecast(store: Store, credentials: Credentials): NonNullable<Dependencies['forecastGate']> {
  const past = createPast(store);
  return async ({ plan: hash, nested, path }, workspace) => {
    const root = await store.getPlan(hash);
    const plan = nested === null ? root : nestedPlan(root, nested);
    const blocks = blocksAfter(plan, path);
    const [own] = blocks;
    const { models } = loadConfig(findProject(workspace)).config;
    const forecast = forecastPlan(
      plan,
      await past(),
      { models, env: credentials() },
      {
        gate: own === undefined || own.after.includes(own.gate) ? null : own.gate,
        parts: blocks.map(({ block, after }) => ({ block, after: new Set(after.map(({ index }) => index)) })),
      },
    );
    return forecast === null ? null : { runs: forecast.runs, usd: forecast.usd, ms: forecast.ms };
  };
}
