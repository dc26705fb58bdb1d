import type { Forecast, ForecastInput } from '../../activities/rerun/forecast.js';
import type { Plan } from '../../plan/plan.js';
import { segmentOf } from '../../plan/plan.js';
import type { Step } from '../../plan/step.js';
import { isBlockStep } from '../../plan/step.js';
import type { RunView, StepView } from '../observe/view.js';
import { everyStepView } from '../observe/view.js';
import { formatUsd } from '../text/format.js';
import { safeLine } from '../text/safe-text.js';

/** What a rerun would do, as `--dry-run --json` prints it. */
export interface RerunForecast {
  reuse: string[];
  run: string[];
  ask: string[];
  /** Steps that fail as things are: their external effect has happened, and they are given something else now. */
  refuse: string[];
  /** What those steps cost last time that would run; null where one has not run yet, or nobody knows. */
  usd: number | null;
}

/** Foretells a rerun: by content, from what the runs before have left, the latest first. */
export async function toForecast(
  input: Omit<ForecastInput, 'roundsBefore'>,
  before: RunView[],
): Promise<RerunForecast> {
  const { forecastReuse } = await import('../../activities/rerun/forecast.js');
  const costs = costsOf(before);
  const told = await forecastReuse({ ...input, roundsBefore: (path) => roundsIn(costs, path) });
  const paths = (action: Forecast['action']): string[] =>
    told.filter((forecast) => forecast.action === action).map(({ path }) => path);
  const run = paths('run');
  return { reuse: paths('reuse'), run, ask: paths('ask'), refuse: paths('refuse'), usd: costOf(run, costs) };
}

/** How many rounds of a loop have costs. */
function roundsIn(costs: Costs, path: string): number {
  const rounds = [...costs.keys()].flatMap((key) =>
    key.startsWith(`${path}/`) ? Number(key.slice(path.length + 1).split('/', 1)[0]) : [],
  );
  return Math.max(-1, ...rounds) + 1;
}

/** Costs of steps by path; null is not known. */
type Costs = Map<string, number | null>;

function costOf(paths: string[], costs: Costs): number | null {
  return paths.reduce<number | null>((sum, path) => {
    const cost = costAt(path, costs);
    return sum === null || cost === null ? null : sum + cost;
  }, 0);
}

/** What stood at a path cost, or all that stood below it. */
function costAt(path: string, costs: Costs): number | null {
  const found = costs.has(path)
    ? [costs.get(path) ?? null]
    : [...costs].flatMap(([key, cost]) => (key.startsWith(`${path}/`) ? [cost] : []));
  return found.length === 0
    ? null
    : found.reduce((sum, cost) => (sum === null || cost === null ? null : sum + cost), 0);
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
    if (isBlockStep(step) || step.kind === 'workflow' || result?.reused === true) return below;
    if (step.kind === 'command' || step.kind === 'tool') return [[path, 0], ...below];
    return result === null || result.status === 'skipped' ? below : [[path, result.spend.usd], ...below];
  });
}

/** One line: `reuse 0 1 2 (unchanged) · run 3 report, 4 approve · about $0.02`. */
export function forecastLine({ reuse, run, ask, refuse, usd }: RerunForecast, plan: Plan): string {
  const done = new Set([...run, ...ask].map(topOf));
  const refused = new Set(refuse.map(topOf));
  const reused = plan.steps.filter(
    (step) =>
      reuse.some((path) => topOf(path) === segmentOf(step)) &&
      !done.has(segmentOf(step)) &&
      !refused.has(segmentOf(step)),
  );
  const again = plan.steps.filter((step) => done.has(segmentOf(step)));
  const parts = [
    reused.length === 0
      ? 'reuse nothing'
      : `reuse ${reused.map((step) => safeLine(labelOf(step, true))).join(' ')} (unchanged)`,
    again.length === 0 ? 'run nothing' : `run ${again.map((step) => safeLine(labelOf(step, false))).join(', ')}`,
    ...(refused.size === 0
      ? []
      : [
          `refuse ${plan.steps
            .filter((step) => refused.has(segmentOf(step)))
            .map((step) => safeLine(labelOf(step, false)))
            .join(', ')} (its external effect has happened)`,
        ]),
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
