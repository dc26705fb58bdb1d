import { createAccessStore } from './access-store.js';
import { createBeginTask } from './begin-task.js';
import { createCallModel } from './call-model.js';
import { createCheckToken } from './check-token.js';
import { createCloseRun } from './close-run.js';
import { createCountAlive } from './count-alive.js';
import type { Activities } from './contract.js';
import { createCompileImage } from './devices/compile-image.js';
import { createFlashDevice } from './devices/flash-device.js';
import { createPrepareFlash } from './devices/prepare-flash.js';
import { createReadSerial } from './devices/read-serial.js';
import { createReadLeases } from './devices/read-leases.js';
import { createTellKeeper } from './devices/tell-keeper.js';
import type { Dependencies } from './dependencies.js';
import { withFailures } from './failures.js';
import { fromShort, inShort } from './in-short.js';
import { createJoinRounds } from './join-rounds.js';
import { createPreparePlan } from './made/prepare-plan.js';
import { oneStart } from './one-start.js';
import { createPrepareTool } from './prepare-tool.js';
import { createReadAnswer, createReadEdit } from './read-decision.js';
import { createRenderGate } from './render-gate.js';
import { createRenderValues } from './render-values.js';
import { createRequireSandbox } from './require-sandbox.js';
import { createRunCommand } from './run-command.js';
import { createRunProgram } from './run-program.js';
import { createRunTool } from './run-tool.js';
import { createSendNotice } from './send-notice.js';
import { createStartNotice } from './start-notice.js';
import { createAskTurn } from './turns/ask-turn.js';
import { createCallTool } from './turns/call-tool.js';
import { createWritePage } from './write-page.js';

export type { Dependencies } from './dependencies.js';

/** All activities, given what they need from outside. Every error that leaves one is an `ApplicationFailure` or a cancellation. */
export function createActivities(deps: Dependencies): Activities {
  return {
    callModel: inShort(oneStart(createCallModel(deps), { patient: true })),
    runCommand: inShort(oneStart(createRunCommand(deps), { patient: true })),
    runProgram: inShort(oneStart(createRunProgram(deps), { patient: true })),
    runTool: inShort(oneStart(createRunTool(deps), { patient: true })),
    askTurn: fromShort(oneStart(createAskTurn(deps), { patient: true })),
    callTool: fromShort(oneStart(createCallTool(deps), { patient: true })),
    requireSandbox: createRequireSandbox(),
    beginTask: createBeginTask(),
    compileImage: oneStart(createCompileImage(deps), { patient: true }),
    flashDevice: oneStart(createFlashDevice(deps), { patient: false }),
    readSerial: oneStart(createReadSerial(deps), { patient: false }),
    prepareFlash: createPrepareFlash(deps),
    prepareTool: createPrepareTool(deps),
    preparePlan: withFailures(createPreparePlan(deps)),
    // Its errors are Temporal's to try again: a keeper that cannot be told of now is told later.
    tellKeeper: createTellKeeper(),
    readLeases: createReadLeases(),
    // Likewise: a server that is busy now is asked again.
    startNotice: createStartNotice(),
    sendNotice: createSendNotice(deps),
    renderGate: withFailures(createRenderGate(deps)),
    checkToken: withFailures(createCheckToken(deps)),
    readEdit: withFailures(createReadEdit(deps)),
    readAnswer: withFailures(createReadAnswer(deps)),
    renderValues: withFailures(createRenderValues(deps)),
    writePage: withFailures(createWritePage(deps)),
    joinRounds: withFailures(createJoinRounds(deps)),
    accessStore: withFailures(createAccessStore(deps)),
    countAlive: withFailures(createCountAlive(deps)),
    closeRun: withFailures(createCloseRun(deps)),
  };
}
