import { startFollowers } from './triggers/start-followers.js';
import { createBeginRun } from './triggers/begin-run.js';
import { createAccessStore } from './store-access/answer-question.js';
import { createBeginTask, createCloseRun, createCountAlive, createWritePage } from './runs/close-run.js';
import { createCallModel } from './agents/call-model.js';
import { createCheckToken } from './gates/check-token.js';
import { createKeepReceipt } from './gates/receipt.js';
import { createNoteRefusal } from './gates/refused.js';
import { turnSegment } from '../plan/agents/conversation.js';
import { joinPath } from '../plan/plan.js';
import type { Activities, ModelCall, TurnCall, Working } from './contract.js';
import { createCompileImage } from './devices/compile-image.js';
import { createFlashDevice } from './devices/flash-device.js';
import { createPrepareFlash } from './devices/prepare-flash.js';
import { createReadSerial } from './devices/read-serial.js';
import { createReadLeases } from './devices/read-leases.js';
import { createTellKeeper } from './devices/tell-keeper.js';
import type { Dependencies } from './dependencies.js';
import { withFailures } from './failures.js';
import { acceptQuickCalls, acceptShortCalls, fromShort } from './attempt/short-form.js';
import type { QuickCall } from './attempt/head-start.js';
import { createEndBegun, createHeadStart } from './attempt/head-start.js';
import { createSpentBelow } from './runs/spent-below.js';
import { createJoinRounds } from './runs/join-rounds.js';
import { createAnnounceRequirement } from './placement/announce-requirement.js';
import { createPreparePlan } from './made/prepare-plan.js';
import { singleFlight } from './attempt/single-start.js';
import { createPrepareTool } from './tool-steps/prepare-tool.js';
import { createReadAnswer, createReadEdit } from './gates/read-decision.js';
import { createRenderGate } from './gates/render-gate.js';
import { createRenderValues } from './values/render-values.js';
import { createRequireSandbox } from './tools/shell/require-sandbox.js';
import { createRunCommand } from './commands/run-command.js';
import { createRunProgram } from './agents/run-program.js';
import { createRunTool } from './tool-steps/run-tool.js';
import { createRunToolRow } from './tool-steps/run-tool-row.js';
import { markingInstructions } from './runs/left-instructions.js';
import { createSendNotice, createStartNotice } from './runs/send-notice.js';
import { createAskTurn } from './turns/ask-turn.js';
import { createCallHooks } from './turns/call-hooks.js';
import { createCallTool } from './turns/call-tool.js';
import { createCallTools } from './turns/call-tools.js';
import type { HeldWorkspaces } from './workspace/held-workspaces.js';
import { createHeldWorkspaces } from './workspace/held-workspaces.js';
import { createTakeWorkspace, holding } from './workspace/take-workspace.js';
import { locatedCall } from './workspace/located-call.js';
import { createBeginWork, createCommitWork, createMakeTrees } from './workspace/work-trees.js';
import type { Store } from '../store/store.js';
import { removeLeftLocks } from '../store/worktrees/left-locks.js';

export type { Dependencies } from './dependencies.js';

/**
 * All activities, given what they need from outside. Every error that leaves one is an `ApplicationFailure` or a
 * cancellation.
 */
export function createActivities(deps: Dependencies): Activities {
  const { store, self } = deps;
  const workspaces = store.homes === null || self === undefined ? null : createHeldWorkspaces(store, store.homes, self);
  const here = placed(store, workspaces);
  const held = holding(workspaces);
  const reading = holding(workspaces, { reads: true });
  const model = createHeadStart(deps, createCallModel(deps));
  const turn = createHeadStart(deps, createAskTurn(deps), turnPath);
  const callTool = createCallTool(deps);
  const runTool = acceptQuickCalls(here(createRunTool(deps)));
  return {
    callModel: acceptShortCalls(singleFlight(model.goOn, { patient: true })),
    beginModel: acceptQuickCalls<QuickCall<ModelCall>, Working>(model.begin),
    endBegun: fromShort(createEndBegun(store)),
    runCommand: acceptShortCalls(singleFlight(here(createRunCommand(deps)), { patient: true })),
    runProgram: acceptShortCalls(singleFlight(here(createRunProgram(deps)), { patient: true })),
    runTool: singleFlight(runTool, { patient: true }),
    runTools: singleFlight(createRunToolRow(runTool), { patient: true }),
    askTurn: fromShort(singleFlight(reading(turn.goOn), { patient: true })),
    beginTurn: fromShort(turn.begin),
    callTool: fromShort(singleFlight(here(callTool), { patient: true })),
    callTools: fromShort(singleFlight(here(createCallTools(callTool)), { patient: true })),
    callHooks: fromShort(singleFlight(here(createCallHooks(deps)), { patient: true })),
    requireSandbox: createRequireSandbox(),
    announceRequirement: withFailures(createAnnounceRequirement(deps)),
    beginTask: createBeginTask(),
    makeTrees: withFailures(createMakeTrees(deps)),
    takeWorkspace: withFailures(createTakeWorkspace(workspaces)),
    beginWork: held(withFailures(createBeginWork(deps))),
    commitWork: held(withFailures(createCommitWork(deps))),
    compileImage: singleFlight(here(createCompileImage(deps)), { patient: true }),
    flashDevice: singleFlight(here(createFlashDevice(deps)), { patient: false }),
    readSerial: singleFlight(here(createReadSerial(deps)), { patient: false }),
    prepareFlash: createPrepareFlash(deps),
    prepareTool: here(createPrepareTool(deps)),
    preparePlan: withFailures(here(createPreparePlan(deps))),
    // Its errors are Temporal's to try again: a keeper that cannot be told of now is told later.
    tellKeeper: createTellKeeper(),
    readLeases: createReadLeases(),
    // Likewise: a server that is busy now is asked again.
    startNotice: createStartNotice(),
    sendNotice: here(createSendNotice(deps)),
    beginRun: withFailures(createBeginRun(deps)),
    renderGate: withFailures(createRenderGate(deps)),
    checkToken: withFailures(createCheckToken(deps)),
    noteRefusal: withFailures(createNoteRefusal(deps)),
    keepReceipt: withFailures(createKeepReceipt(deps)),
    readEdit: withFailures(createReadEdit(deps)),
    readAnswer: withFailures(createReadAnswer(deps)),
    renderValues: withFailures(createRenderValues(deps)),
    writePage: withFailures(createWritePage(deps)),
    joinRounds: withFailures(createJoinRounds(deps)),
    spentBelow: withFailures(createSpentBelow(deps)),
    accessStore: withFailures(createAccessStore(deps)),
    countAlive: withFailures(createCountAlive(deps)),
    closeRun: withFailures(createCloseRun(deps, startFollowers)),
  };
}

/** Turns of one step have its path. */
function turnPath({ path, turn }: TurnCall): string {
  return joinPath(path, turnSegment(turn, null));
}

/** An activity that is told where it works from the store, and gets it as it is here. */
function placed(
  store: Store,
  workspaces: HeldWorkspaces | null,
): <C extends { workspace?: string; root?: { run: string } }, R>(
  activity: (call: C) => Promise<R>,
) => (call: C) => Promise<R> {
  const held = holding(workspaces);
  return (activity) =>
    held(async (call) => {
      const located = locatedCall(store, call);
      const { workspace, root } = located;
      if (store.folder !== null && workspace !== undefined) await removeLeftLocks(store.folder, workspace);
      if (workspace === undefined || root === undefined) return activity(located);
      return markingInstructions(store, { run: root.run, workspace }, () => activity(located));
    });
}
