import type { StepOutput } from '../../activities/contract.js';
import { segmentOf } from '../../plan/plan.js';
import type { CompileStep } from '../../plan/step.js';
import { acting, actingOptions } from '../activities.js';
import { deviceCall } from '../devices/device-call.js';
import { atHome } from '../running/at-home.js';
import type { Scope } from '../state/context.js';
import { pathOf } from '../state/context.js';

/** Sources to an image, by a real toolchain. */
export function runCompile(scope: Scope, step: CompileStep, tried: number): Promise<StepOutput> {
  const summary = `${segmentOf(step)}: compile for ${step.device.name}`;
  return atHome(scope.context, actingOptions(step, pathOf(scope, step), summary), (options) =>
    acting.compileImage.executeWithOptions(options, [deviceCall(scope, step, tried)]),
  );
}
