import type { ApprovedImage, FlashCall } from '../../activities/contract.js';
import { gateEnd, unattendedEnd } from '../../plan/outcomes/step-ends.js';
import type { Failure } from '../../plan/failure.js';
import type { Gate } from '../../plan/gates/gate.js';
import { givenUp, recoveryOf } from '../../plan/outcomes/flash-recovery.js';
import type { StepEnd } from '../../plan/schedule/schedule-state.js';
import type { FlashStep } from '../../plan/step.js';
import { acting, quick } from '../activities.js';
import type { Scope } from '../state/context.js';
import { addressOf, pathOf, carriedGate } from '../state/context.js';
import { deviceCall, deviceOptions, isFar, portCall } from '../devices/device-call.js';
import { withLease } from '../devices/device-lease.js';
import { failureFrom } from '../failures.js';
import { awaitDecision } from '../gates/gate-book.js';
import { renderOwnGate } from '../gates/own-gate.js';

/** An image that was approved, or how the step ends where it was not. */
export type Readiness = { image: ApprovedImage | null } | { end: StepEnd };

/**
 * Asks whether the device is ready for exactly this image: where the step says so, or its severity does (`checkpoint`).
 * What was approved is what is flashed.
 */
export async function askReady(scope: Scope, step: FlashStep, checkpoint: string | null): Promise<Readiness> {
  const { settings, gates } = scope.context;
  const carried = carriedGate(scope, step, 'ready');
  const { image, sha256, ...gate } = await quick.prepareFlash({
    ...deviceCall(scope, step, 1),
    since: carried?.since ?? new Date().toISOString(),
    ...(checkpoint === null ? {} : { checkpoint }),
  });
  const alone = unattendedEnd(gate, settings);
  const end =
    alone ?? gateEnd(await awaitDecision(gates, carried?.hash === gate.hash ? gate : forgotten(scope, gate)), gate);
  return end.status === 'success' ? { image: { image, sha256 } } : { end };
}

/** One try. After a lost worker it only looks what that has left. */
export function runFlash(
  scope: Scope,
  step: FlashStep,
  tried: number,
  { image, act }: Pick<FlashCall, 'image' | 'act'>,
): Promise<StepEnd> {
  return withLease<StepEnd>(
    scope,
    step,
    async () => {
      const sent = isFar(step) && act !== 'restore' ? await readAtHome(scope, step, tried, image) : image;
      return {
        status: 'success',
        ...(await acting.flashDevice.executeWithOptions(deviceOptions(scope, step, act === 'write' ? 'flash' : act), [
          { ...portCall(scope, step, tried), image: sent, act },
        ])),
      };
    },
    (why) => ({
      status: 'error',
      failure: { type: 'device-busy', message: `\`${step.device.name}\` is in use: ${why}.` },
    }),
  );
}

/**
 * The image as the files beside the run are now, for a host that has not got them; what was approved must still be
 * there.
 */
async function readAtHome(
  scope: Scope,
  step: FlashStep,
  tried: number,
  approved: ApprovedImage | null,
): Promise<ApprovedImage> {
  const { image, sha256 } = await quick.prepareFlash({ ...deviceCall(scope, step, tried), only: 'image' });
  return { image, sha256: approved?.sha256 ?? sha256 };
}

/**
 * Asks what to do with a device that could not be flashed: null for another try, else how the step ends. The last good
 * image is restored before it does, where that was chosen; when that fails too, it is asked again.
 */
export async function recover(scope: Scope, step: FlashStep, tried: number, failure: Failure): Promise<StepEnd | null> {
  const { settings } = scope.context;
  if (settings.gates !== 'ask')
    return step.fallback === 'restore'
      ? restoreAlone(scope, step, tried, failure)
      : givenUp(step.fallback, failure, ['fallback'], 'unattended');
  for (let why = failure; ;) {
    const gate = carriedGate(scope, step, 'recovery') ?? (await openRecovery(scope, step, tried, why));
    const ended = await awaitDecision(scope.context.gates, gate);
    const how = recoveryOf(ended);
    if (how === 'retry') return null;
    const refusal = how === 'restore' ? await restore(scope, step, tried) : null;
    if (refusal === null) return givenUp(how, failure, ended.by, ended.comment);
    why = notRestored(failure, refusal);
  }
}

async function restoreAlone(scope: Scope, step: FlashStep, tried: number, failure: Failure): Promise<StepEnd> {
  const refusal = await restore(scope, step, tried);
  if (refusal === null) return givenUp('restore', failure, ['fallback'], 'unattended');
  return givenUp('abort', notRestored(failure, refusal), []);
}

function notRestored(failure: Failure, refusal: Failure): Failure {
  return { ...failure, message: `${failure.message} Restoring the last good image failed: ${refusal.message}` };
}

/** Null when the last good image stands on the device again. */
async function restore(scope: Scope, step: FlashStep, tried: number): Promise<Failure | null> {
  try {
    const end = await runFlash(scope, step, tried, { image: null, act: 'restore' });
    return 'failure' in end ? end.failure : null;
  } catch (error) {
    const failure = failureFrom(error);
    if (failure.type === 'cancelled') throw error;
    return failure;
  }
}

async function openRecovery(scope: Scope, step: FlashStep, tried: number, failure: Failure): Promise<Gate> {
  const { root, nested, settings } = scope.context;
  const { name, by_hand } = step.device;
  const question = `\`${name}\` could not be flashed: ${failure.message}\nBy hand: ${by_hand}\nWhat now?`;
  const gate = await renderOwnGate({
    root,
    nested,
    step: addressOf(scope, step),
    path: pathOf(scope, step),
    try: tried,
    environment: {},
    question,
    kind: 'recovery',
    since: new Date().toISOString(),
    submitter: settings.submitted_by,
  });
  return forgotten(scope, gate);
}

/** A gate that opens anew at a path where another was decided. */
function forgotten(scope: Scope, gate: Gate): Gate {
  scope.context.gates.decided.delete(gate.path);
  return gate;
}
