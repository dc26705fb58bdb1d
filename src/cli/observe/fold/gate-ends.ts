import { gateEnd, lossEnd, ownGateEnd } from '../../../plan/outcomes/step-ends.js';
import type { Failure } from '../../../plan/failure.js';
import type { Gate, GateEnd } from '../../../plan/gates/gate.js';
import { givenUp, recoveryOf } from '../../../plan/outcomes/flash-recovery.js';
import type { RunSettings } from '../../../plan/run-input.js';
import type { Spend } from '../../../plan/budget/spend.js';
import type { StepEnd } from '../../../plan/schedule/schedule-state.js';
import type { StepOutput } from '../../../plan/calls/step-output.js';
import type { Spot, Started } from './fold-scope.js';

/** Tells whether a gate opens while its step is under way: what is decided is not yet the step's end. */
export function isWithin({ kind }: Gate): boolean {
  return kind === 'lost' || kind === 'ready' || kind === 'recovery' || kind === 'checkpoint' || kind === 'tool';
}

/** What a decision makes of its step; null where the step goes on. */
export function endByGate(
  { scope, step }: Spot,
  gate: Gate,
  { ended, settings }: { ended: GateEnd; settings: RunSettings },
): StepEnd | null {
  switch (gate.kind) {
    case 'lost':
      return lossEnd(step, ended);
    case 'tool':
    case 'checkpoint':
    case 'ready':
      return ended.decision === 'approve' ? null : gateEnd(ended, gate);
    case 'recovery': {
      const how = recoveryOf(ended);
      const started = scope.started.get(step.index);
      if (how === 'restore' && started !== undefined) started.restoring = ended;
      return how === 'retry' || how === 'restore'
        ? null
        : givenUp(how, flashFailure(started?.lastFailure ?? gate.message), ended.by, ended.comment);
    }
    default:
      return ownGateEnd(ended, gate, settings);
  }
}

function flashFailure(message: string): Failure {
  return { type: 'flash-failed', message };
}

function startedAt(spot: Spot | null): Started | undefined {
  return spot?.scope.started.get(spot.step.index);
}

/** Tells whether the device of a step gets its last good image again. */
export function isRestoring(spot: Spot | null): boolean {
  return (startedAt(spot)?.restoring ?? null) !== null;
}

export function stopRestoring(spot: Spot | null): void {
  const started = startedAt(spot);
  if (started !== undefined) started.restoring = null;
}

/**
 * How a step ends whose device has its last good image again, which is no success; null where nothing was to be
 * restored.
 */
export function restoredEnd(spot: Spot | null, { spend }: StepOutput): StepEnd | null {
  const started = startedAt(spot);
  const restored = started?.restoring ?? null;
  return restored === null
    ? null
    : {
        ...givenUp(
          'restore',
          flashFailure(started?.lastFailure ?? 'it could not be flashed'),
          restored.by,
          restored.comment,
        ),
        spend,
      };
}

/**
 * A step that has started once more; to restore an image is no try of its own. `spent`: before its run continued as
 * new.
 */
export function nextTry(before: Started | undefined, at: string, spent: Spend): Started {
  return {
    ...(before ?? { at, lastFailure: null, spent }),
    tries: (before?.tries ?? 0) + (before?.restoring == null ? 1 : 0),
  };
}
