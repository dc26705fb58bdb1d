import type { Gate, GateEnd, Remembered } from '../../../plan/gates/gate.js';
import type { Budgets } from '../../../plan/budget/budgets.js';
import type { Interval } from '../../../plan/budget/run-clock.js';
import type { RunOutcome } from '../../../plan/result.js';
import type { ReadRunInput } from '../../../plan/run-input.js';
import type { Pause, Warning } from '../../../plan/budget/steering.js';
import type { KnownTexts } from '../../../plan/references/title.js';
import type { FoldScope, Spot } from './fold-scope.js';
import { locate } from './fold-scope.js';
import type { Truth } from '../view/truth.js';

/** What the history of one run says so far, folded by the scheduler that the interpreter runs (decision 5). */
export interface RunFold {
  /** Its workflow id. */
  run: string;
  /** Temporal's id of the first of its runs. */
  first: string;
  /** How it was started. */
  input: ReadRunInput;
  /** Its own steps. */
  top: FoldScope;
  startedAt: string;
  endedAt: string | null;
  /** Open gates, in the order in which they opened. */
  gates: Map<string, Gate>;
  /** The batch runs that do some of its steps, by the path of these, and take what is said or decided there. */
  owners: Map<string, string>;
  /** How many open gates the memo of a run does not list, by workflow id. */
  unlisted: Map<string, number>;
  decided: Map<string, GateEnd>;
  /** What people have allowed for the rest of the run. */
  remembered: Remembered[];
  cancelling: boolean;
  /** Why nothing new starts, by a limit of this run or by request. */
  pause: Pause | null;
  /** Its pauses that are over. */
  pauses: Interval[];
  /** Limits of which most is used. */
  warnings: Warning[];
  /** The limits, with what was added to them. */
  budget: Budgets;
  /** Requests to add that were taken in. */
  added: Set<string>;
  outcome: RunOutcome | null;
  /** It has ended, and nobody has said what it came to: what `outcome` does not tell is what events told. */
  untold: boolean;
  /** Items and rounds that were played here, since they left no event. */
  played: number;
  /** What the interpreter itself wrote of its steps, read from the store when the run has closed. */
  truth: Truth;
  /** Stored texts that titles of steps begin with. */
  titleTexts: KnownTexts;
}

/** The step at a path below the root run; null where the run's Plan has none. */
export function stepAt(fold: RunFold, path: string): Spot | null {
  const below = fold.input.path === '' ? path : path.slice(fold.input.path.length + 1);
  return locate(fold.top, below.split('/'));
}
