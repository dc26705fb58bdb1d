import { createCallModel } from './call-model.js';
import { createCloseRun } from './close-run.js';
import type { Activities } from './contract.js';
import type { Dependencies } from './dependencies.js';
import { withFailures } from './failures.js';
import { createRenderGate } from './render-gate.js';
import { createRenderValues } from './render-values.js';
import { createRunCommand } from './run-command.js';
import { createSavePlan } from './save-plan.js';
import { createWritePage } from './write-page.js';

export type { Dependencies } from './dependencies.js';

/** All activities, given what they need from outside. Every error that leaves one is an `ApplicationFailure` or a cancellation. */
export function createActivities(deps: Dependencies): Activities {
  return {
    callModel: createCallModel(deps),
    runCommand: createRunCommand(deps),
    renderGate: withFailures(createRenderGate(deps)),
    renderValues: withFailures(createRenderValues(deps)),
    writePage: withFailures(createWritePage(deps)),
    savePlan: withFailures(createSavePlan(deps)),
    closeRun: withFailures(createCloseRun(deps)),
  };
}
