import type { ForecastInput } from '../../../activities/rerun/known-scope.js';
import type { Plan } from '../../../plan/plan.js';
import { segmentOf } from '../../../plan/plan.js';
import type { Step } from '../../../plan/step.js';
import { isBlockStep } from '../../../plan/step.js';
import type { RunView, StepView } from '../../observe/view/view.js';
import { everyStepView } from '../../observe/view/view.js';
import { formatUsd } from '../../text/format.js';
import { safeLine } from '../../text/safe-text.js';

/** What a rerun would do, as `--dry-run --json` prints it: paths of steps. */
export interface RerunForecast {
  reuse: string[];
  run: string[];
  /** Steps that depend on one that runs. */
  may_run: string[];
  ask: string[];
  /** Steps that fail as things are: an external effect has happened there, and they are given something else now. */
  refuse: string[];
  /** What those steps cost last time that run or may run; null where one has not run yet, or nobody knows. */
  usd: number | null;
}

/** Foretells a rerun: by content, from what the runs before have left, the latest first. */
export async function toForecast(input: ForecastInput, before: RunView[]): Promise<RerunForecast> {
  const { forecastReuse } = await import('../../../activities/rerun/forecast.js');
  const forecast: RerunForecast = { reuse: [], run: [], may_run: [], ask: [], refuse: [], usd: null };
  for (const { path, action } of await forecastReuse(input)) forecast[action].push(path);
  return { ...forecast, usd: costOf(forecast, costsOf(before)) };
}

/** Costs of steps by path; null is not known. */
type Costs = Map<string, number | null>;

/** What stood at these paths and below them cost, without what is reused. */
function costOf({ reuse, run, may_run }: RerunForecast, costs: Costs): number | null {
  const reused = new Set(reuse);
  const missing = new Set([...run, ...may_run]);
  const wanted = new Set(missing);
  let sum = 0;
  for (const [path, cost] of costs) {
    const above = pathsTo(path).filter((one) => wanted.has(one));
    for (const one of above) missing.delete(one);
    if (above.length === 0 || reused.has(path)) continue;
    if (cost === null) return null;
    sum += cost;
  }
  return missing.size === 0 ? sum : null;
}

/** A path and all above it. */
function pathsTo(path: string): string[] {
  const segments = path.split('/');
  return segments.map((_, index) => segments.slice(0, index + 1).join('/'));
}

/** What each step cost when it last ran: one that was taken over has cost something in a run before. */
function costsOf(views: RunView[]): Costs {
  const costs: Costs = new Map();
  for (const [path, cost] of views.flatMap(({ steps }) => stepCosts(steps)))
    if (!costs.has(path)) costs.set(path, cost);
  return costs;
}

function stepCosts(steps: StepView[]): [string, number | null][] {
  return everyStepView(steps).flatMap(({ path, result, nested, step }) => {
    const below = nested === null ? [] : stepCosts(nested.steps);
    // What it costs to do such a step is what its own steps cost.
    if (isBlockStep(step) || step.kind === 'workflow' || step.kind === 'plan' || result?.reused === true) return below;
    if (step.kind === 'command' || step.kind === 'tool') return [[path, 0]];
    // Workflows that an agent has started are in what the agent cost.
    return result === null || result.status === 'skipped' ? below : [[path, result.spend.usd]];
  });
}

/** One line: `reuse 0 1 2 (unchanged) · run 3 report · may run 4 sum · about $0.02`. A step has the first that fits. */
export function forecastLine({ reuse, run, may_run, ask, refuse, usd }: RerunForecast, plan: Plan): string {
  const left = new Set(plan.steps);
  const take = (paths: string[], label: (step: Step) => string): string[] => {
    const tops = new Set(paths.map(topOf));
    const found = [...left].filter((step) => tops.has(segmentOf(step)));
    for (const step of found) left.delete(step);
    return found.map((step) => safeLine(label(step)));
  };
  const named = (step: Step): string => (step.id === null ? String(step.index) : `${step.index} ${step.id}`);
  const refused = take(refuse, named);
  const again = take([...run, ...ask], named);
  const maybe = take(may_run, named);
  const reused = take(reuse, ({ index }) => String(index));
  return [
    reused.length === 0 ? 'reuse nothing' : `reuse ${reused.join(' ')} (unchanged)`,
    again.length === 0 ? 'run nothing' : `run ${again.join(', ')}`,
    ...(maybe.length === 0 ? [] : [`may run ${maybe.join(', ')}`]),
    ...(refused.length === 0 ? [] : [`refuse ${refused.join(', ')} (an external effect has happened there)`]),
    usd === null ? 'at an unknown cost' : usd === 0 ? 'for nothing' : `about ${formatUsd(usd)}`,
  ].join(' · ');
}

function topOf(path: string): string {
  return path.split('/', 1)[0] ?? path;
}
