import type { Forecast, ForecastInput } from '../../activities/reuse-forecast.js';
import type { Plan } from '../../plan/plan.js';
import { segmentOf } from '../../plan/plan.js';
import type { Step } from '../../plan/step.js';
import type { RunView, StepView } from '../observe/view.js';
import { everyStepView } from '../observe/view.js';
import { formatUsd } from '../render/format.js';
import { safeLine } from '../render/safe-text.js';

/** What a rerun would do, as `--dry-run --json` prints it. */
export interface RerunForecast {
  reuse: string[];
  run: string[];
  ask: string[];
  /** What those steps cost last time that would run; null where one has not run yet, or nobody knows. */
  usd: number | null;
}

/** Foretells a rerun: by content, from what the run before has left. */
export async function toForecast(input: ForecastInput, before: RunView): Promise<RerunForecast> {
  const { forecastReuse } = await import('../../activities/reuse-forecast.js');
  const told = await forecastReuse(input);
  const paths = (action: Forecast['action']): string[] => told.filter((forecast) => forecast.action === action).map(({ path }) => path);
  const run = paths('run');
  return { reuse: paths('reuse'), run, ask: paths('ask'), usd: costOf(run, costsOf(before.steps)) };
}

function costOf(paths: string[], costs: Map<string, number | null>): number | null {
  return paths.reduce<number | null>((sum, path) => {
    const cost = costs.get(path);
    return sum === null || cost === undefined || cost === null ? null : sum + cost;
  }, 0);
}

function costsOf(steps: StepView[]): Map<string, number | null> {
  return new Map(everyStepView(steps).flatMap(({ path, result, nested, step }): [string, number | null][] => {
    const own: [string, number | null][] = step.kind === 'command' || step.kind === 'tool' ? [[path, 0]] : result === null || result.status === 'skipped' ? [] : [[path, result.spend.usd]];
    return nested === null ? own : [...own, ...costsOf(nested.steps)];
  }));
}

/** One line: `reuse 0 1 2 (unchanged) · run 3 report, 4 approve · about $0.02`. */
export function forecastLine({ reuse, run, ask, usd }: RerunForecast, plan: Plan): string {
  const done = new Set([...run, ...ask].map(topOf));
  const reused = plan.steps.filter((step) => reuse.some((path) => topOf(path) === segmentOf(step)) && !done.has(segmentOf(step)));
  const again = plan.steps.filter((step) => done.has(segmentOf(step)));
  const parts = [
    reused.length === 0 ? 'reuse nothing' : `reuse ${reused.map((step) => safeLine(labelOf(step, true))).join(' ')} (unchanged)`,
    again.length === 0 ? 'run nothing' : `run ${again.map((step) => safeLine(labelOf(step, false))).join(', ')}`,
    usd === null ? 'at an unknown cost' : usd === 0 ? 'for nothing' : `about ${formatUsd(usd)}`,
  ];
  return parts.join(' · ');
}

function topOf(path: string): string {
  return path.split('/', 1)[0] ?? path;
}

function labelOf(step: Step, short: boolean): string {
  return step.id === null || short ? String(step.index) : `${step.index} ${step.id}`;
}
