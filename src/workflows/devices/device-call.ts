import type { ActivityOptions } from '@temporalio/workflow';
import { workflowInfo } from '@temporalio/workflow';
import type { DeviceCall } from '../../activities/contract.js';
import { segmentOf } from '../../plan/plan.js';
import type { CompileStep, DeviceStep } from '../../plan/step.js';
import { templatesOf } from '../../plan/references/step-references.js';
import { actingOptions } from '../activities.js';
import type { Scope } from '../state/context.js';
import { addressOf, pathOf } from '../state/context.js';
import { workspaceOf } from '../state/own-workspace.js';
import { environmentOf } from '../state/values.js';

/** What activities are told of a step with a device. */
export function deviceCall(scope: Scope, step: CompileStep | DeviceStep, tried: number): DeviceCall {
  const { root, nested, settings } = scope.context;
  return {
    root,
    nested,
    step: addressOf(scope, step),
    path: pathOf(scope, step),
    try: tried,
    environment: environmentOf(scope, templatesOf(step)),
    workspace: workspaceOf(scope, step),
    rehearsal: settings.rehearsal,
  };
}

/**
 * The same for an activity that opens the device's port: where that is on another host, it is told where the run's
 * store is.
 */
export function portCall(scope: Scope, step: DeviceStep, tried: number): DeviceCall {
  const call = deviceCall(scope, step, tried);
  return isFar(step) ? { ...call, home: workflowInfo().taskQueue } : call;
}

/** Tells whether a device hangs on another host, which may have another store and other files. */
export function isFar({ device }: DeviceStep): boolean {
  return device.task_queue !== null && device.task_queue !== workflowInfo().taskQueue;
}

/** Options of an activity that opens a device's port: it runs on the queue of the workers beside it. */
export function deviceOptions(scope: Scope, step: DeviceStep, what: string): ActivityOptions {
  const { name, task_queue } = step.device;
  return {
    ...actingOptions(step, pathOf(scope, step), `${segmentOf(step)}: ${what} ${name}`),
    ...(task_queue === null ? {} : { taskQueue: task_queue }),
  };
}
