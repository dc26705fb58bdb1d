import type { StepOutput } from '../../activities/contract.js';
import { segmentOf } from '../../plan/plan.js';
import type { CompileStep } from '../../plan/step.js';
import { acting, actingOptions } from '../activities.js';
import { deviceCall } from '../devices/device-call.js';
import type { Scope } from '../state/context.js';
import { pathOf } from '../state/context.js';

/** Sources to an image, by a real toolchain. */
export function runCompile(scope: Scope, step: CompileStep, tried: number): Promise<StepOutput> {
  return acting.compileImage.executeWithOptions(
    actingOptions(step, pathOf(scope, step), `${segmentOf(step)}: compile for ${step.device.name}`),
    [deviceCall(scope, step, tried)],
  );
}
