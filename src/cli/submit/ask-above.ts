import type { PastRun } from '../../compiler/forecast/past.js';
import type { Plan } from '../../plan/plan.js';
import { CliError, EXIT, usageError } from '../exit-codes.js';
import { forecastLines } from '../forecast/forecast-words.js';
import { forecastPlan } from '../../workers/forecast/forecast-plan.js';
import type { PriceRange } from '../../workers/forecast/price-range.js';
import { priceRange } from '../../workers/forecast/price-range.js';
import { openKeys } from '../follow/input/keys.js';
import type { Session } from '../session.js';
import { formatUsd } from '../text/format.js';
import type { Terminal } from '../terminal.js';
import { tell } from '../terminal.js';
import { forecastOf } from '../../compiler/forecast/forecast.js';

/** Dollars as they were typed; null where they were not. Throws a usage error for what is no number of at least 0. */
export function parseAskAbove(typed: string | null): number | null {
  if (typed === null) return null;
  if (/^\d+(\.\d+)?$/.test(typed)) return Number(typed);
  throw usageError(`Expected \`--ask-above\` to be a number of dollars, got \`${typed}\`.`);
}

/** That a run may cost more than somebody wants to be asked about. */
export interface DearRun {
  /** A sentence without its full stop. */
  what: string;
  /** What is known of its cost, in lines. */
  why: string[];
}

/** What bounds the cost of a run. */
interface Spending {
  past: readonly PastRun[];
  /** `max_cost_usd` as it holds for the run; null for none. */
  most: number | null;
}

/**
 * What is to be told before a run is started that may cost more than so many dollars: by its p95, or by the dearest
 * course of the Plan where there is no past, and no more than its own limit, in dollars (null for none). Null where it
 * costs no more.
 */
export function costAbove(
  limit: number,
  plan: Plan,
  { config, env, past, most: own }: Spending & Pick<Session, 'config'> & Pick<Terminal, 'env'>,
): DearRun | null {
  const { models } = config;
  const forecast = forecastPlan(plan, past, { models, env });
  const range = priceRange(forecastOf(plan, config.agents?.default ?? null).calls, models, env);
  const likely = forecast?.usd?.p95 ?? dearestOf(range);
  // A limit bounds what has a price: what nobody knows may cost more.
  const bounded = likely === null || own === null ? likely : Math.min(likely, own);
  const most = bounded === Infinity ? null : bounded;
  if (most !== null && most <= limit) return null;
  return {
    what: `This run may cost ${most === null ? 'nobody knows what' : formatUsd(most)}, above ${formatUsd(limit)}`,
    why: forecastLines(forecast),
  };
}

/** What its dearest course costs: null where a price is not known, infinite where its length is not. */
function dearestOf({ unpriced, played, openEnded, most }: PriceRange): number | null {
  if (unpriced.length > 0 || played.length > 0) return null;
  return openEnded.length > 0 ? Infinity : (most ?? 0);
}

/**
 * Asks before a run is started that may cost more than so many dollars. Throws where nobody is there to be asked, or
 * says no; nothing was started then.
 */
export async function askAbove(
  limit: number,
  { plan, most }: Pick<Spending, 'most'> & { plan: Plan },
  { config, store }: Pick<Session, 'config' | 'store'>,
  terminal: Terminal,
): Promise<void> {
  const { readPast } = await import('../../workers/forecast/read-past.js');
  const dear = costAbove(limit, plan, { config, env: terminal.env, past: await readPast(store), most });
  if (dear === null) return;
  const why = dear.why.join('\n  ');
  if (!terminal.interactive)
    throw new CliError(
      `${dear.what} (--ask-above).`,
      EXIT.ended,
      `${why}\nNobody is there to be asked: nothing was started.`,
    );
  tell(terminal, `${dear.what}:`, `  ${why}`);
  const keys = openKeys(terminal, new AbortController().signal);
  try {
    const answer = await keys.line('Start it? [y/N] ');
    if (answer?.trim().toLowerCase() === 'y') return;
  } finally {
    keys.close();
  }
  throw new CliError('Nothing was started.', EXIT.ended);
}
