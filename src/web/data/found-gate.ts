import type { TemporalLink } from '../../workers/link/temporal-link.js';
import { refusal } from '../../cli/exit-codes.js';
import { gateAt } from '../../cli/follow/decide-gate.js';
import type { GateContent } from '../../cli/follow/gate-content.js';
import { readGateContent } from '../../cli/follow/gate-content.js';
import { findRun } from '../../cli/observe/find-run.js';
import type { OpenGate, RunView } from '../../cli/observe/view/view.js';
import { rootOf } from '../../cli/observe/view/view.js';
import type { SharedSession } from './shared-link.js';

/** An open gate and what it shows. */
export interface FoundGate {
  view: RunView;
  open: OpenGate;
  content: GateContent | null;
  link: TemporalLink;
}

/** The gate at an address, read anew. Throws a refusal that says how it was decided where it is not open. */
export async function findGate(address: string, session: SharedSession): Promise<FoundGate> {
  const { view, link } = await session.patiently(() => findRun(rootOf(address), session));
  if (link === null) {
    gateAt(view, address);
    throw refusal(`The run \`${view.run}\` has ended: ${view.status}.`);
  }
  const open = gateAt(view, address);
  if (open.address !== address) throw refusal(`No gate is open at \`${address}\`.`);
  return { view, link, open, content: await readGateContent(open, session.store) };
}
