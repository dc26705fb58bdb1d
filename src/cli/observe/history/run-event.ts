import type { ModelChoice } from '../../../plan/agents/model-choice.js';
import type { StepOutput } from '../../../plan/calls/step-output.js';
import type { Failure } from '../../../plan/failure.js';
import type { Decision, Gate, GateEnd } from '../../../plan/gates/gate.js';
import type { RunOutcome } from '../../../plan/result.js';
import type { Spend } from '../../../plan/budget/spend.js';
import type { ReadRunInput } from '../../../plan/run-input.js';
import type { Pause, Steer, Warning } from '../../../plan/budget/steering.js';

/** What happened in one run, in our words; everything that viewers need of its history (decision 5). */
export type RunEvent = { at: string } & (
  | { kind: 'run-started'; input: ReadRunInput; first: string }
  | { kind: 'step-started'; path: string; activity: string; model?: ModelChoice }
  /**
   * `model` is the one that is asked, where the event says so. A quick step, or a quick turn, has no event of its
   * start: `quick` says that this is both.
   */
  | { kind: 'step-succeeded'; path: string; output: StepOutput; quick?: Quick }
  /** What it has changed is committed; before that a step that commits has not ended. */
  | { kind: 'step-committed'; path: string }
  /** Nobody has begun it where it was sent: the same try is made elsewhere. */
  | { kind: 'step-left'; path: string }
  /** A turn of an agent that uses tools has begun, or ended with more to do. `turn` is from 1. */
  | { kind: 'turn-started'; path: string; turn: number; model?: ModelChoice }
  | { kind: 'turn-ended'; path: string; spend: Spend; quick?: Quick }
  /** Time passes for a `wait` step; it has passed, or something stopped it. */
  | { kind: 'waiting'; path: string; state: 'begun' | 'passed' | 'stopped' }
  /** `turn`: it is a turn of the step that failed. */
  | { kind: 'step-failed'; path: string; failure: Failure; spend: Spend; quick?: Quick; turn?: true }
  /** What the journal tells of a call, or a nested run, that could not say what it had spent. */
  | { kind: 'spend-found'; path: string; spend: Spend }
  /** `link` is Temporal's own run id: another try of the nested run is another one. */
  | { kind: 'nested-started'; run: string; link: string }
  /** `cut` says that others have ended it: this run did not ask for that. */
  | {
      kind: 'nested-ended';
      run: string;
      outcome: RunOutcome | null;
      failure: Failure | null;
      cut?: 'cancelled' | 'terminated';
      /** What one that was cancelled had spent. */ spent?: Spend;
      /** Why this run has cut it off. */ why?: string;
    }
  /** A gate was rendered; where people are asked it is open from now on. */
  | { kind: 'gate-opened'; gate: Gate }
  /** What the memo of the run says of its gates; null is what stayed; `unlisted` tells how many are not in the list. */
  | { kind: 'gates'; gates: Gate[] | null; unlisted: number | null; ended: GateEnd | null }
  | { kind: 'decided'; decision: Decision }
  | { kind: 'paused'; pause: Pause | null }
  | { kind: 'warned'; warnings: Warning[] }
  | { kind: 'steered'; steer: Steer }
  | { kind: 'cancel-requested'; reason: string | null }
  | { kind: 'run-ended'; outcome: RunOutcome | null; failure: Failure | null; cancelled: boolean }
  | { kind: 'run-continued'; next: string }
);
/** What has begun without an event: a step's try, or a turn of one, which may be under way already. */
export type Quick = 'step' | 'turn';

/** An event without its time. */
export type Fact = RunEvent extends infer E ? (E extends { at: string } ? Omit<E, 'at'> : never) : never;
