import type { StepEnd } from '../../plan/schedule/schedule-state.js';
import type { SerialStep } from '../../plan/step.js';
import { acting } from '../activities.js';
import type { Scope } from '../state/context.js';
import { deviceOptions, portCall } from '../devices/device-call.js';
import { withLease } from '../devices/device-lease.js';

/** What a device says on its serial line. */
export function runSerial(scope: Scope, step: SerialStep, tried: number): Promise<StepEnd> {
  return withLease<StepEnd>(
    scope,
    step,
    async () => ({
      status: 'success',
      ...(await acting.readSerial.executeWithOptions(deviceOptions(scope, step, 'listen to'), [
        portCall(scope, step, tried),
      ])),
    }),
    (why) => ({
      status: 'error',
      failure: { type: 'device-busy', message: `\`${step.device.name}\` is in use: ${why}.` },
    }),
  );
}
