import type { Decision } from '../../plan/gate.js';
import type { ExitCode } from '../exit-codes.js';
import { EXIT, refusal } from '../exit-codes.js';
import { findRun } from '../observe/find-run.js';
import type { OpenGate, RunView, StepView } from '../observe/view.js';
import { openGates, pathBelow, rootOf } from '../observe/view.js';
import { openExisting, unknownRun } from '../session.js';
import type { Terminal } from '../terminal.js';
import { heightOf, printJson, tell, widthOf } from '../terminal.js';
import { decide } from './decide.js';
import { readGateContent } from './gate-content.js';
import { renderGate } from './gate-text.js';

/** What `approve` and `reject` were told. */
export interface DecideCommand {
  address: string;
  says: Pick<Decision, 'decision' | 'by' | 'comment'>;
  json: boolean;
}

/** Shows what a gate asks and decides it. What was shown is what is decided on: the decision names its hash (decision 4). */
export async function decideGate({ address, says, json }: DecideCommand, terminal: Terminal): Promise<ExitCode> {
  const run = rootOf(address);
  const session = await openExisting(terminal, { taskQueue: null });
  if (session === null) throw unknownRun(run);
  const { view, link } = await findRun(run, session);
  if (link === null) throw refusal(`The run \`${run}\` has ended: ${view.status}.`);
  try {
    const gate = gateAt(view, address);
    const content = await readGateContent(gate.gate, session.store);
    tell(terminal, ...renderGate(gate, content, { width: widthOf(terminal.stderr), height: heightOf(terminal.stderr), palette: terminal.palette }));
    const receipt = await decide(link.client, gate, says);
    if (json) printJson(terminal, { run, gate: gate.address, decision: receipt.decision, by: receipt.by });
    else tell(terminal, `  ${receipt.decision === 'approve' ? 'Approved' : 'Rejected'} by ${receipt.by}. Follow the run with \`perdure watch ${run}\`.`);
    return EXIT.success;
  } finally {
    await link.close();
  }
}

/** The one gate that an address means: its own, or the only one open below a run. */
function gateAt(view: RunView, address: string): OpenGate {
  const open = openGates(view);
  const meant = open.filter((gate) => gate.address === address || gate.address.startsWith(`${address}/`));
  if (meant.length === 1 && meant[0] !== undefined) return meant[0];
  if (meant.length > 1) throw refusal(`${meant.length} gates are open below \`${address}\`.`, `Name one:\n${addresses(meant)}`);
  const step = stepAt(view, pathBelow(address));
  if (step?.step.kind === 'approval' && step.result !== null) {
    throw refusal(`The gate \`${address}\` is already decided: ${step.result.error ?? step.result.note ?? step.status}.`);
  }
  throw refusal(`No gate is open at \`${address}\`.`, open.length === 0 ? 'Nothing in this run waits for a person.' : `There are:\n${addresses(open)}`);
}

function addresses(gates: OpenGate[]): string {
  return gates.map(({ address }) => `  ${address}`).join('\n');
}

function stepAt(view: RunView, path: string): StepView | undefined {
  for (const step of view.steps) {
    if (step.path === path) return step;
    if (step.nested !== null && path.startsWith(`${step.path}/`)) return stepAt(step.nested, path);
  }
  return undefined;
}
